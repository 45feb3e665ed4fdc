#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "cli/commands/turn.h"
#include "cli/timeline/table.h"
#include "client/event_stream.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

constexpr int kDefaultLimit = 20;
constexpr int kPage = 100;

struct Line {
  v1::ListTasksRequest request;
  int limit = kDefaultLimit;  // 0 for no limit.
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
          "--state ", name, " is not one of ", absl::StrJoin(all, ", ")));
    }
    request->add_states(state);
  }
  return absl::OkStatus();
}

absl::StatusOr<Line> ReadLine(Args args) {
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
        "\"", words[0], "\" is not a flag: `troika show` shows one task"));
  }
  RETURN_IF_ERROR(ReadStates(states, &line.request));
  for (std::string& id : harnesses) line.request.add_harnesses(std::move(id));
  ASSIGN_OR_RETURN(const auto pairs, ReadLabels(labels));
  line.request.mutable_labels()->insert(pairs.begin(), pairs.end());
  line.request.set_cwd(AbsolutePath(cwd));
  line.request.set_text(text);
  line.limit = all ? 0 : limit.value_or(kDefaultLimit);
  return line;
}

// Reads pages of tasks up to the limit. Sets whether there are more.
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

template <typename List, typename Value>
bool Holds(const List& wanted, const Value& value) {
  return wanted.empty() ||
         std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

std::string TextOf(const client::SseEvent& event, const Line& line) {
  v1::Task task;
  if (event.name != "task" ||
      !FromJson(event.data, &task, UnknownFields::kIgnore).ok() ||
      !Holds(line.request.states(), static_cast<int>(task.state())) ||
      !Holds(line.request.harnesses(), task.harness())) {
    return "";
  }
  return line.json ? JsonLine(task) : TaskLine(task);
}

// Prints a line for each change of a task in these states and of these
// harnesses, until a signal comes. Returns the exit code.
int FollowChanges(const Line& line, Server& server, const Io& io) {
  SystemClock clock;
  Signals signals;
  client::EventStream stream(
      server.api.address(), "/api/v1/events",
      {.clock = &clock, .start = server.api.options().start});
  while (true) {
    absl::Status written;
    const absl::Status advanced = stream.Advance([&](client::SseEvent&& event) {
      if (written.ok()) {
        written = WriteAll(io.out, TextOf(event, line));
      }
    });
    if (!advanced.ok()) return FailWith(io, advanced);
    // It is not an error if the reader is gone.
    if (absl::IsCancelled(written)) return kExitOk;
    if (!written.ok()) return Fail(io, written.message());
    std::vector<pollfd> fds = stream.PollFds();
    fds.push_back({.fd = signals.fd(), .events = POLLIN});
    Wait(&fds, stream.wake_at(), clock);
    const std::vector<int> taken = signals.Take();
    if (!taken.empty()) return kExitSignal + taken.front();
  }
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
  if (!line.json && more) Note(io, "there are more tasks: --all lists them");
  if (code != kExitOk || !line.follow) return code;
  return FollowChanges(line, server, io);
}

}  // namespace

constinit const Command kTasksCommand = {
    .name = "tasks",
    .summary = "list tasks",
    .help = kTasksHelp,
    .run = RunOnServer<kTasksCommand, ReadLine, Tasks>};

}  // namespace troika::cli
