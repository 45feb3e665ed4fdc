// What is found by reading all events of a task.
#ifndef TROIKA_SERVER_EVENT_SCAN_H_
#define TROIKA_SERVER_EVENT_SCAN_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"
#include "server/event_file.h"

namespace troika {

// Both block. Where each turn begins:
absl::StatusOr<v1::ListTurnsResponse> FindTurns(const EventSnapshot& events);
// The first `limit` events one of whose strings contains `text`, which is not
// empty. ASCII letters match in either case. Deltas are passed over, because
// the message that they make up follows.
absl::StatusOr<v1::SearchEventsResponse> SearchEvents(
    const EventSnapshot& events, absl::string_view text, size_t limit);

}  // namespace troika

#endif  // TROIKA_SERVER_EVENT_SCAN_H_
