// Handlers of events: streams and pages of them, and the lines behind one.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "dto/troika.pb.h"
#include "server/log_lookup.h"
#include "server/routes.h"

namespace troika {
namespace {

constexpr int kDefaultPage = 200;
constexpr int kMaxPage = 5000;
constexpr absl::string_view kBytes = "application/octet-stream";
constexpr size_t kChunk = size_t{256} << 10;
// A page ends with the event that goes over it.
constexpr size_t kMaxBytes = size_t{4} << 20;

struct Page {
  std::vector<std::string> events;  // JSON.
  std::string last_id;
  bool more = false;
};

// Takes whole frames from the start of `text`, as many as the page has room
// for.
void TakeFrames(std::string* text, size_t page_size, size_t* bytes,
                Page* page) {
  absl::string_view rest = *text;
  while (page->events.size() < page_size && *bytes < kMaxBytes) {
    const size_t end = rest.find("\n\n");
    if (end == absl::string_view::npos) break;
    absl::string_view frame = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (!absl::ConsumePrefix(&frame, "id: ")) continue;
    const size_t line = frame.find("\ndata: ");
    if (line == absl::string_view::npos) continue;
    page->last_id = std::string(frame.substr(0, line));
    page->events.emplace_back(frame.substr(line + 7));
    *bytes += page->events.back().size();
  }
  text->erase(0, text->size() - rest.size());
}

absl::StatusOr<Page> ReadPage(const EventFile& file, const EventId& after,
                              size_t page_size) {
  const auto offset = file.After(after);
  if (!offset) {
    return absl::NotFoundError(absl::StrCat("no event ", EventIdText(after),
                                            ": begin again without `after`"));
  }
  Page page;
  std::string text;
  size_t bytes = 0;
  int64_t at = *offset;
  while (page.events.size() < page_size && bytes < kMaxBytes) {
    const auto n = file.Read(at, kChunk, &text);
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    at += static_cast<int64_t>(*n);
    TakeFrames(&text, page_size, &bytes, &page);
  }
  page.more = !page.last_id.empty() && page.last_id != EventIdText(file.last());
  return page;
}

absl::StatusOr<Reply> PageReply(const absl::StatusOr<Page>& page,
                                Encoding encoding) {
  RETURN_IF_ERROR(page.status());
  const std::string next = page->more ? page->last_id : "";
  if (encoding == Encoding::kJson) {
    return Reply::Json(absl::StrCat("{\"events\":[",
                                    absl::StrJoin(page->events, ","),
                                    "],\"nextPageToken\":\"", next, "\"}"));
  }
  v1::ListEventsResponse response;
  for (const std::string& event : page->events) {
    const absl::Status read =
        FromJson(event, response.add_events(), UnknownFields::kIgnore);
    if (!read.ok()) return absl::InternalError(read.message());
  }
  response.set_next_page_token(next);
  return response;
}

// A request for a task's events.
struct EventsQuery {
  ViewFrom from;
  int page_size = kDefaultPage;
  bool wants_stream = false;
  Encoding encoding = Encoding::kJson;
};

absl::StatusOr<EventsQuery> ReadQuery(const Call& call) {
  EventsQuery query = {.wants_stream = call.Accepts(kStreamType),
                       .encoding = call.encoding()};
  std::string after(call.request().Header("last-event-id"));
  if (after.empty()) after = call.Parameter("after");
  if (!after.empty()) {
    const auto id = ParseEventId(after);
    if (!id) {
      return absl::InvalidArgumentError(
          "after, or Last-Event-ID, is the id of an event, as \"12.0\"");
    }
    query.from.after = *id;
  }
  const std::string parser = call.Parameter("parser");
  if (!parser.empty() && parser != absl::StrCat(kParserVersion)) {
    query.from.reset = ViewFrom::Reset::kYes;
  }
  const std::string size = call.Parameter("page_size");
  if (!size.empty() && (!absl::SimpleAtoi(size, &query.page_size) ||
                        query.page_size < 1 || query.page_size > kMaxPage)) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxPage));
  }
  return query;
}

// Replies with the stream, or with a page once all events have been read.
void Show(const EventsQuery& query, std::shared_ptr<TaskStream> stream,
          ReplyCallback reply) {
  if (query.wants_stream) {
    return reply(Reply([from = query.from, stream](http::Waker waker) {
      return NewTaskView(stream, from, std::move(waker));
    }));
  }
  stream->WhenCaughtUp(
      [query, reply = std::move(reply)](TaskStream& stream) mutable {
        reply(PageReply(ReadPage(stream.file(), query.from.after,
                                 static_cast<size_t>(query.page_size)),
                        query.encoding));
      });
}

}  // namespace

absl::StatusOr<Deferred> TaskEvents(const ApiTools& api, const Call& call) {
  const absl::StatusOr<EventsQuery> query = ReadQuery(call);
  return WithTask(
      api, call, [&api, query](const std::string& id, ReplyCallback reply) {
        if (!query.ok()) return reply(query.status());
        api.tasks->open().GetStream(
            id,
            [query = *query, reply = std::move(reply)](
                absl::StatusOr<std::shared_ptr<TaskStream>> stream) mutable {
              if (!stream.ok()) return reply(stream.status());
              Show(query, *std::move(stream), std::move(reply));
            });
      });
}

absl::StatusOr<Deferred> AllEvents(const ApiTools& api, const Call& call) {
  return [&api, last = std::string(call.request().Header("last-event-id"))](
             ReplyCallback reply) {
    reply(Reply([&api, last](http::Waker waker) {
      return api.changes->NewView(last, std::move(waker));
    }));
  };
}

absl::StatusOr<Deferred> WholeEvent(const ApiTools& api, const Call& call) {
  const auto event = ParseEventId(call.arg(1));
  return WithTask(
      api, call,
      [&api, event, encoding = call.encoding()](const std::string& id,
                                                ReplyCallback reply) {
        if (!event) {
          return reply(absl::InvalidArgumentError(
              "an event's id has the form RECORD.INDEX, as \"12.0\""));
        }
        api.pools->log.RunFor<absl::StatusOr<Reply>>(
            [&api, id, event = *event, encoding]() -> absl::StatusOr<Reply> {
              ASSIGN_OR_RETURN(std::string found,
                               WholeEventOf(*api.home, id, event, encoding));
              return Reply(std::move(found), encoding == Encoding::kBinary
                                                 ? kBinaryType
                                                 : kJsonType);
            },
            std::move(reply));
      });
}

absl::StatusOr<Deferred> RawLine(const ApiTools& api, const Call& call) {
  int64_t record = 0;
  if (!absl::SimpleAtoi(call.arg(1), &record)) record = 0;
  const bool bytes = call.Accepts(kBytes);
  return WithTask(
      api, call,
      [&api, record, bytes](const std::string& id, ReplyCallback reply) {
        if (record < 1) {
          return reply(absl::InvalidArgumentError(
              "a record is a number from 1 on: an event's id begins with it"));
        }
        api.pools->log.RunFor<absl::StatusOr<Reply>>(
            [&api, id, record, bytes]() -> absl::StatusOr<Reply> {
              ASSIGN_OR_RETURN(
                  v1::RawRecord found,
                  RawRecordOf(*api.home, id, record,
                              bytes ? RawText::kAsItIs : RawText::kAsUtf8));
              if (!bytes) return found;
              return Reply(std::move(*found.mutable_text()), kBytes);
            },
            std::move(reply));
      });
}

}  // namespace troika
