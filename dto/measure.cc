#include "dto/measure.h"

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "dto/describe.h"

namespace troika {
namespace {

// Adds up the fields of an event (dto/describe.h).
class MeasuringSink {
 public:
  explicit MeasuringSink(size_t max_text) : max_text_(max_text) {}

  const EventSize& size() const { return size_; }

  void String(int, absl::string_view name, absl::string_view value) {
    Add(name, 3);
    AddText(value);
  }
  void Json(int number, absl::string_view name, absl::string_view json) {
    String(number, name, json);
  }
  void Strings(int, absl::string_view name,
               const std::vector<std::string>& values) {
    Add(name, 3);
    for (const std::string& value : values) AddText(value);
  }
  void Bool(int, absl::string_view name, bool) { Add(name, 5); }
  void Int32(int, absl::string_view name, int32_t) { Add(name, 5); }
  void SetInt32(int, absl::string_view name, int32_t) { Add(name, 5); }
  void Int64(int, absl::string_view name, int64_t) { Add(name, 10); }
  void Double(int, absl::string_view name, double) { Add(name, 10); }
  void SetDouble(int, absl::string_view name, double) { Add(name, 10); }
  void Enum(int, absl::string_view name, int, absl::string_view spelling) {
    Add(name, spelling.size());
  }
  void Time(int, absl::string_view name, absl::Time) { Add(name, 30); }
  void Duration(int, absl::string_view name, absl::Duration) { Add(name, 10); }
  template <typename Body>
  void Message(int, absl::string_view name, const Body& body) {
    in_payload_ = true;  // The first one is the payload; its ids come before.
    Add(name, 3);
    body();
  }
  template <typename Body>
  void SetMessage(int number, absl::string_view name, const Body& body) {
    Message(number, name, body);
  }
  template <typename Items, typename Body>
  void Messages(int, absl::string_view name, const Items& items,
                const Body& body) {
    Add(name, 3);
    for (const auto& item : items) body(item);
  }

 private:
  void Add(absl::string_view name, size_t value) {
    size_.bytes += static_cast<int64_t>(name.size() + value + 4);
  }
  void AddText(absl::string_view text) {
    const bool cut = in_payload_ && text.size() > max_text_;
    size_.cut |= cut;
    size_.bytes += static_cast<int64_t>(cut ? max_text_ : text.size()) + 3;
  }

  const size_t max_text_;
  bool in_payload_ = false;
  EventSize size_;
};

}  // namespace

EventSize MeasureEvent(const Message& message, size_t max_text) {
  MeasuringSink sink(max_text);
  DescribeEvent(message, "", sink);
  return sink.size();
}

}  // namespace troika
