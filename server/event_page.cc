#include "server/event_page.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "dto/proto_json.h"
#include "dto/troika.pb.h"

namespace troika {
namespace {

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

void Reply(Call& call, const absl::StatusOr<Page>& page) {
  if (!page.ok()) return call.Fail(page.status());
  const std::string next = page->more ? page->last_id : "";
  if (call.encoding() == Call::Encoding::kJson) {
    return call.ReplyJson(absl::StrCat("{\"events\":[",
                                       absl::StrJoin(page->events, ","),
                                       "],\"nextPageToken\":\"", next, "\"}"));
  }
  v1::ListEventsResponse response;
  for (const std::string& event : page->events) {
    const absl::Status read =
        FromJson(event, response.add_events(), UnknownFields::kIgnore);
    if (!read.ok()) return call.Fail(absl::InternalError(read.message()));
  }
  response.set_next_page_token(next);
  call.Reply(response);
}

// Waits, and goes with its answer.
class Waiter final : public TaskStream::Viewer {
 public:
  Waiter(Call call, std::shared_ptr<TaskStream> stream, const EventId& after,
         int page_size)
      : call_(std::move(call)),
        stream_(std::move(stream)),
        after_(after),
        page_size_(static_cast<size_t>(page_size)) {
    stream_->Join(this);
  }
  ~Waiter() override { stream_->Leave(this); }

  void OnNews() override {
    if (!stream_->caught_up() || std::exchange(answered_, true)) return;
    Reply(call_, ReadPage(stream_->file(), after_, page_size_));
    delete this;
  }
  void OnBeat() override {}

 private:
  Call call_;
  // The one who tells has it, too.
  const std::shared_ptr<TaskStream> stream_;
  const EventId after_;
  const size_t page_size_;
  bool answered_ = false;
};

}  // namespace

void ReplyPage(Call call, std::shared_ptr<TaskStream> stream,
               const EventId& after, int page_size) {
  // It deletes itself.
  (new Waiter(std::move(call), std::move(stream), after, page_size))->OnNews();
}

}  // namespace troika
