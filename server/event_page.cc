#include "server/event_page.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "dto/troika.pb.h"

namespace troika {
namespace {

constexpr size_t kChunk = size_t{256} << 10;
// A page ends with the event that goes over it.
constexpr size_t kMaxBytes = size_t{4} << 20;

// Reads events of [from, to) until the page is full. Returns the id of the last
// one.
absl::StatusOr<std::string> ReadEvents(const EventFile& file, int64_t from,
                                       int64_t to, size_t page_size,
                                       EventPage* page) {
  std::string text;
  std::string last;
  size_t bytes = 0;
  page->offset = from - file.begin();
  page->size = file.size() - file.begin();
  page->last_event_id =
      file.last() == kBeforeAll ? "" : EventIdText(file.last());
  while (from < to && page->events.size() < page_size && bytes < kMaxBytes) {
    const auto room = std::min(kChunk, static_cast<size_t>(to - from));
    ASSIGN_OR_RETURN(const size_t n, file.Read(from, room, &text));
    if (n == 0) break;
    from += static_cast<int64_t>(n);
    absl::string_view rest = text;
    absl::string_view id;
    absl::string_view json;
    while (page->events.size() < page_size && bytes < kMaxBytes &&
           TakeEventFrame(&rest, &id, &json)) {
      if (id.empty()) continue;
      last = std::string(id);
      page->events.emplace_back(json);
      bytes += json.size();
    }
    text.erase(0, text.size() - rest.size());
  }
  return last;
}

absl::Status NoEvent(absl::string_view id, absl::string_view parameter) {
  return absl::NotFoundError(
      absl::StrCat("no event ", id, ": begin again without `", parameter, "`"));
}

}  // namespace

absl::StatusOr<EventPage> ReadPageAfter(const EventFile& file,
                                        const EventId& after,
                                        size_t page_size) {
  const auto offset = file.After(after);
  if (!offset) return NoEvent(EventIdText(after), "after");
  EventPage page;
  ASSIGN_OR_RETURN(const std::string last,
                   ReadEvents(file, *offset, file.size(), page_size, &page));
  if (!last.empty() && last != page.last_event_id) page.next = last;
  return page;
}

absl::StatusOr<EventPage> ReadPageBefore(const EventFile& file,
                                         absl::string_view before,
                                         size_t page_size) {
  int64_t end = file.size();
  if (before != kBeforeEnd) {
    const auto id = ParseEventId(before);
    if (!id) {
      return absl::InvalidArgumentError(
          "before is the id of an event, as \"12.0\", previousPageToken of a "
          "page, or end");
    }
    const auto offset = file.OffsetOf(*id);
    if (!offset) return NoEvent(before, "before");
    end = *offset;
  }
  ASSIGN_OR_RETURN(const int64_t start, file.Back(end, page_size, kMaxBytes));
  EventPage page;
  ASSIGN_OR_RETURN(const std::string last,
                   ReadEvents(file, start, end, page_size, &page));
  if (start > file.begin()) {
    const auto first = file.IdAtOffset(start);
    if (!first) return absl::UnavailableError("the events can't be read");
    page.previous = EventIdText(*first);
  }
  if (!last.empty() && last != page.last_event_id) page.next = last;
  return page;
}

absl::StatusOr<Reply> EventPageReply(const absl::StatusOr<EventPage>& page,
                                     Encoding encoding) {
  RETURN_IF_ERROR(page.status());
  if (encoding == Encoding::kJson) {
    return Reply::Json(absl::StrCat(
        "{\"events\":[", absl::StrJoin(page->events, ","),
        "],\"nextPageToken\":\"", page->next, "\",\"previousPageToken\":\"",
        page->previous, "\",\"parser\":", kParserVersion, ",\"lastEventId\":\"",
        page->last_event_id, "\",\"offsetBytes\":\"", page->offset,
        "\",\"sizeBytes\":\"", page->size, "\"}"));
  }
  v1::ListEventsResponse response;
  for (const std::string& event : page->events) {
    const absl::Status read =
        FromJson(event, response.add_events(), UnknownFields::kIgnore);
    if (!read.ok()) return absl::InternalError(read.message());
  }
  response.set_next_page_token(page->next);
  response.set_previous_page_token(page->previous);
  response.set_parser(kParserVersion);
  response.set_last_event_id(page->last_event_id);
  response.set_offset_bytes(page->offset);
  response.set_size_bytes(page->size);
  return response;
}

}  // namespace troika
