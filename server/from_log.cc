#include "server/from_log.h"

#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/event.h"
#include "dto/json.h"
#include "dto/redact.h"
#include "relay/log_reader.h"
#include "server/event_file.h"
#include "server/secrets.h"
#include "task/follower.h"
#include "task/notes.h"
#include "task/replay.h"
#include "task/replay_sink.h"

namespace troika {
namespace {

constexpr int64_t kAtOnce = int64_t{4} << 20;
constexpr size_t kMaxRaw = static_cast<size_t>(kMaxLineBytes);
constexpr absl::string_view kStreams[] = {"out", "err", "in", "note"};

// Looks for one record, keeping what leads to it.
class RawSink : public relay::LogSink {
 public:
  explicit RawSink(int64_t wanted) : wanted_(wanted) {}

  void OnRecord(const relay::LogRecord& record) override {
    if (record.number > wanted_) return;
    if (record.number == 1) first_ = std::string(record.payload);
    const auto stream = static_cast<size_t>(record.stream);
    std::string& line = lines_[stream];
    if (line.size() + record.payload.size() <= kMaxRaw) {
      absl::StrAppend(&line, record.payload);
    } else {
      too_long_ = record.number == wanted_;
    }
    if (record.number == wanted_) {
      found_.emplace();
      found_->set_record(record.number);
      found_->set_stream(std::string(kStreams[stream]));
      found_->mutable_time()->set_seconds(record.micros / 1000000);
      found_->mutable_time()->set_nanos(
          static_cast<int32_t>(record.micros % 1000000 * 1000));
      found_->set_text(line);
    }
    if (record.end != relay::LineEnd::kContinued) line.clear();
  }
  void OnDamage(const relay::Damage&) override {}

  bool too_long() const { return too_long_; }
  // The log's first record, which is the request.
  const std::string& first() const { return first_; }
  std::optional<v1::RawRecord>& found() { return found_; }

 private:
  const int64_t wanted_;
  std::string first_;
  std::array<std::string, 4> lines_;
  std::optional<v1::RawRecord> found_;
  bool too_long_ = false;
};

}  // namespace

absl::StatusOr<EventBytes> WholeEventOf(const Home& home,
                                        const std::string& task,
                                        const EventId& event,
                                        EventBytes::Encoding encoding) {
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(task));
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(folder));
  Replay replay;
  std::optional<Message> found;
  bool passed = false;
  // The sink borrows it.
  const auto look = [&](Message&& message) {
    passed = passed || message.id > event;
    if (message.id == event) found = std::move(message);
  };
  ReplaySink sink(&replay, look);
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(sink, kAtOnce));
  } while (read > 0 && !found && !passed);
  if (!found && !passed && LogIsFree(folder)) reader.Finish(sink);
  if (!found) {
    return absl::NotFoundError(
        absl::StrCat("task ", task, " has no event ", EventIdText(event)));
  }
  const Redactor redactor(TaskSecrets(folder, replay.request()));
  EventBytes bytes;
  if (encoding == EventBytes::Encoding::kBinary) {
    v1::Event whole = ToEvent(*found, task);
    RedactTexts(redactor, &whole);
    bytes.bytes = whole.SerializeAsString();
    bytes.content_type = "application/x-protobuf";
    return bytes;
  }
  AppendEventJson(*found, task, &bytes.bytes);
  redactor.Redact(&bytes.bytes, 0);
  bytes.content_type = "application/json";
  return bytes;
}

absl::StatusOr<v1::RawRecord> RawRecordOf(const Home& home,
                                          const std::string& task,
                                          int64_t record, RawText text) {
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(task));
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(folder));
  RawSink sink(record);
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(sink, kAtOnce));
  } while (read > 0 && !sink.found());
  if (!sink.found()) {
    return absl::NotFoundError(
        absl::StrCat("task ", task, " has no record ", record));
  }
  if (sink.too_long()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the line of record ", record,
                     " is over 16 MiB: `troika log --raw` prints it"));
  }
  v1::RawRecord raw = *std::move(sink.found());
  const auto first = notes::FromJson(sink.first());
  const auto* const request =
      first.ok() ? std::get_if<notes::Request>(&*first) : nullptr;
  const Redactor redactor(TaskSecrets(folder, request));
  redactor.RedactPlain(raw.mutable_text());
  if (text == RawText::kAsUtf8) {
    *raw.mutable_text() = json::ToValidUtf8(raw.text());
  }
  return raw;
}

}  // namespace troika
