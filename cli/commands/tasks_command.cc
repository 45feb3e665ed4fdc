#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/server.h"
#include "cli/commands/server_commands.h"
#include "cli/commands/task_changes.h"
#include "cli/commands/task_text.h"
#include "cli/commands/turn_flags.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika tasks [FLAG...]

Lists tasks, the newest first: id, state, harness, age and title.

  --state NAME     only those in this state; can be repeated: queued, starting,
                   running, awaiting_approval, awaiting_answer, idle, done,
                   failed, interrupted, cancelled
  --harness NAME   only those of codex, claude or gemini; can be repeated
  --cwd DIR        only those that work in this folder
  --label KEY=VALUE  only those with this label; can be repeated
  --text TEXT      only those with it in the title or the prompt
  --limit N        at most so many (20)
  --all            without a limit
  -f, --follow     then a line for each task that changes, until Ctrl-C; of the
                   filters only --state and --harness hold for these
  --json           a line of JSON each: Task of dto/troika.proto

Exit code: 0, also where there are none; 1 where the server can't be reached; 2
where the command line is wrong; 130 where Ctrl-C ended it.

Examples:
  troika tasks --state running --state awaiting_approval
  troika tasks --cwd . --json | jq -r .id
)";

constexpr int kDefaultLimit = 20;
constexpr int kPage = 100;

struct Line {
  v1::ListTasksRequest request;
  int limit = kDefaultLimit;  // 0: none.
  bool follow = false;
  bool json = false;
};

absl::Status ReadStates(const std::vector<std::string>& names,
                        v1::ListTasksRequest* request) {
  for (const std::string& name : names) {
    v1::Task::State state;
    if (!v1::Task::State_Parse(absl::StrReplaceAll(name, {{"-", "_"}}),
                               &state) ||
        state == v1::Task::state_unspecified) {
      std::vector<std::string> all;
      for (int i = v1::Task::queued; i <= v1::Task::State_MAX; ++i) {
        all.push_back(v1::Task::State_Name(static_cast<v1::Task::State>(i)));
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "--state ", name, " is none of ", absl::StrJoin(all, ", ")));
    }
    request->add_states(state);
  }
  return absl::OkStatus();
}

absl::StatusOr<Line> ReadLine(absl::Span<const std::string> args) {
  Line line;
  std::vector<std::string> states, harnesses, labels;
  std::string cwd, text;
  std::optional<int> limit;
  bool all = false;
  Flags flags;
  flags.Add("state", &states);
  flags.Add("harness", &harnesses);
  flags.Add("cwd", &cwd);
  flags.Add("label", &labels);
  flags.Add("text", &text);
  flags.Add("limit", &limit);
  flags.Add("all", &all);
  flags.Add("follow", &line.follow);
  flags.AddShort('f', "follow");
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (!words.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", words[0], "\" is no flag: `troika show` shows one task"));
  }
  RETURN_IF_ERROR(ReadStates(states, &line.request));
  for (std::string& id : harnesses) line.request.add_harnesses(std::move(id));
  ASSIGN_OR_RETURN(const auto pairs, ReadLabels(labels));
  line.request.mutable_labels()->insert(pairs.begin(), pairs.end());
  line.request.set_cwd(FromHere(cwd));
  line.request.set_text(text);
  line.limit = all ? 0 : limit.value_or(kDefaultLimit);
  return line;
}

// As many as the limit wants, whatever pages the server makes of them.
absl::StatusOr<std::vector<v1::Task>> List(const Line& line, Server& server,
                                           bool* more) {
  std::vector<v1::Task> tasks;
  v1::ListTasksRequest request = line.request;
  const auto limit = static_cast<size_t>(line.limit);
  do {
    request.set_page_size(kPage);
    ASSIGN_OR_RETURN(v1::ListTasksResponse page, server.api.ListTasks(request));
    for (v1::Task& task : *page.mutable_tasks()) {
      tasks.push_back(std::move(task));
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() &&
           (limit == 0 || tasks.size() < limit));
  *more = limit != 0 && (tasks.size() > limit || !request.page_token().empty());
  if (*more && tasks.size() > limit) tasks.resize(limit);
  return tasks;
}

absl::StatusOr<int> Tasks(const Line& line, Server& server, const Io& io) {
  bool more = false;
  ASSIGN_OR_RETURN(const std::vector<v1::Task> tasks,
                   List(line, server, &more));
  std::string text;
  Table table = TaskTable();
  for (const v1::Task& task : tasks) {
    if (line.json) {
      absl::StrAppend(&text, JsonLine(task));
    } else {
      AddTask(task, absl::Now(), &table);
    }
  }
  if (!line.json && !table.empty()) text = table.Text(TerminalWidth(io.out));
  const int code = Print(io, text);
  if (!line.json && tasks.empty()) Note(io, "no tasks");
  if (!line.json && more) Note(io, "there are more: --all lists them");
  if (code != kExitOk || !line.follow) return code;
  return FollowChanges(server, line.request,
                       line.json ? ChangeForm::kJson : ChangeForm::kText, io);
}

int Run(absl::Span<const std::string> args, const Io& io) {
  return RunOnServer(kTasksCommand, args, io, ReadLine, Tasks);
}

}  // namespace

constinit const Command kTasksCommand = {
    .name = "tasks", .summary = "list tasks", .help = kHelp, .run = Run};

}  // namespace troika::cli
