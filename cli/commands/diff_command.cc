// `troika diff`.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/git_diff.h"
#include "cli/commands/help.h"
#include "cli/feed/task_feed.h"
#include "cli/timeline/edit_text.h"
#include "cli/timeline/styled_text.h"
#include "cli/timeline/task_view.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

struct DiffCommandLine {
  std::string task;
  std::optional<int> turn;
  bool git = false;
  ViewOptions view;
};

absl::StatusOr<DiffCommandLine> ReadDiffCommandLine(Args args) {
  DiffCommandLine line;
  std::string color = "auto";
  Flags flags;
  flags.Add("turn", &line.turn);
  flags.Add("git", &line.git);
  flags.Add("color", &color);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  ASSIGN_OR_RETURN(line.view.color, ReadColor(color));
  if (line.turn && *line.turn < 1) {
    return absl::InvalidArgumentError("--turn counts from 1");
  }
  return line;
}

// Collects what the turns of a task have changed, in order.
class Changes : public TaskFeedListener {
 public:
  struct Change {
    int turn = 1;
    FileEdit edit;
  };

  void OnEvent(const FedEvent& event) override {
    const Payload& payload = event.message.payload;
    if (const auto* use = std::get_if<ToolUse>(&payload)) {
      open_[use->id] = EditsOf(*use, cwd_);
    } else if (const auto* result = std::get_if<ToolResult>(&payload)) {
      auto node = open_.extract(result->tool_use_id);
      if (!node || result->is_error || result->synthetic) return;
      for (FileEdit& edit : node.mapped()) Add(std::move(edit));
    } else if (const auto* diff = std::get_if<Diff>(&payload)) {
      diff_ = diff->unified_diff;
    } else if (std::holds_alternative<Result>(payload) &&
               event.message.parent_tool_use_id.empty()) {
      EndTurn();
    }
  }
  void OnTask(const v1::Task&) override {}
  void OnProblem(absl::string_view text) override {
    problem_ = std::string(text);
  }

  void set_cwd(std::string cwd) { cwd_ = std::move(cwd); }
  // Ends the turn that still runs, if fewer have ended than were `asked` for or
  // if anything has changed since the last one.
  void EndOpenTurn(int asked) {
    const bool changed =
        !diff_.empty() || (!changes_.empty() && changes_.back().turn == turn_);
    if (changed || turns() < asked) EndTurn();
  }
  const std::vector<Change>& changes() const { return changes_; }
  int turns() const { return turn_ - 1; }
  const std::string& problem() const { return problem_; }

 private:
  void EndTurn() {
    // The harness knows best what a turn has changed altogether.
    if (!diff_.empty()) {
      std::erase_if(changes_,
                    [&](const Change& one) { return one.turn == turn_; });
      for (FileEdit& edit : ReadUnifiedDiff(diff_)) Add(std::move(edit));
    }
    diff_.clear();
    ++turn_;
  }
  void Add(FileEdit edit) {
    changes_.push_back({.turn = turn_, .edit = std::move(edit)});
  }

  std::string cwd_;
  int turn_ = 1;
  std::map<std::string, std::vector<FileEdit>> open_;
  std::string diff_;
  std::vector<Change> changes_;
  std::string problem_;
};

absl::Status ReadChanges(const v1::Task& task, Server& server,
                         Changes* changes) {
  SystemClock clock;
  changes->set_cwd(task.cwd());
  TaskFeed feed(&server.api, task,
                {.clock = &clock, .complete = TaskFeedOptions::Complete::kAll},
                changes);
  while (!feed.ready() && !feed.ended()) {
    RETURN_IF_ERROR(feed.Advance());
    if (feed.ready()) break;
    std::vector<pollfd> fds = feed.PollFds();
    Wait(&fds, feed.wake_at(), clock);
  }
  changes->EndOpenTurn(feed.task().turns());
  return absl::OkStatus();
}

// Returns the change as a diff without the numbers of its lines, which the
// agent does not tell.
std::string DiffText(const FileEdit& edit, Escapes escapes) {
  using Kind = ApprovalText::Kind;
  std::vector<std::string> lines = {
      absl::StrCat("--- a/", SanitizedLine(edit.path)),
      absl::StrCat("+++ b/", SanitizedLine(edit.path)), "@@"};
  for (const FileEdit::Line& line : edit.lines) {
    const absl::string_view mark = line.kind == Kind::kAdded     ? "+"
                                   : line.kind == Kind::kRemoved ? "-"
                                                                 : " ";
    lines.push_back(absl::StrCat(mark, line.text));
  }
  std::string text;
  for (const std::string& line : lines) {
    absl::StrAppend(&text, DiffRow(line, escapes));
  }
  return text;
}

absl::StatusOr<int> ShowDiff(const DiffCommandLine& line, Server& server,
                             const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  Changes changes;
  RETURN_IF_ERROR(ReadChanges(task, server, &changes));
  if (!changes.problem().empty()) Note(io, Sanitized(changes.problem()));
  if (line.turn && *line.turn > changes.turns()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no turn ", *line.turn, ": the task has ", changes.turns()));
  }
  const Escapes escapes = ColorFor(line.view, server.environment, io.out) ==
                                  Timeline::Color::kAlways
                              ? Escapes::kColours
                              : Escapes::kNone;
  std::set<std::string> unknown;
  bool any = false;
  for (const Changes::Change& change : changes.changes()) {
    if (line.turn && change.turn != *line.turn) continue;
    any = true;
    if (line.git || !change.edit.counted) {
      unknown.insert(change.edit.path);
    } else if (const int code = Print(io, DiffText(change.edit, escapes));
               code != kExitOk) {
      return code;
    }
  }
  if (!any) {
    Note(io,
         "no tool of the agent has edited a file; commands may have: `git "
         "diff` shows that");
    return kExitOk;
  }
  if (unknown.empty()) return kExitOk;
  Note(io, "from git, as the files are now:");
  return PrintGitDiff(task.cwd(), unknown, escapes, io);
}

}  // namespace

constinit const Command kDiffCommand = {
    .name = "diff",
    .summary = "show what a task has changed",
    .help = kDiffHelp,
    .run = RunOnServer<kDiffCommand, ReadDiffCommandLine, ShowDiff>};

}  // namespace troika::cli
