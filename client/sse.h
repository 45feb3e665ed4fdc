// Reads server-sent events, as the HTML standard has them; no I/O.
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
  std::string name;  // "message" where the stream gives none.
  std::string id;    // Its own; empty where it has none.
  std::string data;

  bool operator==(const SseEvent&) const = default;
};

// Bytes may come cut anywhere. Not thread-safe.
class SseParser {
 public:
  using Sink = absl::FunctionRef<void(SseEvent&&)>;

  // A line, and an event's data in all, may have as many bytes.
  static constexpr size_t kMaxBytes = size_t{32} << 20;

  explicit SseParser(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // Calls `sink` with each event that is complete. ResourceExhausted where a
  // line or an event is too long: the stream can't be read on.
  absl::Status Feed(absl::string_view bytes, Sink sink);

  // The connection ended: what was begun is dropped, as it comes again.
  void Restart();

  // To go on from, over all connections; empty: from the start.
  const std::string& last_id() const { return last_id_; }
  void set_last_id(absl::string_view id) { last_id_ = std::string(id); }

 private:
  void OnLine(Sink sink);
  void OnField(absl::string_view name, absl::string_view value);
  void Dispatch(Sink sink);

  const size_t max_bytes_;
  std::string line_;  // So far.
  bool after_cr_ = false;
  bool at_start_ = true;  // Of the stream, where a BOM may stand.
  SseEvent event_;        // So far.
  bool has_data_ = false;
  bool has_id_ = false;
  std::string last_id_;
};

}  // namespace troika::client

#endif  // TROIKA_CLIENT_SSE_H_
