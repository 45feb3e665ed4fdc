// Handlers of events: streams and pages of them, and the lines behind one.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "dto/troika.pb.h"
#include "server/event_page.h"
#include "server/log_lookup.h"
#include "server/routes.h"

namespace troika {
namespace {

constexpr int kDefaultPage = 200;
constexpr int kMaxPage = 5000;
constexpr absl::string_view kBytes = "application/octet-stream";
// A request for a task's events.
struct EventsQuery {
  ViewFrom from;
  std::string before;  // Not empty: the page ends before it.
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
  query.before = call.Parameter("before");
  if (!query.before.empty() && (!after.empty() || query.wants_stream)) {
    return absl::InvalidArgumentError(
        "before is for pages, and goes without after");
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
        const auto size = static_cast<size_t>(query.page_size);
        reply(EventPageReply(
            query.before.empty()
                ? ReadPageAfter(stream.file(), query.from.after, size)
                : ReadPageBefore(stream.file(), query.before, size),
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
