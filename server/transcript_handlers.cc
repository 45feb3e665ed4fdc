// Handlers that read all events of a task: turns, a search, a file for people.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "dto/troika.pb.h"
#include "server/event_scan.h"
#include "server/export.h"
#include "server/routes.h"

namespace troika {
namespace {

constexpr int kMaxFound = 1000;
constexpr size_t kMaxSearchText = 1000;

// Calls `then` with the task's stream once all of its events are there.
using Then = std::function<void(std::shared_ptr<TaskStream>, ReplyCallback)>;
Deferred WithEvents(const ApiTools& api, const Call& call, Then then) {
  return WithTask(
      api, call,
      [&api, then = std::move(then)](const std::string& id,
                                     ReplyCallback reply) {
        api.tasks->open().GetStream(
            id,
            [then, reply = std::move(reply)](
                absl::StatusOr<std::shared_ptr<TaskStream>> stream) mutable {
              if (!stream.ok()) return reply(stream.status());
              // The stream has the callback, which must not keep the stream.
              const std::weak_ptr<TaskStream> weak = *stream;
              (*stream)->WhenCaughtUp(
                  [then, weak, reply = std::move(reply)](TaskStream&) mutable {
                    then(weak.lock(), std::move(reply));
                  });
            });
      });
}

// Runs `scan` on a thread.
using Scan = std::function<absl::StatusOr<Reply>(const EventSnapshot&)>;
Deferred WithSnapshot(const ApiTools& api, const Call& call, Scan scan) {
  return WithEvents(
      api, call,
      [&api, scan = std::move(scan)](const std::shared_ptr<TaskStream>& stream,
                                     ReplyCallback reply) {
        auto events = stream->file().Snapshot();
        if (!events.ok()) return reply(events.status());
        api.pools->log.RunFor<absl::StatusOr<Reply>>(
            [scan, events = std::make_shared<EventSnapshot>(
                       *std::move(events))] { return scan(*events); },
            std::move(reply));
      });
}

// The JSON of an event that is cut in the stream.
WholeEventReader ReaderOf(const ApiTools& api, const std::string& id) {
  return [&api, id](absl::string_view event) -> std::optional<std::string> {
    const auto folder = api.home->OpenTask(id);
    const auto event_id = ParseEventId(event);
    if (!folder.ok() || !event_id) return std::nullopt;
    return EventFile::ReadEvent(folder->fd.get(), id, *event_id);
  };
}

Reply ExportReply(const ApiTools& api, std::shared_ptr<TaskStream> stream,
                  const v1::Task& task, ExportFormat format) {
  const bool markdown = format == ExportFormat::kMarkdown;
  Reply file([&api, stream, task, format](http::Waker) {
    return NewExport(stream, task, format, ReaderOf(api, stream->task_id()));
  });
  file.content_type =
      markdown ? "text/markdown; charset=utf-8" : "application/jsonl";
  file.headers.emplace_back(
      "Content-Disposition",
      absl::StrCat("attachment; filename=\"troika-", stream->task_id(),
                   markdown ? ".md\"" : ".jsonl\""));
  return file;
}

}  // namespace

absl::StatusOr<Deferred> ListTurns(const ApiTools& api, const Call& call) {
  return WithSnapshot(
      api, call, [](const EventSnapshot& events) -> absl::StatusOr<Reply> {
        ASSIGN_OR_RETURN(v1::ListTurnsResponse turns, FindTurns(events));
        return turns;
      });
}

absl::StatusOr<Deferred> SearchTask(const ApiTools& api, const Call& call) {
  v1::SearchEventsRequest request;
  RETURN_IF_ERROR(call.ReadQuery(&request));
  const int limit = request.page_size() == 0 ? kMaxFound : request.page_size();
  if (limit < 1 || limit > kMaxFound) {
    return absl::InvalidArgumentError(
        absl::StrCat("page_size must be 1 to ", kMaxFound));
  }
  if (request.text().empty() || request.text().size() > kMaxSearchText) {
    return absl::InvalidArgumentError(
        absl::StrCat("text must have 1 to ", kMaxSearchText, " bytes"));
  }
  return WithSnapshot(
      api, call,
      [text = request.text(),
       limit](const EventSnapshot& events) -> absl::StatusOr<Reply> {
        ASSIGN_OR_RETURN(
            v1::SearchEventsResponse found,
            SearchEvents(events, text, static_cast<size_t>(limit)));
        return found;
      });
}

absl::StatusOr<Deferred> ExportTask(const ApiTools& api, const Call& call) {
  const std::string name = call.Parameter("format");
  if (name != "markdown" && name != "jsonl") {
    return absl::InvalidArgumentError("format must be markdown or jsonl");
  }
  const ExportFormat format =
      name == "markdown" ? ExportFormat::kMarkdown : ExportFormat::kJsonLines;
  return WithEvents(api, call,
                    [&api, format](const std::shared_ptr<TaskStream>& stream,
                                   ReplyCallback reply) {
                      api.tasks->open().Get(
                          stream->task_id(),
                          [&api, format, stream, reply = std::move(reply)](
                              const absl::StatusOr<v1::Task>& task) mutable {
                            if (!task.ok()) return reply(task.status());
                            reply(ExportReply(api, stream, *task, format));
                          });
                    });
}

}  // namespace troika
