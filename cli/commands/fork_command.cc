#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/help.h"
#include "cli/commands/turn.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

struct ForkCommandLine {
  std::string task;
  v1::ForkRequest request;
  TurnOptions turn;
};

absl::StatusOr<ForkCommandLine> ReadForkCommandLine(Args args) {
  ForkCommandLine line;
  std::optional<int> turn;
  std::string model, edit_mode, title;
  std::vector<std::string> labels, images;
  TurnFlags turn_flags;
  Flags flags;
  flags.Add("turn", &turn);
  flags.Add("model", &model);
  flags.Add("edit-mode", &edit_mode);
  flags.Add("title", &title);
  flags.Add("label", &labels);
  flags.Add("image", &images);
  turn_flags.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.turn, turn_flags.Read(words));
  ASSIGN_OR_RETURN(line.task,
                   ReadTask({words.begin(), words.begin() + !words.empty()}));
  if (turn && *turn < 1) {
    return absl::InvalidArgumentError("--turn: the first turn is 1");
  }
  line.request.set_turn(turn.value_or(0));
  line.request.set_title(json::ToValidUtf8(title));
  if (!model.empty()) line.request.set_model(json::ToValidUtf8(model));
  ASSIGN_OR_RETURN(const std::optional<EditMode> mode, ReadEditMode(edit_mode));
  if (mode) line.request.set_edit_mode(ToEditMode(*mode));
  ASSIGN_OR_RETURN(const auto read_labels, ReadLabels(labels));
  for (const auto& [key, value] : read_labels) {
    (*line.request.mutable_labels())[json::ToValidUtf8(key)] =
        json::ToValidUtf8(value);
  }
  for (const std::string& image : images) {
    line.request.add_images(json::ToValidUtf8(AbsolutePath(image)));
  }
  *line.request.mutable_timeouts() = ToTimeouts(line.turn.timeouts);
  if (line.turn.budget != notes::Budget()) {
    *line.request.mutable_budget() = ToBudget(line.turn.budget);
  }
  return line;
}

absl::StatusOr<int> Fork(const ForkCommandLine& line, Server& server,
                         const Io& io) {
  v1::ForkRequest request = line.request;
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.turn.prompt, io));
  request.set_prompt(json::ToValidUtf8(prompt.value_or("")));
  request.set_idempotency_key(client::NewIdempotencyKey());
  ASSIGN_OR_RETURN(const v1::Task task, server.api.Fork(line.task, request));
  return ShowTurn(server,
                  {.before = task,
                   .after = task,
                   .show = FollowOptions::Show::kAll,
                   .prompt = request.prompt()},
                  line.turn, io);
}

}  // namespace

constinit const Command kForkCommand = {
    .name = "fork",
    .summary = "begin a task with a copy of another's conversation",
    .help = kForkHelp,
    .run = RunOnServer<kForkCommand, ReadForkCommandLine, Fork>};

}  // namespace troika::cli
