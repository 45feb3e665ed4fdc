#include "cli/commands/turn.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"

namespace troika::cli {
namespace {

// How many turns there are with this one, whether or not the reply counts it
// already. A prompt may also join a turn that is open.
int TurnsWith(const GivenTurn& turn) {
  const int before =
      turn.show == FollowOptions::Show::kAll ? 0 : turn.before.turns();
  const bool rested = turn.before.state() >= v1::Task::idle ||
                      turn.show == FollowOptions::Show::kAll;
  return std::max(turn.after.turns(), before + (rested ? 1 : 0));
}

}  // namespace

void TurnFlags::AddTo(Flags* flags) {
  view_.AddTo(flags);
  flags->Add("quiet", &quiet_);
  flags->Add("detach", &detach_);
  flags->Add("no-stdin", &no_stdin_);
}

absl::StatusOr<ViewOptions> TurnFlags::Options() const {
  ASSIGN_OR_RETURN(ViewOptions options, view_.Options());
  if (!quiet_) return options;
  if (options.output == ViewOptions::Output::kJson) {
    return absl::InvalidArgumentError("--quiet and --json exclude each other");
  }
  if (detach_) {
    return absl::InvalidArgumentError(
        "--quiet and --detach exclude each other");
  }
  options.output = ViewOptions::Output::kQuiet;
  return options;
}

void TimeoutFlags::AddTo(Flags* flags) {
  flags->Add("timeout", &turn_);
  flags->Add("start-timeout", &start_);
  flags->Add("idle-timeout", &idle_);
  flags->Add("task-timeout", &task_);
}

notes::Timeouts TimeoutFlags::timeouts() const {
  return {.start = start_, .idle = idle_, .turn = turn_, .task = task_};
}

absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id) {
  if (id.empty()) return std::optional<EditMode>();
  const auto mode = EditModeFromId(absl::StrReplaceAll(id, {{"-", "_"}}));
  if (mode) return mode;
  return absl::InvalidArgumentError(
      absl::StrCat("--edit-mode ", id,
                   " is not one of research, auto_edit, full_auto, dangerous"));
}

absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels) {
  std::map<std::string, std::string> read;
  for (const std::string& label : labels) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", label, " is not of the form key=value"));
    }
    read[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return read;
}

absl::StatusOr<std::optional<std::string>> ReadPromptArgument(
    const std::vector<std::string>& words) {
  if (words.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one prompt: \"", words[1], "\" and \"",
                     words[2], "\"; put quotes around it"));
  }
  return words.size() == 2 ? std::optional(words[1]) : std::nullopt;
}

int ShowTurn(Server& server, const GivenTurn& turn, Then then,
             const ViewOptions& view, const Io& io) {
  if (then == Then::kDetach) {
    return view.output == ViewOptions::Output::kJson
               ? PrintJson(io, turn.after)
               : Print(io, absl::StrCat(turn.after.id(), "\n"));
  }
  if (view.output == ViewOptions::Output::kText) {
    Note(io, absl::StrCat("task ", turn.after.id()));
  }
  return Follow(server, turn.before,
                {.view = view, .show = turn.show, .turns = TurnsWith(turn)},
                io);
}

}  // namespace troika::cli
