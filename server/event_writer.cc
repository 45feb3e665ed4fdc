#include "server/event_writer.h"

#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "dto/json.h"

namespace troika {
namespace {

// Whether the event tells the course of the task, rather than what was said
// and done in it.
bool TellsCourse(const Payload& payload) {
  return std::holds_alternative<Init>(payload) ||
         std::holds_alternative<UserInput>(payload) ||
         std::holds_alternative<Receipt>(payload) ||
         std::holds_alternative<Approval>(payload) ||
         std::holds_alternative<Question>(payload) ||
         std::holds_alternative<Usage>(payload) ||
         std::holds_alternative<RateLimit>(payload) ||
         std::holds_alternative<Notice>(payload) ||
         std::holds_alternative<Result>(payload);
}

}  // namespace

void EventWriter::Add(const Message& message, const Redactor& redactor) {
  const EventSize size = MeasureEvent(message, limits_.text);
  if (!Admit(message, size.bytes)) return LeaveOut(message);
  EndGap();
  bytes_ += size.bytes;
  if (size.cut) return AddCut(message, redactor);
  file_.Add(message.id, [&](std::string* out) {
    const size_t from = out->size();
    AppendEventJson(message, task_id_, out);
    redactor.Redact(out, from);
  });
}

bool EventWriter::Admit(const Message& message, int64_t bytes) {
  full_ = full_ || bytes_ + bytes > limits_.bytes;
  if (!full_ || std::holds_alternative<Lifecycle>(message.payload)) return true;
  return TellsCourse(message.payload) &&
         bytes_ + bytes <= limits_.bytes + limits_.reserve;
}

void EventWriter::LeaveOut(const Message& message) {
  const bool first = last_left_out_ == EventId();
  last_left_out_ = message.id;
  last_time_ = message.time;
  ++left_out_;
  notice_is_last_ = first;
  if (!first) return;
  AddNotice(
      message.id, message.time,
      absl::StrCat("the events of this task have reached their limit of ",
                   limits_.bytes >> 20,
                   " MiB: from here on only turns, results, questions and "
                   "what became of the task are kept. `troika log ",
                   task_id_, "` prints everything"));
}

void EventWriter::EndGap() {
  const int64_t left_out = std::exchange(left_out_, 0);
  if (left_out == 0 || notice_is_last_) return;
  AddNotice(
      last_left_out_, last_time_,
      absl::StrCat(left_out, left_out == 1 ? " event was" : " events were",
                   " left out here: `troika log ", task_id_,
                   "` prints what the agent said"));
}

void EventWriter::AddNotice(const EventId& id,
                            const std::optional<absl::Time>& time,
                            std::string text) {
  file_.Add(id, [&](std::string* out) {
    AppendEventJson({.id = id,
                     .time = time,
                     .payload = Notice{.kind = Notice::Kind::kInfo,
                                       .text = std::move(text)}},
                    task_id_, out);
  });
}

void EventWriter::AddCut(const Message& message, const Redactor& redactor) {
  const bool wants_whole = file_.wants_whole(message.id);
  if (!wants_whole && message.id <= file_.last()) return;
  const int64_t size =
      MeasureEvent(message, std::numeric_limits<size_t>::max()).bytes;
  if (wants_whole && size <= static_cast<int64_t>(limits_.whole)) {
    std::string whole;
    AppendEventJson(message, task_id_, &whole);
    redactor.Redact(&whole, 0);
    file_.AddWhole(message.id, whole);
  }
  file_.Add(message.id, [&](std::string* out) {
    AppendEventJson(message, task_id_,
                    {.max_text = limits_.text, .redactor = &redactor}, out);
  });
}

}  // namespace troika
