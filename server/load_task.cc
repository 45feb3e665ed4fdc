#include "server/load_task.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/status_macros.h"
#include "dto/redact.h"
#include "relay/log_format.h"
#include "relay/log_reader.h"
#include "server/event_file.h"
#include "server/hook_body.h"
#include "server/secrets.h"
#include "server/task_rows.h"
#include "task/budget.h"
#include "task/document.h"
#include "task/follower.h"
#include "task/hook_events.h"
#include "task/inputs.h"
#include "task/notes.h"
#include "task/replay.h"

namespace troika {
namespace {

constexpr int64_t kAtOnce = int64_t{1} << 20;
// The request is the first record; a long prompt makes it long.
constexpr int64_t kHead = int64_t{16} << 10;

// Collects the events that hooks may have to be told.
class HookNews {
 public:
  explicit HookNews(absl::Time after) : after_(after) {}

  void OnMessage(const Message& message, const TaskState& state) {
    auto event = finder_.OnMessage(message, state);
    if (event && event->time >= after_) found_.push_back(*std::move(event));
  }

  // Those that are still true.
  std::vector<FoundHookEvent> Describe(const std::string& task,
                                       const TaskState& state,
                                       const Redactor& redactor) const {
    std::vector<FoundHookEvent> events;
    for (const HookEvent& event : found_) {
      const auto approval = state.approvals.find(event.asked);
      const bool asks = approval != state.approvals.end() &&
                        approval->second.asked == event.id &&
                        !approval->second.answered;
      if (IsQuestion(event) && !asks) continue;
      events.push_back(
          {.at = event.id,
           .time = event.time,
           .cwd = state.cwd,
           .told = DescribeHookEvent(task, event, state, redactor)});
    }
    return events;
  }

 private:
  const absl::Time after_;
  HookEventFinder finder_;
  std::vector<HookEvent> found_;
};

absl::StatusOr<LoadedTask> Load(const TaskFolder& folder,
                                const std::atomic<bool>& stop,
                                absl::Time news_after) {
  LoadedTask loaded = {.id = folder.id, .kind = LoadedTask::Kind::kAlive};
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(folder));
  if (!LogIsFree(folder)) return loaded;
  Replay replay;
  EventId last = kBeforeAll;
  HookNews news(news_after);
  const auto keep_last = [&](Message&& message) {
    last = message.id;
    news.OnMessage(message, replay.state());
  };
  ReplaySink sink(&replay, keep_last);
  int64_t read = 0;
  do {
    if (stop) return absl::CancelledError("the server ends");
    ASSIGN_OR_RETURN(read, reader.Read(sink, kAtOnce));
  } while (read > 0);
  const TaskState& state = replay.state();
  if (state.process_alive) return loaded;
  // A runner sends the inputs that wait.
  if (state.turns_waiting == 0 &&
      (NextInput(state) != nullptr || OwesGoOn(state))) {
    return loaded;
  }
  // So it writes the document that a server before us did not write.
  if (state.turns_waiting == 0 && DocumentIsDue(state)) return loaded;
  // A task that asks whether to go on is opened when that is answered.
  const bool waits = state.turns_waiting > 0 && !AsksForBudget(state);
  if (!waits) reader.Finish(sink);
  if (replay.request() == nullptr || !state.harness) {
    return absl::DataLossError(
        absl::StrCat("task ", folder.id, ": its log has no request"));
  }
  loaded.kind = waits ? LoadedTask::Kind::kWaiting : LoadedTask::Kind::kEnded;
  const TaskReading reading = {
      .state = &state,
      .request = replay.request(),
      .last_event_id = last == kBeforeAll ? "" : EventIdText(last),
      .log_bytes = reader.offset()};
  const Redactor redactor(
      TaskSecrets(folder.id, ReadEnvironment(folder), replay.request()));
  v1::Task task = DescribeTask(reading, redactor);
  task.set_id(folder.id);
  loaded.row = RowOf(reading, task);
  loaded.hook_events = news.Describe(folder.id, state, redactor);
  loaded.asked =
      state.turn_started.value_or(state.created.value_or(absl::UnixEpoch()));
  return loaded;
}

// Keeps the first line.
class HeadSink : public relay::LogSink {
 public:
  void OnRecord(const relay::LogRecord& record) override {
    if (ended) return;
    absl::StrAppend(&line, record.payload);
    ended = record.end != relay::LineEnd::kContinued ||
            line.size() > static_cast<size_t>(kMaxLineBytes);
  }
  void OnDamage(const relay::Damage&) override {}

  std::string line;
  bool ended = false;
};

}  // namespace

LoadedTask LoadTask(const Home& home, const std::string& id,
                    const std::atomic<bool>& stop, absl::Time news_after) {
  AssertMayBlock("reading a task's log");
  auto folder = home.OpenTask(id);
  absl::StatusOr<LoadedTask> loaded =
      folder.ok() ? Load(*folder, stop, news_after) : folder.status();
  if (loaded.ok()) return *std::move(loaded);
  absl::Status error = loaded.status();
  if (absl::IsNotFound(folder.status())) {
    error = absl::NotFoundError("its folder was removed");
  }
  return {.id = id,
          .kind = MayPass(error) ? LoadedTask::Kind::kUnreadable
                                 : LoadedTask::Kind::kLost,
          .error = std::move(error)};
}

std::optional<notes::Request> ReadRequest(const TaskFolder& folder) {
  auto reader = relay::LogReader::Open(folder.fd.get());
  if (!reader.ok()) return std::nullopt;
  HeadSink sink;
  while (!sink.ended) {
    const auto read = reader->Read(sink, kHead);
    if (!read.ok() || *read == 0) return std::nullopt;
  }
  auto note = notes::FromJson(sink.line);
  auto* const request =
      note.ok() ? std::get_if<notes::Request>(&*note) : nullptr;
  if (request == nullptr) return std::nullopt;
  return std::move(*request);
}

ProbedTask ProbeTask(const Home& home, const std::string& id) {
  AssertMayBlock("reading a task's log");
  ProbedTask probed = {.id = id};
  const auto folder = home.OpenTask(id);
  if (!folder.ok()) return probed;
  struct stat log = {};
  const bool there = fstatat(folder->fd.get(), relay::kLogName, &log, 0) == 0;
  probed.alive = there && !LogIsFree(*folder);
  if (!there) return probed;
  if (const auto request = ReadRequest(*folder)) {
    probed.idempotency_key = request->idempotency_key;
  }
  return probed;
}

bool HasFolder(const Home& home, const std::string& id) {
  struct stat info = {};
  return stat(home.TaskPath(id).c_str(), &info) == 0 || errno != ENOENT;
}

int64_t TaskBytes(const Home& home, const std::string& id) {
  AssertMayBlock("reading a task's folder");
  const std::string path = home.TaskPath(id);
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()),
                                                   closedir);
  if (folder == nullptr) return 0;
  int64_t bytes = 0;
  while (const dirent* const entry = readdir(folder.get())) {
    struct stat file = {};
    if (fstatat(dirfd(folder.get()), entry->d_name, &file,
                AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.st_mode)) {
      bytes += file.st_size;
    }
  }
  return bytes;
}

int64_t LogBytes(const Home& home, absl::string_view id) {
  struct stat info = {};
  const std::string path =
      absl::StrCat(home.TaskPath(id), "/", relay::kLogName);
  return stat(path.c_str(), &info) == 0 ? info.st_size : -1;
}

}  // namespace troika
