// Parses server-sent events as the HTML standard defines them; no I/O.
//
//   SseParser parser;
//   parser.Feed("id: 3.0\ndata: {}\n\n", [](SseEvent&& event) { … });
#ifndef TROIKA_CLIENT_SSE_H_
#define TROIKA_CLIENT_SSE_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace troika::client {

struct SseEvent {
  std::string name;  // "message" if the stream gives none.
  std::string id;    // Empty if the event has none of its own.
  std::string data;

  bool operator==(const SseEvent&) const = default;
};

// Bytes may come cut anywhere. Not thread-safe.
class SseParser {
 public:
  using Sink = absl::FunctionRef<void(SseEvent&&)>;

  // Limit for a line, and for the data of an event.
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  explicit SseParser(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Calls `sink` with each complete event. ResourceExhausted if a line or an
  // event is too long; the rest of the stream can't be read then.
  absl::Status Feed(absl::string_view bytes, Sink sink);

  // Drops an incomplete event after the connection ended: it will come again.
  void Restart();

  // Id of the last event over all connections, to continue after; or empty.
  const std::string& last_id() const { return last_id_; }
  void set_last_id(absl::string_view id) { last_id_ = std::string(id); }

 private:
  void OnLine(Sink sink);
  void OnField(absl::string_view name, absl::string_view value);
  void Dispatch(Sink sink);

  const size_t max_bytes_;
  std::string line_;  // The incomplete line.
  bool after_cr_ = false;
  bool at_start_ = true;  // A BOM may come.
  SseEvent event_;        // The incomplete event.
  bool has_data_ = false;
  bool has_id_ = false;
  std::string last_id_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_SSE_H_
