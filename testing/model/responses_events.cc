// Writes the events of an answer for OpenAI's Responses API.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json_writer.h"
#include "testing/model/events.h"

namespace troika::model {
namespace {

using json::ObjectWriter;

class ResponsesEvents : public Events {
 public:
  explicit ResponsesEvents(int serial)
      : serial_(serial), id_(absl::StrFormat("resp_%03d", serial)) {}

  void Begin(const Usage&) override {
    Send("response.created",
         ObjectWriter().Json("response", Response("in_progress").Take()));
  }
  void Text(const Pieces& pieces) override;
  void Thought(const Pieces& pieces) override;
  void Call(const NativeCall& call, const Pieces& pieces) override;
  void Fail(absl::string_view code, absl::string_view message) override;
  void Finish(const Ending& ending) override;

 private:
  // Writes an event with its type, number and other `members`.
  void Send(absl::string_view type, ObjectWriter& members);
  void Send(absl::string_view type, ObjectWriter&& members) {
    Send(type, members);
  }
  void Delta(absl::string_view type, absl::string_view item_id,
             absl::string_view index_name, absl::string_view delta);
  // Write the start and the end of an item.
  void Added(absl::string_view item);
  void Done(const std::string& item);
  std::string ItemId(absl::string_view prefix) const {
    return absl::StrFormat("%s_%03d_%d", prefix, serial_, items_.size());
  }
  ObjectWriter Response(absl::string_view status) const;
  void Function(const NativeCall& call, const Pieces& pieces);
  void Custom(const NativeCall& call, const Pieces& pieces);
  void LocalShell(const NativeCall& call);
  void WebSearch(const NativeCall& call);

  const int serial_;
  const std::string id_;
  int sequence_ = 0;
  int calls_ = 0;
  std::vector<std::string> items_;
};

void ResponsesEvents::Send(absl::string_view type, ObjectWriter& members) {
  const std::string head = ObjectWriter()
                               .String("type", type)
                               .Json("sequence_number", absl::StrCat(sequence_))
                               .Take();
  ++sequence_;
  const std::string rest = members.Take();
  Emit(absl::StrCat("event: ", type, "\ndata: ",
                    absl::string_view(head).substr(0, head.size() - 1), ",",
                    absl::string_view(rest).substr(1), "\n\n"));
}

ObjectWriter ResponsesEvents::Response(absl::string_view status) const {
  ObjectWriter response;
  response.String("id", id_).String("object", "response");
  response.String("status", status);
  return response;
}

void ResponsesEvents::Delta(absl::string_view type, absl::string_view item_id,
                            absl::string_view index_name,
                            absl::string_view delta) {
  ObjectWriter event;
  event.String("item_id", item_id)
      .Json("output_index", absl::StrCat(items_.size()));
  if (!index_name.empty()) event.Json(index_name, "0");
  Send(type, event.String("delta", delta));
}

void ResponsesEvents::Added(absl::string_view item) {
  Send("response.output_item.added",
       ObjectWriter()
           .Json("output_index", absl::StrCat(items_.size()))
           .Json("item", item));
}

void ResponsesEvents::Done(const std::string& item) {
  Send("response.output_item.done",
       ObjectWriter()
           .Json("output_index", absl::StrCat(items_.size()))
           .Json("item", item));
  items_.push_back(item);
}

void ResponsesEvents::Text(const Pieces& pieces) {
  const std::string id = ItemId("msg");
  const auto item = [&](absl::string_view status, absl::string_view content) {
    return ObjectWriter()
        .String("type", "message")
        .String("id", id)
        .String("role", "assistant")
        .String("status", status)
        .Json("content", content)
        .Take();
  };
  const std::string text = absl::StrJoin(pieces, "");
  Added(item("in_progress", "[]"));
  for (const std::string& piece : pieces) {
    Delta("response.output_text.delta", id, "content_index", piece);
  }
  const std::string part = ObjectWriter()
                               .String("type", "output_text")
                               .String("text", text)
                               .Json("annotations", "[]")
                               .Take();
  Done(item("completed", absl::StrCat("[", part, "]")));
}

void ResponsesEvents::Thought(const Pieces& pieces) {
  const std::string id = ItemId("rs");
  const auto item = [&](absl::string_view summary) {
    return ObjectWriter()
        .String("type", "reasoning")
        .String("id", id)
        .Json("summary", summary)
        .String("encrypted_content", "c2NyaXB0ZWQ=")
        .Take();
  };
  const auto part = [](absl::string_view text) {
    return ObjectWriter()
        .String("type", "summary_text")
        .String("text", text)
        .Take();
  };
  const std::string text = absl::StrJoin(pieces, "");
  Added(item("[]"));
  const std::string at = absl::StrCat(items_.size());
  Send("response.reasoning_summary_part.added", ObjectWriter()
                                                    .String("item_id", id)
                                                    .Json("output_index", at)
                                                    .Json("summary_index", "0")
                                                    .Json("part", part("")));
  for (const std::string& piece : pieces) {
    Delta("response.reasoning_summary_text.delta", id, "summary_index", piece);
  }
  Send("response.reasoning_summary_text.done", ObjectWriter()
                                                   .String("item_id", id)
                                                   .Json("output_index", at)
                                                   .Json("summary_index", "0")
                                                   .String("text", text));
  Done(item(absl::StrCat("[", part(text), "]")));
}

void ResponsesEvents::Call(const NativeCall& call, const Pieces& pieces) {
  switch (call.type) {
    case NativeCall::Type::kFunction:
      Function(call, pieces);
      break;
    case NativeCall::Type::kCustom:
      Custom(call, pieces);
      break;
    case NativeCall::Type::kLocalShell:
      LocalShell(call);
      break;
    case NativeCall::Type::kWebSearch:
      WebSearch(call);
      break;
  }
}

void ResponsesEvents::Function(const NativeCall& call, const Pieces& pieces) {
  const std::string id = ItemId("fc");
  const std::string call_id = CallId("call", serial_, calls_++);
  const auto item = [&](absl::string_view status, absl::string_view input) {
    ObjectWriter out;
    out.String("type", "function_call").String("id", id);
    out.String("call_id", call_id).String("name", call.name);
    if (!call.space.empty()) out.String("namespace", call.space);
    return out.String("arguments", input).String("status", status).Take();
  };
  Added(item("in_progress", ""));
  for (const std::string& piece : pieces) {
    Delta("response.function_call_arguments.delta", id, "", piece);
  }
  Send("response.function_call_arguments.done",
       ObjectWriter()
           .String("item_id", id)
           .Json("output_index", absl::StrCat(items_.size()))
           .String("arguments", call.input));
  Done(item("completed", call.input));
}

void ResponsesEvents::Custom(const NativeCall& call, const Pieces& pieces) {
  const std::string id = ItemId("ctc");
  const std::string call_id = CallId("call", serial_, calls_++);
  const auto item = [&](absl::string_view status, absl::string_view input) {
    ObjectWriter out;
    out.String("type", "custom_tool_call").String("id", id);
    out.String("call_id", call_id).String("name", call.name);
    if (!call.space.empty()) out.String("namespace", call.space);
    return out.String("input", input).String("status", status).Take();
  };
  Added(item("in_progress", ""));
  for (const std::string& piece : pieces) {
    Delta("response.custom_tool_call_input.delta", id, "", piece);
  }
  Send("response.custom_tool_call_input.done",
       ObjectWriter()
           .String("item_id", id)
           .Json("output_index", absl::StrCat(items_.size()))
           .String("input", call.input));
  Done(item("completed", call.input));
}

void ResponsesEvents::LocalShell(const NativeCall& call) {
  const std::string item =
      ObjectWriter()
          .String("type", "local_shell_call")
          .String("id", ItemId("lsh"))
          .String("call_id", CallId("call", serial_, calls_++))
          .String("status", "completed")
          .Json("action",
                ObjectWriter()
                    .String("type", "exec")
                    .Json("command", absl::StrCat("[\"bash\",\"-lc\",",
                                                  JsonQuoted(call.input), "]"))
                    .Json("env", "{}")
                    .Take())
          .Take();
  Added(item);
  Done(item);
}

void ResponsesEvents::WebSearch(const NativeCall& call) {
  const std::string id = ItemId("ws");
  ObjectWriter begun;
  begun.String("type", "web_search_call").String("id", id);
  Added(begun.String("status", "in_progress").Take());
  const std::string action =
      ObjectWriter()
          .String("type", "search")
          .String("query", call.input)
          .Json("queries", absl::StrCat("[", JsonQuoted(call.input), "]"))
          .Take();
  ObjectWriter done;
  done.String("type", "web_search_call").String("id", id);
  Done(done.String("status", "completed").Json("action", action).Take());
}

void ResponsesEvents::Fail(absl::string_view code, absl::string_view message) {
  ObjectWriter response = Response("failed");
  response.Json(
      "error",
      ObjectWriter().String("code", code).String("message", message).Take());
  Send("response.failed", ObjectWriter().Json("response", response.Take()));
}

void ResponsesEvents::Finish(const Ending& ending) {
  const Usage& usage = ending.usage;
  const int64_t input = usage.input + usage.cached;
  const std::string tokens =
      ObjectWriter()
          .Json("input_tokens", absl::StrCat(input))
          .Json("input_tokens_details",
                absl::StrCat("{\"cached_tokens\":", usage.cached, "}"))
          .Json("output_tokens", absl::StrCat(usage.output))
          .Json("output_tokens_details", "{\"reasoning_tokens\":0}")
          .Json("total_tokens", absl::StrCat(input + usage.output))
          .Take();
  const bool complete = ending.reason == "end_turn";
  const absl::string_view status = complete ? "completed" : "incomplete";
  ObjectWriter response = Response(status);
  if (!complete) {
    response.Json("incomplete_details",
                  ending.reason == "max_tokens"
                      ? "{\"reason\":\"max_output_tokens\"}"
                      : "{\"reason\":\"content_filter\"}");
  }
  response.Json("output", absl::StrCat("[", absl::StrJoin(items_, ","), "]"));
  response.Json("usage", tokens);
  Send(absl::StrCat("response.", status),
       ObjectWriter().Json("response", response.Take()));
}

}  // namespace

std::unique_ptr<Events> NewResponsesEvents(const Request&, int serial) {
  return std::make_unique<ResponsesEvents>(serial);
}

}  // namespace troika::model
