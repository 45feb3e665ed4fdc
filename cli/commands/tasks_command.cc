#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/task_list.h"
#include "cli/commands/task_text.h"
#include "cli/commands/turn.h"
#include "cli/timeline/table.h"
#include "cli/timeline/task_view.h"
#include "cli/timeline/terminal_text.h"
#include "client/event_stream.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

constexpr int kDefaultLimit = 20;
constexpr int kPage = 100;
// How often ages are drawn anew.
constexpr absl::Duration kRedraw = absl::Seconds(5);

struct TasksCommandLine {
  v1::ListTasksRequest request;
  std::vector<std::string> words;  // Only tasks with one of these states.
  int limit = kDefaultLimit;       // 0 for no limit.
  bool follow = false;
  bool json = false;
  ViewOptions view;
};

// A word of StateWord(), and the states of the API that it may stand for. An
// agent that has been stopped after its turn is interrupted in the API.
struct Word {
  absl::string_view word;
  std::vector<v1::Task::State> states;
};

const std::vector<Word>& AllWords() {
  using Task = v1::Task;
  static const auto& words = *new std::vector<Word>{
      {"queued", {Task::queued}},
      {"starting", {Task::starting}},
      {"running", {Task::running}},
      {"awaiting_approval", {Task::awaiting_approval}},
      {"awaiting_answer", {Task::awaiting_answer}},
      {"done", {Task::idle, Task::done, Task::interrupted}},
      {"denied", {Task::idle, Task::done, Task::interrupted}},
      {"failed", {Task::idle, Task::failed, Task::interrupted}},
      {"interrupted", {Task::idle, Task::done, Task::interrupted}},
      {"cancelled", {Task::cancelled}},
      {"idle", {Task::idle}}};
  return words;
}

absl::Status ReadStates(const std::vector<std::string>& names,
                        TasksCommandLine* line) {
  std::set<v1::Task::State> states;
  for (const std::string& name : names) {
    const std::string wanted = absl::StrReplaceAll(name, {{"-", "_"}});
    const auto word =
        std::find_if(AllWords().begin(), AllWords().end(),
                     [&](const Word& one) { return one.word == wanted; });
    if (word == AllWords().end()) {
      std::vector<absl::string_view> all;
      for (const Word& one : AllWords()) all.push_back(one.word);
      return absl::InvalidArgumentError(absl::StrCat(
          "--state ", name, " is not one of ", absl::StrJoin(all, ", ")));
    }
    line->words.push_back(wanted);
    states.insert(word->states.begin(), word->states.end());
  }
  for (const v1::Task::State state : states) line->request.add_states(state);
  return absl::OkStatus();
}

// Whether the task has one of the states that were asked for.
bool HasState(const v1::Task& task, const TasksCommandLine& line) {
  return line.words.empty() ||
         std::any_of(line.words.begin(), line.words.end(),
                     [&](const std::string& word) {
                       return word == "idle" ? task.state() == v1::Task::idle
                                             : word == StateWord(task);
                     });
}

absl::StatusOr<TasksCommandLine> ReadTasksCommandLine(Args args) {
  TasksCommandLine line;
  std::vector<std::string> states, harnesses, labels;
  std::string cwd, text, color = "auto";
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
  flags.Add("color", &color);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (!words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument \"", words[0],
                     "\": `troika show` shows one task"));
  }
  RETURN_IF_ERROR(ReadStates(states, &line));
  ASSIGN_OR_RETURN(line.view.color, ReadColor(color));
  for (std::string& id : harnesses) line.request.add_harnesses(std::move(id));
  ASSIGN_OR_RETURN(const auto pairs, ReadLabels(labels));
  line.request.mutable_labels()->insert(pairs.begin(), pairs.end());
  line.request.set_cwd(AbsolutePath(cwd));
  line.request.set_text(text);
  line.limit = all ? 0 : limit.value_or(kDefaultLimit);
  return line;
}

// Reads pages of tasks up to the limit. Sets whether there are more.
absl::StatusOr<std::vector<v1::Task>> List(const TasksCommandLine& line,
                                           Server& server, bool* more) {
  std::vector<v1::Task> tasks;
  v1::ListTasksRequest request = line.request;
  const auto limit = static_cast<size_t>(line.limit);
  do {
    request.set_page_size(kPage);
    ASSIGN_OR_RETURN(v1::ListTasksResponse page, server.api.ListTasks(request));
    for (v1::Task& task : *page.mutable_tasks()) {
      if (HasState(task, line)) tasks.push_back(std::move(task));
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

// Whether a task that has changed is one of those that were asked for. Only the
// server knows the prompts, so a text is looked for in the title.
bool Matches(const v1::Task& task, const TasksCommandLine& line) {
  const v1::ListTasksRequest& wanted = line.request;
  for (const auto& [key, value] : wanted.labels()) {
    const auto label = task.labels().find(key);
    if (label == task.labels().end() || label->second != value) return false;
  }
  return HasState(task, line) && Holds(wanted.harnesses(), task.harness()) &&
         (wanted.cwd().empty() || wanted.cwd() == task.cwd()) &&
         absl::StrContains(absl::AsciiStrToLower(task.title()),
                           absl::AsciiStrToLower(wanted.text()));
}

// The list as it changes: redrawn in place on a terminal, else a line for each
// change.
class ChangingList {
 public:
  ChangingList(const TasksCommandLine* line, Server* server, const Io& io)
      : line_(*line),
        server_(*server),
        io_(io),
        redraws_(!line->json && isatty(io.out) != 0 &&
                 server->environment.Get("TERM") != "dumb") {}

  // Lists all anew, without showing it.
  absl::Status List() {
    bool more = false;
    ASSIGN_OR_RETURN(const std::vector<v1::Task> tasks,
                     cli::List(line_, server_, &more));
    tasks_.clear();
    for (const v1::Task& task : tasks) tasks_[task.id()] = task;
    return absl::OkStatus();
  }

  absl::Status Take(const client::SseEvent& event) {
    // What has changed before either event is only in a list made after it.
    if (event.name == "ready" || event.name == "reset") return ListAndShow();
    v1::Task task;
    if ((event.name != "task" && event.name != "gone") ||
        !FromJson(event.data, &task, UnknownFields::kIgnore).ok()) {
      return absl::OkStatus();
    }
    const bool gone = event.name == "gone";
    const bool matches = !gone && Matches(task, line_);
    const auto known = tasks_.find(task.id());
    if (!matches && known == tasks_.end()) return absl::OkStatus();
    if (matches) {
      tasks_[task.id()] = task;
    } else {
      tasks_.erase(known);
    }
    if (redraws_) return Draw();
    if (line_.json && gone) return WriteAll(io_.out, event.data + "\n");
    if (gone) {
      return WriteAll(io_.out, absl::StrCat(task.id(), "  deleted\n"));
    }
    if (!matches) return absl::OkStatus();
    return WriteAll(io_.out, LineOf(task));
  }

  // Draws the list again where it is, if it can be redrawn.
  absl::Status Draw() {
    if (!redraws_ && drawn_) return absl::OkStatus();
    std::vector<v1::Task> newest;
    const size_t height = TerminalHeight(io_.out);
    size_t most =
        line_.limit == 0 ? tasks_.size() : static_cast<size_t>(line_.limit);
    // Leaves room for the heads and the cursor.
    if (redraws_ && height > 3) most = std::min(most, height - 2);
    for (auto it = tasks_.rbegin(); it != tasks_.rend(); ++it) {
      if (newest.size() == most) break;
      newest.push_back(it->second);
    }
    std::string text = TextOf(newest);
    const size_t before = RowsBefore();
    widths_.clear();
    for (const absl::string_view row :
         absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
      widths_.push_back(DisplayWidth(Sanitized(row)));
    }
    if (redraws_ && before > 0) {
      // Row by row, as some terminals keep a screen that is erased at once.
      text = absl::StrCat("\r\x1b[", before, "A",
                          absl::StrReplaceAll(text, {{"\n", "\x1b[K\n"}}),
                          "\x1b[J");
    }
    drawn_ = true;
    return WriteAll(io_.out, text);
  }

  bool redraws() const { return redraws_; }
  bool empty() const { return tasks_.empty(); }

 private:
  // Draws the list, or prints the lines that differ from those that were shown.
  absl::Status ListAndShow() {
    const std::map<std::string, v1::Task> before = tasks_;
    RETURN_IF_ERROR(List());
    if (redraws_ || !drawn_) return Draw();
    std::string text;
    for (const auto& [id, task] : tasks_) {
      const auto known = before.find(id);
      if (known == before.end() || LineOf(known->second) != LineOf(task)) {
        absl::StrAppend(&text, LineOf(task));
      }
    }
    return WriteAll(io_.out, text);
  }

  std::string LineOf(const v1::Task& task) const {
    return line_.json ? JsonLine(task) : TaskLine(task);
  }

  // Returns how many rows the list takes that was drawn last. A terminal that
  // has become narrower has wrapped its rows.
  size_t RowsBefore() const {
    const size_t width = TerminalWidth(io_.out);
    size_t rows = widths_.size();
    for (const size_t columns : widths_) {
      if (width > 0 && columns > 0) rows += (columns - 1) / width;
    }
    return rows;
  }

  std::string TextOf(const std::vector<v1::Task>& tasks) const {
    std::string text;
    if (line_.json) {
      for (const v1::Task& task : tasks) absl::StrAppend(&text, JsonLine(task));
      return text;
    }
    text = TaskListText(
        tasks, {.width = TerminalWidth(io_.out),
                .color = ColorFor(line_.view, server_.environment, io_.out),
                .now = absl::Now(),
                .home = std::string(server_.environment.Get("HOME"))});
    return text.empty() && redraws_ ? "no tasks\n" : text;
  }

  const TasksCommandLine& line_;
  Server& server_;
  const Io io_;
  const bool redraws_;
  bool drawn_ = false;
  std::vector<size_t> widths_;  // Columns of each row that was drawn last.
  std::map<std::string, v1::Task> tasks_;
};

// Shows each change until a signal comes. Returns the exit code.
absl::StatusOr<int> FollowChanges(ChangingList& list, Server& server) {
  SystemClock clock;
  Signals signals({SIGWINCH});
  client::EventStream stream(
      server.api.address(), "/api/v1/events",
      {.clock = &clock, .start = server.api.options().start});
  absl::Time redraw_at = clock.Awake() + kRedraw;
  while (true) {
    absl::Status shown;
    RETURN_IF_ERROR(stream.Advance([&](client::SseEvent&& event) {
      if (shown.ok()) shown = list.Take(event);
    }));
    if (shown.ok() && list.redraws() && clock.Awake() >= redraw_at) {
      redraw_at = clock.Awake() + kRedraw;
      shown = list.Draw();
    }
    // It is not an error if the reader is gone.
    if (absl::IsCancelled(shown)) return kExitOk;
    RETURN_IF_ERROR(shown);
    std::vector<pollfd> fds = stream.PollFds();
    fds.push_back({.fd = signals.fd(), .events = POLLIN});
    Wait(&fds,
         list.redraws() ? std::min(redraw_at, stream.wake_at())
                        : stream.wake_at(),
         clock);
    for (const int signal : signals.Take()) {
      if (signal != SIGWINCH) return kExitSignal + signal;
      redraw_at = clock.Awake();
    }
  }
}

absl::StatusOr<int> Tasks(const TasksCommandLine& line, Server& server,
                          const Io& io) {
  if (line.follow) {
    ChangingList list(&line, &server, io);
    RETURN_IF_ERROR(list.List());
    return FollowChanges(list, server);
  }
  bool more = false;
  ASSIGN_OR_RETURN(const std::vector<v1::Task> tasks,
                   List(line, server, &more));
  std::string text;
  if (line.json) {
    for (const v1::Task& task : tasks) absl::StrAppend(&text, JsonLine(task));
  } else {
    text = TaskListText(
        tasks, {.width = TerminalWidth(io.out),
                .color = ColorFor(line.view, server.environment, io.out),
                .now = absl::Now(),
                .home = std::string(server.environment.Get("HOME"))});
  }
  const int code = Print(io, text);
  if (!line.json && tasks.empty()) Note(io, "no tasks");
  if (!line.json && more) Note(io, "there are more tasks: --all lists them");
  return code;
}

}  // namespace

constinit const Command kTasksCommand = {
    .name = "tasks",
    .summary = "list tasks",
    .help = kTasksHelp,
    .run = RunOnServer<kTasksCommand, ReadTasksCommandLine, Tasks>};

}  // namespace troika::cli
