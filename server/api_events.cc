// The routes that show what happens: streams and pages of events, and what
// stands behind one.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "dto/troika.pb.h"
#include "server/api.h"
#include "server/event_page.h"
#include "server/from_log.h"

namespace troika {
namespace {

constexpr absl::string_view kStreamType = "text/event-stream";
constexpr int kDefaultPage = 200;
constexpr int kMaxPage = 5000;

http::Response StreamHead() {
  return {.content_type = std::string(kStreamType),
          .headers = {{"X-Accel-Buffering", "no"}}};
}

// Where a viewer wants to begin. InvalidArgument where it says nonsense.
absl::StatusOr<ViewFrom> ReadFrom(const Call& call) {
  ViewFrom from;
  std::string after(call.request().Header("last-event-id"));
  if (after.empty()) after = call.Parameter("after");
  if (!after.empty()) {
    const auto id = ParseEventId(after);
    if (!id) {
      return absl::InvalidArgumentError(
          "after, or Last-Event-ID, is the id of an event, as \"12.0\"");
    }
    from.after = *id;
  }
  const std::string parser = call.Parameter("parser");
  if (!parser.empty() && parser != absl::StrCat(kParserVersion)) {
    from.reset = ViewFrom::Reset::kYes;
  }
  return from;
}

absl::StatusOr<int> ReadPageSize(const Call& call) {
  const std::string text = call.Parameter("page_size");
  int size = kDefaultPage;
  if (!text.empty() &&
      (!absl::SimpleAtoi(text, &size) || size < 1 || size > kMaxPage)) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxPage));
  }
  return size;
}

}  // namespace

void Api::TaskEvents(Call call) {
  WithTask(std::move(call), [this](Call call, const std::string& id) {
    const auto from = ReadFrom(call);
    if (!from.ok()) return call.Fail(from.status());
    const auto page_size = ReadPageSize(call);
    if (!page_size.ok()) return call.Fail(page_size.status());
    tools_.tasks->open().GetStream(
        id,
        [this, call = std::move(call), from = *from, page_size = *page_size](
            absl::StatusOr<std::shared_ptr<TaskStream>> stream) mutable {
          if (!stream.ok()) return call.Fail(stream.status());
          if (!call.Accepts(kStreamType)) {
            return ReplyPage(std::move(call), *std::move(stream), from.after,
                             page_size);
          }
          ReplyStream(std::move(call), [&](http::Waker waker) {
            return NewTaskView(*std::move(stream), from, std::move(waker));
          });
        });
  });
}

void Api::AllEvents(Call call) {
  if (!call.Accepts(kStreamType)) {
    return call.exchange().Reply(ErrorResponse(
        call.request(), 406,
        "this is a stream: ask for it with Accept: text/event-stream"));
  }
  const std::string last(call.request().Header("last-event-id"));
  ReplyStream(std::move(call), [&](http::Waker waker) {
    return tools_.changes->NewView(last, std::move(waker));
  });
}

void Api::ReplyStream(
    Call call,
    absl::FunctionRef<std::unique_ptr<http::BodySource>(http::Waker)> make) {
  const std::string client = ClientOf(call.request().peer);
  if (const absl::Status may = stream_limit_.Check(client); !may.ok()) {
    return call.Fail(may);
  }
  call.exchange().Stream(StreamHead(), [&](http::Waker waker) {
    return stream_limit_.Count(client, make(std::move(waker)));
  });
}

void Api::WholeEvent(Call call) {
  WithTask(std::move(call), [this](Call call, const std::string& id) {
    const auto event = ParseEventId(call.arg(1));
    if (!event) {
      return call.Fail(absl::InvalidArgumentError(
          "an event's id has the form RECORD.INDEX, as \"12.0\""));
    }
    const auto encoding = call.encoding() == Call::Encoding::kBinary
                              ? EventBytes::Encoding::kBinary
                              : EventBytes::Encoding::kJson;
    tools_.pool->RunFor<absl::StatusOr<EventBytes>>(
        [this, id, event = *event, encoding] {
          return WholeEventOf(*tools_.home, id, event, encoding);
        },
        [call = std::move(call)](absl::StatusOr<EventBytes> found) mutable {
          if (!found.ok()) return call.Fail(found.status());
          call.ReplyBytes(std::move(found->bytes), found->content_type);
        });
  });
}

void Api::Raw(Call call) {
  WithTask(std::move(call), [this](Call call, const std::string& id) {
    int64_t record = 0;
    if (!absl::SimpleAtoi(call.arg(1), &record) || record < 1) {
      return call.Fail(absl::InvalidArgumentError(
          "a record is a number from 1 on: an event's id begins with it"));
    }
    const bool bytes = call.Accepts("application/octet-stream");
    tools_.pool->RunFor<absl::StatusOr<v1::RawRecord>>(
        [this, id, record, bytes] {
          return RawRecordOf(*tools_.home, id, record,
                             bytes ? RawText::kAsItIs : RawText::kAsUtf8);
        },
        [call = std::move(call),
         bytes](absl::StatusOr<v1::RawRecord> found) mutable {
          if (!found.ok() || !bytes) return call.ReplyOr(found);
          call.ReplyBytes(std::move(*found->mutable_text()),
                          "application/octet-stream");
        });
  });
}

}  // namespace troika
