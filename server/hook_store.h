// Remembers over restarts which events hooks are still to be told, and which
// they were told: the file hooks.v1 in the state folder.
//
// The file is a line of JSON for each change, appended before the change counts
// and read when the server starts. A line that was cut by a crash, or is no
// line of ours, is left out. The file is written again, with what still
// matters, when it has grown to several times that.
//
// For each task the last event that was noticed is kept as long as the task
// exists, so that a log that is read again brings no event twice. If the file
// is lost, hooks count as configured now: what happened before is not told, and
// what was still to be told is lost.
#ifndef TROIKA_SERVER_HOOK_STORE_H_
#define TROIKA_SERVER_HOOK_STORE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "base/fd.h"

namespace troika {

struct HookLine;  // A line of the file.

// At most this many deliveries wait. For one more, the oldest is given up.
inline constexpr size_t kMaxPendingHooks = 5000;
// So many of them may be of one task, so that an agent can't push out those of
// others.
inline constexpr size_t kMaxPendingOfTask = 500;
inline constexpr size_t kMaxGivenUpHooks = 100;
// A hook that is not in the configuration any more is forgotten after this
// time: editors remove and write files again.
inline constexpr absl::Duration kGoneHookPatience = absl::Minutes(1);

// An event that a hook is to be told of.
struct HookDelivery {
  std::string id;    // The event's id; the same at each attempt.
  std::string hook;  // Name of the hook.
  std::string task;
  std::string event;                        // asking, done, …
  std::shared_ptr<const std::string> body;  // JSON; several hooks share it.
  absl::Time noticed;
  absl::Time next;  // The next attempt.
  int attempts = 0;
  std::string error;  // Why the last attempt failed.
};

// An event that was found in the log of a task, with the hooks that want it.
struct NoticedHookEvent {
  std::string id;
  std::string task;
  EventId at;
  std::string event;
  std::vector<std::string> hooks;
  std::string body;
};

struct HookCounts {
  int64_t delivered = 0;
  int64_t failed = 0;  // Attempts.
  int64_t given_up = 0;
};

// Loop thread only, but for the constructor, which blocks.
class HookStore {
 public:
  using Key = std::pair<std::string, std::string>;  // Event and hook.

  // `exists` tells whether there is a task with that id; others are forgotten.
  HookStore(std::string path,
            absl::FunctionRef<bool(const std::string&)> exists);
  ~HookStore();

  // Takes over the hooks of the configuration, each with a text that changes if
  // it is to be told of other events than before. A hook that is new or changed
  // is told of what happens from `now` on. Those that are gone are kept for
  // ForgetGone().
  void SetHooks(const std::map<std::string, std::string>& hooks,
                absl::Time now);
  // Gives up deliveries to hooks that have been gone for kGoneHookPatience.
  void ForgetGone(absl::Time now);
  // The hooks with their texts, as they were taken over last.
  std::map<std::string, std::string> Filters() const;
  // Lets the next attempts for the hook be made now.
  void MakeDue(const std::string& hook, absl::Time now);
  // Since when the hook is told of events.
  absl::Time Since(const std::string& hook) const;

  bool IsNoticed(const std::string& task, const EventId& at) const;
  // All of them at once, or none: they are of one task, in the order of its
  // log.
  void Notice(const std::vector<NoticedHookEvent>& events, absl::Time now);
  void RecordFailure(const Key& key, absl::string_view error, absl::Time next);
  void RecordDelivery(const Key& key);
  void GiveUp(const Key& key, absl::string_view why);

  const std::map<Key, HookDelivery>& pending() const { return pending_; }
  // The last ones, the newest last.
  const std::deque<HookDelivery>& given_up() const { return given_up_; }
  // Counts of deliveries since the file was read, by hook.
  const std::map<std::string, HookCounts>& counts() const { return counts_; }
  // Why the file can't be read or written, or empty.
  const std::string& problem() const { return problem_; }
  // Writes what could not be written before.
  void Retry();
  // Descriptor of the file, to sync it, or -1.
  int fd() const { return file_.get(); }

 private:
  struct KnownHook {
    std::string filter;
    absl::Time since;
    std::optional<absl::Time> gone = std::nullopt;  // From the configuration.
  };

  // Returns false if there is no file.
  bool Load(absl::FunctionRef<bool(const std::string&)> exists);
  void Apply(HookLine line);
  // Applies the lines, and appends them to the file.
  void Add(std::vector<HookLine> lines);
  void Write(absl::string_view text);
  // Replaces the file by one that has only what matters.
  absl::Status Compact();
  std::string LiveText() const;
  // Gives up the oldest deliveries of the task, or of all if it is empty, that
  // are more than `most`.
  void GiveUpOldest(const std::string& task, size_t most);

  const std::string path_;
  UniqueFd file_;
  std::map<std::string, KnownHook> hooks_;
  std::map<std::string, EventId> noticed_;  // The last event, by task.
  std::map<Key, HookDelivery> pending_;
  std::deque<HookDelivery> given_up_;
  std::map<std::string, HookCounts> counts_;
  std::string unwritten_;
  std::string problem_;
  bool torn_ = true;  // The file may not end with a line's end.
  size_t size_ = 0;   // Bytes of the file.
  size_t compact_at_ = 0;
};

}  // namespace troika

#endif  // TROIKA_SERVER_HOOK_STORE_H_
