// `troika wait`.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/attach/requests.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "client/event_stream.h"

namespace troika::cli {
namespace {

// How often tasks are looked at even if no change is told.
constexpr absl::Duration kCheck = absl::Seconds(2);

// Enough to have the deadline that ended a turn: little comes after it.
constexpr int kLastEvents = 200;

// The worst first.
constexpr int kWorst[] = {kExitFailure,   kExitDeadline, kExitInterrupted,
                          kExitCancelled, kExitDenied,   kExitOk};

struct WaitCommandLine {
  std::vector<std::string> ids;  // Or latest.
  std::optional<absl::Duration> timeout;
  bool quiet = false;
  bool json = false;
};

absl::StatusOr<WaitCommandLine> ReadWaitCommandLine(Args args) {
  WaitCommandLine line;
  Flags flags;
  flags.Add("timeout", &line.timeout);
  flags.Add("quiet", &line.quiet);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(line.ids, flags.Parse(args));
  if (line.ids.empty()) {
    return absl::InvalidArgumentError(
        "a task is needed: give one or more ids, or latest");
  }
  return line;
}

bool Rests(const v1::Task& task) {
  const bool goes_on =
      !task.queue_held() &&
      std::any_of(task.inputs().begin(), task.inputs().end(),
                  [](const v1::Receipt& input) {
                    return input.state() == v1::Receipt::queued;
                  });
  return task.state() >= v1::Task::idle && !goes_on;
}

// A task that has come to rest.
struct Rested {
  v1::Task task;
  int code = kExitOk;
};

// What a look at all tasks has found.
struct Checked {
  std::vector<std::string> waiting;  // Ids.
  std::vector<Rested> rested;
  absl::Status error;
};

// Whether a deadline has ended the last turn, as `run` finds out, too.
bool MissedDeadline(const std::vector<Message>& events) {
  bool missed = false;
  for (const Message& message : events) {
    const auto* event = std::get_if<Lifecycle>(&message.payload);
    if (event == nullptr) continue;
    if (event->kind == Lifecycle::Kind::kDeadline) missed = true;
    if (event->kind == Lifecycle::Kind::kTurnAsked) missed = false;
  }
  return missed;
}

int CodeOf(const v1::Task& task, client::ApiClient& api) {
  const std::string word = StateWord(task);
  if (word == "denied") return kExitDenied;
  if (word == "interrupted") return kExitInterrupted;
  if (word == "cancelled") return kExitCancelled;
  if (word != "failed") return kExitOk;
  const absl::StatusOr<std::vector<Message>> events =
      api.GetLastEvents(task.id(), kLastEvents);
  return events.ok() && MissedDeadline(*events) ? kExitDeadline : kExitFailure;
}

int Worse(int a, int b) {
  return *std::find_if(std::begin(kWorst), std::end(kWorst),
                       [&](int code) { return code == a || code == b; });
}

// Looks at tasks once. An error leaves out the tasks after it.
Checked CheckTasks(std::vector<std::string> ids, const Io& io,
                   client::ApiClient& api) {
  Checked checked;
  for (std::string& id : ids) {
    checked.error = FindLatest(api, io, &id);
    if (!checked.error.ok()) break;
    absl::StatusOr<v1::Task> task = api.GetTask(id);
    checked.error = task.status();
    if (!checked.error.ok()) break;
    if (Rests(*task)) {
      const int code = CodeOf(*task, api);
      checked.rested.push_back({.task = *std::move(task), .code = code});
    } else {
      checked.waiting.push_back(std::move(id));
    }
  }
  return checked;
}

class Waiter {
 public:
  Waiter(const WaitCommandLine* line, Server* server, const Io& io)
      : line_(*line),
        server_(*server),
        io_(io),
        requests_(server->api.address(), {.start = server->api.options().start},
                  &clock_),
        waiting_(line->ids) {}

  absl::StatusOr<int> Run();

 private:
  void Take(Checked checked);
  int LeaveLate();

  const WaitCommandLine& line_;
  Server& server_;
  const Io io_;
  SystemClock clock_;
  Signals signals_;
  Requests requests_;  // After signals_, whose mask its thread needs.
  std::vector<std::string> waiting_;
  absl::Status error_;
  int code_ = kExitOk;
};

void Waiter::Take(Checked checked) {
  for (const Rested& rested : checked.rested) {
    code_ = Worse(code_, rested.code);
    if (line_.json) {
      PrintJson(io_, rested.task);
    } else if (!line_.quiet) {
      Print(io_, TaskLine(rested.task));
    }
  }
  waiting_ = std::move(checked.waiting);
  error_ = std::move(checked.error);
}

int Waiter::LeaveLate() {
  const bool silent = clock_.Awake() - requests_.waiting_since() > kCheck;
  Note(io_, absl::StrCat("after ", absl::FormatDuration(*line_.timeout), " ",
                         waiting_.size(), " of ", line_.ids.size(),
                         " tasks still work",
                         silent ? " as far as is known: the server does not "
                                  "answer"
                                : ""));
  return Worse(code_, kExitDeadline);
}

absl::StatusOr<int> Waiter::Run() {
  const absl::Time deadline =
      line_.timeout ? clock_.Awake() + *line_.timeout : absl::InfiniteFuture();
  client::EventStream stream(
      server_.api.address(), "/api/v1/events",
      {.clock = &clock_, .start = server_.api.options().start});
  absl::Time check_at = clock_.Awake();
  while (true) {
    RETURN_IF_ERROR(
        stream.Advance([&](client::SseEvent&&) { check_at = clock_.Awake(); }));
    if (requests_.idle() && clock_.Awake() >= check_at) {
      check_at = clock_.Awake() + kCheck;
      requests_.Ask(
          [ids = waiting_, io = io_](client::ApiClient& api) {
            return CheckTasks(ids, io, api);
          },
          [this](Checked checked) { Take(std::move(checked)); });
    }
    std::vector<pollfd> fds = stream.PollFds();
    fds.push_back({.fd = signals_.fd(), .events = POLLIN});
    fds.push_back(requests_.PollFd());
    const absl::Time wake_at = requests_.idle() ? check_at : deadline;
    Wait(&fds, std::min({stream.wake_at(), wake_at, deadline}), clock_);
    const std::vector<int> taken = signals_.Take();
    if (!taken.empty()) return kExitSignal + taken.front();
    requests_.RunDone();
    RETURN_IF_ERROR(error_);
    if (waiting_.empty()) return code_;
    if (clock_.Awake() >= deadline) return LeaveLate();
  }
}

absl::StatusOr<int> WaitForTasks(const WaitCommandLine& line, Server& server,
                                 const Io& io) {
  return Waiter(&line, &server, io).Run();
}

}  // namespace

constinit const Command kWaitCommand = {
    .name = "wait",
    .summary = "wait until tasks have come to rest",
    .help = kWaitHelp,
    .run = RunOnServer<kWaitCommand, ReadWaitCommandLine, WaitForTasks>};

}  // namespace troika::cli
