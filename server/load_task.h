// Reads a task from its log for the index, without opening it.
#ifndef TROIKA_SERVER_LOAD_TASK_H_
#define TROIKA_SERVER_LOAD_TASK_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/hook_sink.h"
#include "store/task_store.h"
#include "task/home.h"
#include "task/notes.h"

namespace troika {

struct LoadedTask {
  enum class Kind {
    kEnded,
    kWaiting,     // A turn waits for a process.
    kAlive,       // A process is alive, or has vanished: to be opened.
    kLost,        // The folder or the log is gone, or broken for good.
    kUnreadable,  // It can't be read now.
  };
  std::string id;
  Kind kind = Kind::kUnreadable;
  TaskRow row;       // For kEnded and kWaiting.
  absl::Time asked;  // When the waiting turn was asked for.
  // Events that hooks may have to be told, for kEnded and kWaiting.
  std::vector<FoundHookEvent> hook_events;
  absl::Status error;  // For kLost and kUnreadable.
};

// Reads all of the log, by the same code as live (task/replay.h), and writes
// nothing. Finds events that hooks may have to be told, from `news_after` on.
// Blocks; a log may be long, and is given up when `stop` is set.
LoadedTask LoadTask(const Home& home, const std::string& id,
                    const std::atomic<bool>& stop,
                    absl::Time news_after = absl::InfiniteFuture());

// The request, which is the log's first line. Nothing if it can't be read.
// Blocks for the time of a small read.
std::optional<notes::Request> ReadRequest(const TaskFolder& folder);

// A task as its log's lock and first record describe it.
struct ProbedTask {
  std::string id;
  bool alive = false;  // Somebody has the log's lock.
  std::string idempotency_key;
};
ProbedTask ProbeTask(const Home& home, const std::string& id);

// Whether the task has a folder, readable or not.
bool HasFolder(const Home& home, const std::string& id);
// Bytes of all files in the task's folder, or 0 if there is none.
int64_t TaskBytes(const Home& home, const std::string& id);
// Bytes of the task's log, or -1 if there is none or it can't be seen.
int64_t LogBytes(const Home& home, absl::string_view id);

}  // namespace troika

#endif  // TROIKA_SERVER_LOAD_TASK_H_
