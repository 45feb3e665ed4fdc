#include "testing/model/side.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "testing/model/events.h"
#include "testing/model/native.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

// The members answer all side questions of the CLIs: titles and topics (Claude
// Code), who speaks next and which model to use (Gemini CLI).
constexpr absl::string_view kAsideText =
    R"({"title":"scripted","isNewTopic":false,"reasoning":"scripted",)"
    R"("next_speaker":"user","model_choice":"flash","complexity_score":1,)"
    R"("complexity_reasoning":"scripted"})";

constexpr absl::string_view kPageUrl = "https://example.com/found";
constexpr absl::string_view kPageTitle = "A page that was found";
constexpr absl::string_view kFound = "The search found a page.";

Output Reply(std::string body) {
  Output output;
  output.head.body = std::move(body);
  return output;
}

Output Streamed(std::string bytes) {
  Output output;
  output.streams = true;
  output.head.content_type = "text/event-stream";
  output.steps.push_back({absl::ZeroDuration(), std::move(bytes)});
  return output;
}

Output AsideOfMessages(const Request& request) {
  const std::unique_ptr<Events> events = NewMessagesEvents(request, 0);
  events->Begin({});
  events->Text({std::string(kAsideText)});
  events->Finish({});
  if (request.transfer == Transfer::kWhole) return Reply(events->Whole({}));
  std::string bytes;
  for (const Step& step : events->TakeSteps()) bytes += step.bytes;
  return Streamed(std::move(bytes));
}

std::string MessagesEvent(absl::string_view type, absl::string_view members) {
  return absl::StrCat("event: ", type, "\ndata: {\"type\":\"", type, "\"",
                      members.empty() ? "" : ",", members, "}\n\n");
}

// Returns the blocks that a server sends after a search.
Output SearchOfMessages(const Request& request) {
  const std::string page = ObjectWriter()
                               .String("type", "web_search_result")
                               .String("title", kPageTitle)
                               .String("url", kPageUrl)
                               .String("encrypted_content", "c2NyaXB0ZWQ=")
                               .Json("page_age", "null")
                               .Take();
  const auto use = [](absl::string_view input) {
    return ObjectWriter()
        .String("type", "server_tool_use")
        .String("id", "srvtoolu_000_0")
        .String("name", "web_search")
        .Json("input", input)
        .Take();
  };
  const std::string query =
      ObjectWriter()
          .String("query", absl::StrJoin(PromptTexts(request), " "))
          .Take();
  const std::string result = ObjectWriter()
                                 .String("type", "web_search_tool_result")
                                 .String("tool_use_id", "srvtoolu_000_0")
                                 .Json("content", absl::StrCat("[", page, "]"))
                                 .Take();
  const std::string text =
      ObjectWriter().String("type", "text").String("text", kFound).Take();
  const std::string usage = R"("usage":{"input_tokens":10,"output_tokens":10,)"
                            R"("server_tool_use":{"web_search_requests":1}})";
  const auto message = [&](absl::string_view content, absl::string_view stop) {
    return absl::StrCat(
        R"({"id":"msg_000","type":"message","role":"assistant","model":)",
        JsonQuoted(request.model), ",\"content\":[", content,
        "],\"stop_reason\":", stop, ",\"stop_sequence\":null,", usage, "}");
  };
  if (request.transfer == Transfer::kWhole) {
    return Reply(message(absl::StrJoin({use(query), result, text}, ","),
                         "\"end_turn\""));
  }
  const auto start = [](int index, absl::string_view block) {
    return MessagesEvent(
        "content_block_start",
        absl::StrCat("\"index\":", index, ",\"content_block\":", block));
  };
  const auto delta = [](int index, absl::string_view delta_json) {
    return MessagesEvent(
        "content_block_delta",
        absl::StrCat("\"index\":", index, ",\"delta\":", delta_json));
  };
  const auto stop = [](int index) {
    return MessagesEvent("content_block_stop",
                         absl::StrCat("\"index\":", index));
  };
  return Streamed(absl::StrCat(
      MessagesEvent("message_start",
                    absl::StrCat("\"message\":", message("", "null"))),
      start(0, use("{}")),
      delta(0, ObjectWriter()
                   .String("type", "input_json_delta")
                   .String("partial_json", query)
                   .Take()),
      stop(0), start(1, result), stop(1),
      start(2, R"({"type":"text","text":""})"),
      delta(2, ObjectWriter()
                   .String("type", "text_delta")
                   .String("text", kFound)
                   .Take()),
      stop(2),
      MessagesEvent(
          "message_delta",
          absl::StrCat(
              R"("delta":{"stop_reason":"end_turn","stop_sequence":null},)",
              usage)),
      MessagesEvent("message_stop", "")));
}

Output OfGemini(const Request& request) {
  const bool search = request.purpose == Purpose::kSearch;
  const std::string part =
      ObjectWriter().String("text", search ? kFound : kAsideText).Take();
  ObjectWriter candidate;
  candidate
      .Json("content",
            absl::StrCat("{\"role\":\"model\",\"parts\":[", part, "]}"))
      .String("finishReason", "STOP")
      .Json("index", "0");
  if (search) {
    const std::string web = ObjectWriter()
                                .String("uri", kPageUrl)
                                .String("title", kPageTitle)
                                .Take();
    const std::string support = absl::StrCat(
        "{\"segment\":{\"startIndex\":0,\"endIndex\":", kFound.size(),
        ",\"text\":", JsonQuoted(kFound), "},\"groundingChunkIndices\":[0]}");
    candidate.Json("groundingMetadata",
                   absl::StrCat("{\"groundingChunks\":[{\"web\":", web,
                                "}],\"groundingSupports\":[", support, "]}"));
  }
  const std::string body =
      ObjectWriter()
          .Json("candidates", absl::StrCat("[", candidate.Take(), "]"))
          .Json("usageMetadata",
                R"({"promptTokenCount":10,"candidatesTokenCount":10,)"
                R"("totalTokenCount":20})")
          .String("modelVersion", request.model)
          .Take();
  return request.transfer == Transfer::kWhole
             ? Reply(body)
             : Streamed(absl::StrCat("data: ", body, "\r\n\r\n"));
}

}  // namespace

Output SideOutput(const Request& request) {
  const bool gemini = request.wire == Wire::kGemini;
  switch (request.purpose) {
    case Purpose::kCount:
      return Reply(gemini ? "{\"totalTokens\":42}" : "{\"input_tokens\":42}");
    case Purpose::kModels:
      return Reply(R"({"object":"list","data":[],"models":[]})");
    case Purpose::kSearch:
      return gemini ? OfGemini(request) : SearchOfMessages(request);
    case Purpose::kAside:
      return gemini ? OfGemini(request) : AsideOfMessages(request);
    case Purpose::kMain:
    case Purpose::kOther:
    case Purpose::kUnknown:
      break;
  }
  return Reply("{}");
}

}  // namespace troika::model
