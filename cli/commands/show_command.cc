// `troika show` and `troika tail`.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agent/launch/launch.h"
#include "agent/launch/permissions_text.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"
#include "cli/timeline/task_view.h"
#include "cli/timeline/timeline.h"
#include "dto/task.h"

namespace troika::cli {
namespace {

struct ShowLine {
  std::string task;
  std::string event;        // To print as JSON.
  std::string shown_event;  // To print as people read it.
  std::optional<int> record;
  bool json = false;
};

absl::StatusOr<ShowLine> ReadShow(Args args) {
  ShowLine line;
  Flags flags;
  flags.Add("event", &line.event);
  flags.Add("record", &line.record);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  if (words.size() == 2 && ParseEventId(words[1])) {
    line.shown_event = words[1];
    words.pop_back();
  }
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  const int given = int{line.record.has_value()} + int{!line.event.empty()} +
                    int{!line.shown_event.empty()};
  if (given > 1) {
    return absl::InvalidArgumentError(
        "EVENT, --event and --record exclude each other");
  }
  return line;
}

// Returns what the agent may do by the request, which is the first record of
// the log; empty if it can't be read.
std::string ReadPermissions(const v1::Task& task, client::ApiClient& api) {
  const absl::StatusOr<std::string> record = api.Get(
      client::TaskPath(task.id(), "/raw/1"), "application/octet-stream");
  if (!record.ok()) return "";
  json::Parser parser;
  const absl::StatusOr<json::Value> note = parser.Parse(*record);
  if (!note.ok()) return "";
  const json::Value options = note->Get("options");
  LaunchOptions asked;
  asked.sandbox = std::string(options.Get("sandbox").StringOr(""));
  asked.approval_policy =
      std::string(options.Get("approval_policy").StringOr(""));
  asked.dangerously_bypass = options.Get("dangerously_bypass").BoolOr(false);
  std::optional<EditMode> mode =
      EditModeFromId(v1::EditMode_Name(task.edit_mode()));
  const bool is_native =
      task.edit_mode() == v1::native ||
      (asked.dangerously_bypass && task.edit_mode() == v1::dangerous);
  if (is_native && !options.Get("edit_mode").exists()) mode.reset();
  return PermissionsText(asked, mode);
}

// Returns the event as the timeline shows it if nothing is folded.
std::string ShownWhole(const Message& event, const v1::Task& task,
                       size_t columns) {
  Timeline timeline({.width = columns, .detail = Timeline::Detail::kFull});
  const TaskState state = ToTaskState(task);
  std::string text = timeline.Add(event, state);
  // The lines of an edit are shown with its result.
  if (const auto* use = std::get_if<ToolUse>(&event.payload)) {
    absl::StrAppend(
        &text,
        timeline.Add({.payload = ToolResult{.tool_use_id = use->id}}, state));
  }
  return absl::StrCat(text, timeline.EndLine());
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
  if (!line.shown_event.empty()) {
    ASSIGN_OR_RETURN(const Message event,
                     server.api.GetEvent(task.id(), line.shown_event));
    return Print(io, ShownWhole(event, task, TerminalWidth(io.out)));
  }
  if (line.json) return PrintJson(io, task);
  return Print(
      io, Describe(task, {.now = absl::Now(),
                          .columns = TerminalWidth(io.out),
                          .inputs = ReadInputs(task, server.api),
                          .permissions = ReadPermissions(task, server.api)}));
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
