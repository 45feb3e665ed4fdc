// The events of a task, encoded once: `events.v1` beside its log has all of
// them, and `whole.v1` those whose texts are cut in the first one.
//
// The file is a recorded stream of server-sent events, so that what a viewer
// gets is a copy of its bytes, and a slow viewer is an offset. It is a cache: a
// file of another parser, of another boot (because nothing in it is synced) or
// of another task is begun again, as is one that has NUL bytes or more events
// than the log, which somebody has cut; a torn end is cut off.
//
//   : troika events.v1 parser=1 boot=… task=…
//
//   id: 3.0
//   data: {"id":"3.0",…}
//
//   : log 1234
//
// The last form says that all events of the log's first 1234 bytes stand above.
// `whole.v1` has the same format, and is created with its first event.
#ifndef TROIKA_SERVER_EVENT_FILE_H_
#define TROIKA_SERVER_EVENT_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "base/fd.h"

namespace troika {

// Raise this whenever the same log gives other messages, or the same messages
// other events: ids that viewers remember are then no longer valid.
inline constexpr int kParserVersion = 6;

// The name of the file in the task's folder.
inline constexpr char kEventsName[] = "events.v1";

// An id less than that of any event.
inline constexpr EventId kBeforeAll = {.record = 0, .index = -1};

// The events that a file had at one moment, to be read on another thread.
struct EventSnapshot {
  UniqueFd fd;
  int64_t begin = 0;
  int64_t size = 0;     // Bytes in the file.
  std::string pending;  // Bytes that were not written yet.

  // Calls `each` with the id and the JSON of each event, in their order, until
  // it returns false. Blocks.
  absl::Status ForEach(
      absl::FunctionRef<bool(absl::string_view id, absl::string_view json)>
          each) const;
};

// Cuts the first frame from `text`. Returns false if there is no whole one.
// `id` is empty if the frame is a comment.
bool TakeEventFrame(absl::string_view* text, absl::string_view* id,
                    absl::string_view* json);

class EventFile {
 public:
  // `folder_fd` is the task's, borrowed for the call.
  static absl::StatusOr<std::unique_ptr<EventFile>> Open(
      int folder_fd, absl::string_view task_id);
  // The file of a task that was just made and has none. The first Flush()
  // creates it. `folder_fd` is borrowed for the call.
  static std::unique_ptr<EventFile> New(int folder_fd,
                                        absl::string_view task_id);

  // The JSON of one event from a file that another process or thread may be
  // writing: from `whole.v1`, or else from `events.v1`. Nullopt if neither has
  // it, or they are not of this parser and boot.
  static std::optional<std::string> ReadEvent(int folder_fd,
                                              absl::string_view task_id,
                                              const EventId& id);

  // Adds an event, which can be read at once and is written by Flush(). Ignores
  // an event whose id is not greater than last(), without a call of
  // `append_data`.
  template <typename Data>
  void Add(const EventId& id, Data&& append_data) {
    if (id <= last_) return;
    last_ = id;
    BeginFrame(id);
    append_data(&pending_);
    pending_.append("\n\n");
  }
  // Adds the whole form of an event that is cut in this file, if wants_whole().
  // If the disk is full, it may be left out.
  bool wants_whole(const EventId& id) const {
    return !whole_ || whole_->last_ < id;
  }
  void AddWhole(const EventId& id, absl::string_view json);
  // Notes that all events of that much of the log have been added.
  void AddLogBytes(int64_t log_bytes);
  // Writes the events that were added. Bytes that a full disk does not take are
  // kept for the next call.
  absl::Status Flush();

  // Id of the last event, or kBeforeAll if the file is empty.
  const EventId& last() const { return last_; }
  // How many bytes can be read: always whole frames.
  int64_t size() const { return size_ + static_cast<int64_t>(pending_.size()); }
  size_t pending_bytes() const { return pending_.size(); }
  // The last value of AddLogBytes(), or -1 if events were added after it.
  int64_t log_bytes() const { return log_bytes_; }

  // Offset of the first event.
  int64_t begin() const { return begin_; }
  // Offset of the events after `id`, or nothing if there is no such event.
  std::optional<int64_t> After(const EventId& id) const;
  // Offset of that event, or nothing if there is none.
  std::optional<int64_t> OffsetOf(const EventId& id) const;
  // Id of the event at that offset.
  std::optional<EventId> IdAtOffset(int64_t offset) const;
  // Offset of the first of the last `count` events before `end`, which is the
  // offset of an event or size(). Fewer if they have more than `max_bytes`, but
  // at least one; begin() if there are no more.
  absl::StatusOr<int64_t> Back(int64_t end, size_t count,
                               size_t max_bytes) const;
  // Appends bytes from `offset` on, at most `room` and up to size(). DataLoss
  // if they hold a NUL, which no event does; the file is then made again when
  // it is opened next.
  absl::StatusOr<size_t> Read(int64_t offset, size_t room,
                              std::string* out) const;
  absl::StatusOr<EventSnapshot> Snapshot() const;

 private:
  EventFile(UniqueFd fd, std::string head)
      : fd_(std::move(fd)), head_(std::move(head)) {}

  static absl::StatusOr<std::unique_ptr<EventFile>> OpenNamed(
      int folder_fd, const char* name, absl::string_view task_id, int flags);
  static std::optional<std::string> ReadFrom(int folder_fd, const char* name,
                                             absl::string_view task_id,
                                             const EventId& id);
  struct Frame {
    EventId id;
    int64_t offset = 0;
  };

  absl::Status Begin();
  absl::Status Create();
  bool LoadEnd(int64_t file_size);
  // Whether nothing in the file is a NUL, as far as that can be told without
  // reading much.
  bool IsText(int64_t file_size) const;
  // Whether the log in that folder has less than what stands here.
  bool IsAheadOfLog(int folder_fd) const;
  void BeginFrame(const EventId& id);
  // The first frame of an event in [offset, end).
  std::optional<Frame> NextFrame(int64_t offset, int64_t end) const;
  std::optional<Frame> Find(const EventId& id) const;

  UniqueFd fd_;
  const std::string head_;
  EventId last_ = kBeforeAll;
  int64_t begin_ = 0;
  int64_t size_ = 0;  // Bytes in the file.
  int64_t log_bytes_ = -1;
  // The value of the last AddLogBytes() that was found at the end of the file,
  // also if events follow it; 0 if there is none.
  int64_t covered_ = 0;
  std::string pending_;
  // Only `events.v1` has one, which is null until there is a whole event. The
  // folder is kept open to create it.
  std::unique_ptr<EventFile> whole_;
  UniqueFd folder_;
  std::string task_id_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_EVENT_FILE_H_
