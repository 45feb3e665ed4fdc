#include "server/mcp/resources.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json_writer.h"
#include "dto/json.h"
#include "mcp/tool.h"
#include "server/mcp/session_lookup.h"
#include "server/task_stream.h"

namespace troika {
namespace {

constexpr absl::string_view kPrefix = "troika://task/";
constexpr absl::string_view kType = "text/plain";
constexpr size_t kMaxPart = size_t{1} << 20;
constexpr size_t kChunk = size_t{256} << 10;
constexpr int kPageSize = 50;
// What the line about the next part may take.
constexpr size_t kNextRoom = 200;

struct Uri {
  std::string task;
  EventId after = kBeforeAll;
};

std::optional<Uri> ReadUri(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, kPrefix)) return std::nullopt;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('?', 1));
  Uri uri = {.task = std::string(parts.first)};
  absl::string_view query = parts.second;
  if (query.empty()) return uri;
  const auto after = absl::ConsumePrefix(&query, "after=") ? ParseEventId(query)
                                                           : std::nullopt;
  if (!after) return std::nullopt;
  uri.after = *after;
  return uri;
}

// The two generations have different codes for it.
void NotFound(const McpRequest& request, absl::string_view uri) {
  const bool stateless =
      request.caller.client.generation == mcp::Generation::kStateless;
  request.Fail(stateless ? rpc::kInvalidParams : mcp::kNoSuchResource,
               absl::StrCat("Resource not found: ", uri),
               json::ObjectWriter().String("uri", uri).Take());
}

struct Part {
  std::string text;
  EventId last = kBeforeAll;
  bool more = false;
};

absl::StatusOr<Part> ReadPart(const EventFile& file, const EventId& after) {
  const auto offset = file.After(after);
  if (!offset) return absl::NotFoundError("no such event");
  Part part;
  std::string bytes;
  json::Parser parser;
  int64_t at = *offset;
  while (at < file.size()) {
    const auto n = file.Read(at, kChunk, &bytes);
    if (!n.ok()) return n.status();
    if (*n == 0) break;
    at += static_cast<int64_t>(*n);
    absl::string_view rest = bytes;
    for (size_t end = rest.find("\n\n"); end != absl::string_view::npos;
         end = rest.find("\n\n")) {
      const absl::string_view frame = rest.substr(0, end);
      rest.remove_prefix(end + 2);
      const size_t data = frame.find("\ndata: ");
      if (!absl::StartsWith(frame, "id: ") || data == frame.npos) continue;
      const auto value = parser.Parse(frame.substr(data + 7));
      const auto message = value.ok() ? ReadEvent(*value) : value.status();
      if (!message.ok()) continue;
      const std::string text = TranscriptText(*message);
      if (!part.text.empty() &&
          part.text.size() + text.size() + kNextRoom > kMaxPart) {
        part.more = true;
        return part;
      }
      absl::StrAppend(&part.text, text);
      part.last = message->id;
    }
    bytes.erase(0, bytes.size() - rest.size());
  }
  return part;
}

void FinishRead(const McpRequest& request, const std::string& uri,
                const std::string& task, const absl::StatusOr<Part>& part) {
  if (!part.ok()) return NotFound(request, uri);
  std::string text = part->text;
  json::ObjectWriter content;
  content.String("uri", uri).String("mimeType", kType);
  if (part->more) {
    const std::string next =
        absl::StrCat(kPrefix, task, "?after=", EventIdText(part->last));
    absl::StrAppend(&text, "\n[This goes on in ", next, "]\n");
    content.Json("_meta",
                 json::ObjectWriter().String("troika/next", next).Take());
  }
  content.String("text", text);
  json::ObjectWriter result = mcp::BeginResult(request.caller.client);
  result.Json("contents", absl::StrCat("[", content.Take(), "]"));
  mcp::AddCaching(request.caller.client, &result);
  request.Finish(result.Take());
}

std::string ResourceJson(const v1::Task& task) {
  return json::ObjectWriter()
      .String("uri", absl::StrCat(kPrefix, task.id()))
      .String("name", task.id())
      .String("title", task.title())
      .String("description", absl::StrCat(task.harness(), " in ", task.cwd(),
                                          ", ", StatusOf(task)))
      .String("mimeType", kType)
      .Take();
}

}  // namespace

std::string TranscriptText(const Message& message) {
  const auto& payload = message.payload;
  const auto lines = [](absl::string_view head, absl::string_view text) {
    return text.empty() ? "" : absl::StrCat(head, text, "\n");
  };
  if (const auto* input = std::get_if<UserInput>(&payload)) {
    return lines("> ", input->text);
  }
  if (const auto* text = std::get_if<Text>(&payload)) {
    return lines("", text->text);
  }
  if (const auto* thought = std::get_if<Thinking>(&payload)) {
    return lines("(thinks) ", thought->text);
  }
  if (const auto* tool = std::get_if<ToolUse>(&payload)) {
    return absl::StrCat("[", tool->name, "] ", tool->input_json, "\n");
  }
  if (const auto* result = std::get_if<ToolResult>(&payload)) {
    return lines(result->is_error ? "(error) " : "", result->output);
  }
  if (const auto* approval = std::get_if<Approval>(&payload)) {
    if (approval->state == Approval::State::kAsked) {
      return absl::StrCat("(asks) ", approval->tool_name, " ",
                          approval->input_json, "\n");
    }
    return absl::StrCat("(answer) ", approval->choice, " ", approval->reason,
                        "\n");
  }
  if (const auto* question = std::get_if<Question>(&payload)) {
    std::string text;
    for (const Question::Item& item : question->items) {
      absl::StrAppend(&text, "(asks) ", item.text, " ",
                      absl::StrJoin(item.answers, ", "), "\n");
    }
    return text;
  }
  if (const auto* notice = std::get_if<Notice>(&payload)) {
    return lines("(notice) ", notice->text);
  }
  if (const auto* ended = std::get_if<Result>(&payload)) {
    return ended->is_error ? lines("(failed) ", ended->error)
                           : "(turn ended)\n";
  }
  if (const auto* step = std::get_if<Lifecycle>(&payload)) {
    return lines("(troika) ", step->text);
  }
  return "";
}

void ListResources(const ApiTools& api, const McpRequest& request,
                   json::Value params) {
  std::string query = absl::StrCat("page_size=", kPageSize);
  const std::string cursor(params.Get("cursor").StringOr(""));
  if (!cursor.empty()) {
    absl::StrAppend(&query, "&page_token=", EscapedForUrl(cursor));
  }
  LocalApi(&api, request.caller.peer)
      .Get<v1::ListTasksResponse>(
          "/api/v1/tasks", query,
          [request](const absl::StatusOr<v1::ListTasksResponse>& tasks) {
            if (!tasks.ok()) {
              return request.Fail(rpc::kInvalidParams,
                                  tasks.status().message());
            }
            std::vector<std::string> resources;
            for (const v1::Task& task : tasks->tasks()) {
              resources.push_back(ResourceJson(task));
            }
            json::ObjectWriter result = mcp::BeginResult(request.caller.client);
            result.Json("resources",
                        absl::StrCat("[", absl::StrJoin(resources, ","), "]"));
            if (!tasks->next_page_token().empty()) {
              result.String("nextCursor", tasks->next_page_token());
            }
            mcp::AddCaching(request.caller.client, &result);
            request.Finish(result.Take());
          });
}

void ListResourceTemplates(const McpRequest& request) {
  json::ObjectWriter result = mcp::BeginResult(request.caller.client);
  result.Json("resourceTemplates",
              absl::StrCat("[",
                           json::ObjectWriter()
                               .String("uriTemplate", "troika://task/{id}")
                               .String("name", "task")
                               .String("title", "The transcript of a task")
                               .String("mimeType", kType)
                               .Take(),
                           "]"));
  mcp::AddCaching(request.caller.client, &result);
  request.Finish(result.Take());
}

void ReadResource(const ApiTools& api, const McpRequest& request,
                  json::Value params) {
  const std::string text(params.Get("uri").StringOr(""));
  if (text.empty()) {
    return request.Fail(rpc::kInvalidParams, "uri: is required");
  }
  FindTranscript(
      api, text,
      [request,
       text](const absl::StatusOr<std::shared_ptr<TaskStream>>& found) {
        if (!found.ok()) return NotFound(request, text);
        (*found)->WhenCaughtUp([request, text,
                                stream = *found](TaskStream& now) {
          const EventId after = ReadUri(text)->after;
          FinishRead(request, text, now.task_id(), ReadPart(now.file(), after));
        });
      });
}

void FindTranscript(const ApiTools& api, absl::string_view uri,
                    OpenTasks::StreamCallback found) {
  const auto read = ReadUri(uri);
  if (!read) return found(absl::NotFoundError("there is no such resource"));
  api.tasks->Find(read->task,
                  [&api, found = std::move(found)](
                      const absl::StatusOr<std::string>& id) mutable {
                    if (!id.ok()) return found(id.status());
                    api.tasks->open().GetStream(*id, std::move(found));
                  });
}

}  // namespace troika
