#include "server/log_lookup.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/json.h"
#include "dto/proto_fields.h"
#include "dto/proto_json.h"
#include "dto/redact.h"
#include "relay/log_reader.h"
#include "relay/log_search.h"
#include "server/event_file.h"
#include "server/load_task.h"
#include "server/secrets.h"
#include "task/follower.h"
#include "task/replay.h"

namespace troika {
namespace {

constexpr int64_t kAtOnce = int64_t{4} << 20;
// A step of a reader that expects to find what it wants at once.
constexpr int64_t kNear = 1;
constexpr size_t kMaxRaw = static_cast<size_t>(kMaxLineBytes);
constexpr absl::string_view kStreams[] = {"out", "err", "in", "note"};

// Looks for one record, keeping the parts of its line that come before it.
class RawSink : public relay::LogSink {
 public:
  explicit RawSink(int64_t wanted) : wanted_(wanted) {}

  void OnRecord(const relay::LogRecord& record) override {
    passed_ = passed_ || record.number >= wanted_;
    if (record.number > wanted_) return;
    const auto stream = static_cast<size_t>(record.stream);
    const bool continued = record.end == relay::LineEnd::kContinued;
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
      *found_->mutable_time() = ToProto(absl::FromUnixMicros(record.micros));
      found_->set_text(line);
      // Parts of notes and of input follow each other without a gap.
      const bool adjoins = record.stream == relay::Stream::kNote ||
                           record.stream == relay::Stream::kStdin;
      begins_ = ends_seen_[stream] ||
                (adjoins && last_ != record.stream && last_.has_value());
    }
    if (!continued) line.clear();
    ends_seen_[stream] = ends_seen_[stream] || !continued;
    last_ = record.stream;
  }
  void OnDamage(const relay::Damage&) override {}

  bool too_long() const { return too_long_; }
  // The wanted record has come, or a later one.
  bool passed() const { return passed_; }
  // Whether the found line is known to begin where the text does.
  bool begins() const { return begins_; }
  std::optional<v1::RawRecord>& found() { return found_; }

 private:
  const int64_t wanted_;
  std::array<std::string, 4> lines_;
  std::array<bool, 4> ends_seen_ = {};
  std::optional<relay::Stream> last_;  // Stream of the record before.
  std::optional<v1::RawRecord> found_;
  bool too_long_ = false;
  bool passed_ = false;
  bool begins_ = false;
};

// Reads from `offset` on until the sink's record has come.
absl::Status ReadRaw(const TaskFolder& folder, int64_t offset, RawSink& sink) {
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(folder));
  reader.SkipTo(offset);
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(sink, offset == 0 ? kAtOnce : kNear));
  } while (read > 0 && !sink.passed());
  return absl::OkStatus();
}

// The record with the whole line that it ends or continues. Starts near it and
// goes back further only if its line may have begun before.
absl::StatusOr<RawSink> FindRaw(const TaskFolder& folder, int64_t record) {
  ASSIGN_OR_RETURN(const relay::LogReader log, OpenLog(folder));
  for (int64_t back = 1;; back *= 4) {
    const int64_t from = std::max<int64_t>(record - back, 1);
    ASSIGN_OR_RETURN(const int64_t offset, relay::FindRecord(log.fd(), from));
    RawSink near(record);
    RETURN_IF_ERROR(ReadRaw(folder, offset, near));
    const bool from_start = offset == 0 || from == 1;
    if (near.found() && (near.begins() || from_start)) return near;
    if (offset == 0) return near;
    // A log whose numbers don't rise is read as a whole.
    if (!near.found() || from_start) {
      RawSink whole(record);
      RETURN_IF_ERROR(ReadRaw(folder, 0, whole));
      return whole;
    }
  }
}

Redactor RedactorOf(const TaskFolder& folder) {
  const auto request = ReadRequest(folder);
  return Redactor(TaskSecrets(folder.id, ReadEnvironment(folder),
                              request ? &*request : nullptr));
}

// The event as the cache has it, if it has it whole.
std::optional<std::string> CachedEvent(const TaskFolder& folder,
                                       const EventId& event,
                                       Encoding encoding) {
  std::optional<std::string> json =
      EventFile::ReadEvent(folder.fd.get(), folder.id, event);
  if (!json) return std::nullopt;
  json::Parser parser;
  const auto value = parser.Parse(*json);
  if (!value.ok() || value->Get("cut").exists()) return std::nullopt;
  if (encoding == Encoding::kJson) return json;
  v1::Event whole;
  if (!FromJson(*json, &whole, UnknownFields::kIgnore).ok()) {
    return std::nullopt;
  }
  return whole.SerializeAsString();
}

}  // namespace

absl::StatusOr<std::string> WholeEventOf(const Home& home,
                                         const std::string& task,
                                         const EventId& event,
                                         Encoding encoding) {
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(task));
  if (auto cached = CachedEvent(folder, event, encoding)) {
    return *std::move(cached);
  }
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
  const Redactor redactor(
      TaskSecrets(folder.id, ReadEnvironment(folder), replay.request()));
  if (encoding == Encoding::kBinary) {
    v1::Event whole = ToEvent(*found, task);
    RedactTexts(redactor, &whole);
    return whole.SerializeAsString();
  }
  std::string json;
  AppendEventJson(*found, task, &json);
  redactor.Redact(&json, 0);
  return json;
}

absl::StatusOr<v1::RawRecord> RawRecordOf(const Home& home,
                                          const std::string& task,
                                          int64_t record, RawText text) {
  ASSIGN_OR_RETURN(const TaskFolder folder, home.OpenTask(task));
  ASSIGN_OR_RETURN(RawSink sink, FindRaw(folder, record));
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
  RedactorOf(folder).RedactPlain(raw.mutable_text());
  if (text == RawText::kAsUtf8) {
    *raw.mutable_text() = json::ToValidUtf8(raw.text());
  }
  return raw;
}

}  // namespace troika
