// Turns a task's messages into the events of its cache: redacted, their long
// texts cut, and no more of them than the cache has room for.
//
// All messages of the log pass through it, in order, each time that the task is
// opened. What it does depends on them alone, so a cache that is made again has
// the same events under the same ids.
#ifndef TROIKA_SERVER_EVENT_WRITER_H_
#define TROIKA_SERVER_EVENT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "dto/redact.h"
#include "server/event_file.h"

namespace troika {

class EventWriter {
 public:
  struct Limits {
    // Longer texts are cut.
    size_t text = size_t{32} << 10;
    // About this much JSON is kept of a task's events. After that, only events
    // that tell the course of the task are: its turns and their results, what
    // it asks, and what became of it.
    int64_t bytes = int64_t{1} << 30;
    // Room for those events after `bytes`. Beyond it only Troika's own events
    // are kept.
    int64_t reserve = int64_t{64} << 20;
    // A whole event of more bytes than this is read from the log instead.
    // Redacting it holds the loop up.
    size_t whole = size_t{4} << 20;
  };

  // `file` is borrowed.
  EventWriter(std::string task_id, EventFile* file, const Limits& limits)
      : task_id_(std::move(task_id)), file_(*file), limits_(limits) {}

  void Add(const Message& message, const Redactor& redactor);

 private:
  // Whether the event is kept.
  bool Admit(const Message& message, int64_t bytes);
  void LeaveOut(const Message& message);
  // Says how many were left out, in place of the last of them.
  void EndGap();
  void AddNotice(const EventId& id, const std::optional<absl::Time>& time,
                 std::string text);
  void AddCut(const Message& message, const Redactor& redactor);

  const std::string task_id_;
  EventFile& file_;
  const Limits limits_;
  int64_t bytes_ = 0;  // About the JSON of the events that were kept.
  bool full_ = false;
  int64_t left_out_ = 0;  // Since the last event that was kept.
  EventId last_left_out_;
  std::optional<absl::Time> last_time_;
  bool notice_is_last_ = false;  // The notice of full_ has last_left_out_.
};

}  // namespace troika

#endif  // TROIKA_SERVER_EVENT_WRITER_H_
