// Lines of one batch that no protocol can read, on their way to a message.
#ifndef TROIKA_TASK_LINE_RUN_H_
#define TROIKA_TASK_LINE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "agent/protocol.h"
#include "relay/record.h"

namespace troika {

// A flood of tiny lines must not give a message for each of them. Consecutive
// lines of a batch become one Raw, and its id has the record of the last of
// them. Few lines stay as they are, a message each.
class LineRun {
 public:
  // Fewer lines than this have messages of their own.
  static constexpr size_t kMinLines = 8;

  // The message that the run became: its payload and its record.
  struct Told {
    int64_t record = 0;
    Payload payload;
  };

  bool empty() const { return lines_ == 0; }
  relay::Stream stream() const { return stream_; }
  const std::optional<absl::Time>& time() const { return time_; }
  // Whether the next line needs no payload of its own.
  bool is_long() const { return alone_.size() >= kMinLines; }

  // Adds a line that follows on the last one. `alone` is what it would be by
  // itself, and may be left out if is_long(). `reason` of the first counts.
  void Add(relay::Stream stream, const Record& line,
           std::optional<Payload> alone, absl::string_view reason);
  // Adds a blank line, which has no message, if there is a run to add it to.
  void AddBlank(const Record& line);

  // Ends the run.
  std::vector<Told> Take();

 private:
  void Append(const Record& line);

  relay::Stream stream_ = relay::Stream::kStdout;
  std::optional<absl::Time> time_;
  std::vector<Told> alone_;  // The first kMinLines.
  std::string text_;
  std::string reason_;
  int32_t lines_ = 0;
  int64_t first_record_ = 0;
  int64_t last_record_ = 0;
  int64_t offset_ = 0;
};

}  // namespace troika

#endif  // TROIKA_TASK_LINE_RUN_H_
