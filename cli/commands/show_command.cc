// `troika show` and `troika tail`.
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"
#include "cli/timeline/task_view.h"

namespace troika::cli {
namespace {

struct ShowLine {
  std::string task;
  std::string event;
  std::optional<int> record;
  bool json = false;
};

absl::StatusOr<ShowLine> ReadShow(Args args) {
  ShowLine line;
  Flags flags;
  flags.Add("event", &line.event);
  flags.Add("record", &line.record);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  if (line.record && !line.event.empty()) {
    return absl::InvalidArgumentError(
        "--event and --record exclude each other");
  }
  return line;
}

absl::StatusOr<int> Show(const ShowLine& line, Server& server, const Io& io) {
  if (!line.event.empty() || line.record) {
    const bool raw = line.record && !line.json;
    ASSIGN_OR_RETURN(
        const std::string body,
        server.api.Get(line.record
                           ? client::TaskPath(
                                 line.task, absl::StrCat("/raw/", *line.record))
                           : client::EventPath(line.task, line.event),
                       raw ? "application/octet-stream" : "application/json"));
    return Print(io, raw ? body : absl::StrCat(body, "\n"));
  }
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  if (line.json) return PrintJson(io, task);
  return Print(io, Describe(task, {.now = absl::Now(),
                                   .columns = TerminalWidth(io.out),
                                   .inputs = ReadInputs(task, server.api)}));
}

struct TailLine {
  std::string task;
  FollowOptions::Until until = FollowOptions::Until::kNow;
  ViewOptions view;
};

absl::StatusOr<TailLine> ReadTail(Args args) {
  bool follow = false;
  ViewFlags view;
  Flags flags;
  flags.Add("follow", &follow);
  flags.AddShort('f', "follow");
  view.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  TailLine line;
  if (follow) line.until = FollowOptions::Until::kRest;
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  ASSIGN_OR_RETURN(line.view, view.Options());
  return line;
}

absl::StatusOr<int> Tail(const TailLine& line, Server& server, const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  return Follow(server, task,
                {.view = line.view,
                 .until = line.until,
                 .ctrl_c = FollowOptions::CtrlC::kLeaves},
                io);
}

}  // namespace

constinit const Command kShowCommand = {
    .name = "show",
    .summary = "show everything about one task",
    .help = kShowHelp,
    .run = RunOnServer<kShowCommand, ReadShow, Show>};

constinit const Command kTailCommand = {
    .name = "tail",
    .summary = "show the work on a task, and follow it",
    .help = kTailHelp,
    .run = RunOnServer<kTailCommand, ReadTail, Tail>};

}  // namespace troika::cli
