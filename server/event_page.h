// Pages of a task's events, forwards and backwards.
#ifndef TROIKA_SERVER_EVENT_PAGE_H_
#define TROIKA_SERVER_EVENT_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "server/call.h"
#include "server/event_file.h"

namespace troika {

struct EventPage {
  std::vector<std::string> events;  // JSON.
  std::string next;                 // The token of the page after it, or empty.
  std::string previous;       // The token of the page before it, or empty.
  std::string last_event_id;  // That of the task.
  int64_t offset = 0;         // Bytes of events before the page.
  int64_t size = 0;           // Bytes of all events.
};

// `before` of the page that has the last events.
inline constexpr absl::string_view kBeforeEnd = "end";

// The first events after `after`. NotFound if there is no such event. A page
// ends early if its events are large.
absl::StatusOr<EventPage> ReadPageAfter(const EventFile& file,
                                        const EventId& after, size_t page_size);
// The last events before `before`: kBeforeEnd, an event's id, or the token of a
// page. NotFound if there is no such event, InvalidArgument if it is neither.
absl::StatusOr<EventPage> ReadPageBefore(const EventFile& file,
                                         absl::string_view before,
                                         size_t page_size);

absl::StatusOr<Reply> EventPageReply(const absl::StatusOr<EventPage>& page,
                                     Encoding encoding);

}  // namespace troika

#endif  // TROIKA_SERVER_EVENT_PAGE_H_
