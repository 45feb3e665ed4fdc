// Writes the events of an answer for Anthropic's Messages API.
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

// Not a secret: the client sends it back unchanged.
constexpr absl::string_view kSignature = "c2NyaXB0ZWQ=";

std::string UsageJson(const Usage& usage, int64_t output) {
  return ObjectWriter()
      .Json("input_tokens", absl::StrCat(usage.input))
      .Json("cache_creation_input_tokens", "0")
      .Json("cache_read_input_tokens", absl::StrCat(usage.cached))
      .Json("output_tokens", absl::StrCat(output))
      .Take();
}

class MessagesEvents : public Events {
 public:
  MessagesEvents(const Request& request, int serial)
      : serial_(serial), model_(request.model) {}

  void Begin(const Usage& usage) override {
    Send("message_start",
         ObjectWriter().Json("message",
                             Message("[]", "null", UsageJson(usage, 1))));
    Send("ping", ObjectWriter());
  }
  void Text(const Pieces& pieces) override;
  void Thought(const Pieces& pieces) override;
  void Call(const NativeCall& call, const Pieces& pieces) override;
  void Fail(absl::string_view code, absl::string_view message) override;
  void Finish(const Ending& ending) override;
  std::string KeepAlive() const override {
    return "event: ping\ndata: {\"type\":\"ping\"}\n\n";
  }
  std::string Whole(const Ending& ending) const override;

 private:
  void Send(absl::string_view type, ObjectWriter&& members) {
    Send(type, members);
  }
  void Send(absl::string_view type, ObjectWriter& members);
  void Start(absl::string_view block);
  void Delta(ObjectWriter& delta);
  // Ends a block, of which `block` is the complete form.
  void Stop(std::string block);
  std::string Message(absl::string_view content, absl::string_view stop,
                      absl::string_view usage) const;
  std::string StopReason(const Ending& ending) const;

  const int serial_;
  const std::string model_;
  int calls_ = 0;
  std::vector<std::string> blocks_;
};

void MessagesEvents::Send(absl::string_view type, ObjectWriter& members) {
  const std::string rest = members.Take();
  Emit(absl::StrCat("event: ", type, "\ndata: {\"type\":\"", type, "\"",
                    rest == "{}" ? "" : ",", absl::string_view(rest).substr(1),
                    "\n\n"));
}

std::string MessagesEvents::Message(absl::string_view content,
                                    absl::string_view stop,
                                    absl::string_view usage) const {
  return ObjectWriter()
      .String("id", absl::StrFormat("msg_%03d", serial_))
      .String("type", "message")
      .String("role", "assistant")
      .String("model", model_)
      .Json("content", content)
      .Json("stop_reason", stop)
      .Json("stop_sequence", "null")
      .Json("usage", usage)
      .Take();
}

void MessagesEvents::Start(absl::string_view block) {
  Send("content_block_start", ObjectWriter()
                                  .Json("index", absl::StrCat(blocks_.size()))
                                  .Json("content_block", block));
}

void MessagesEvents::Delta(ObjectWriter& delta) {
  Send("content_block_delta", ObjectWriter()
                                  .Json("index", absl::StrCat(blocks_.size()))
                                  .Json("delta", delta.Take()));
}

void MessagesEvents::Stop(std::string block) {
  Send("content_block_stop",
       ObjectWriter().Json("index", absl::StrCat(blocks_.size())));
  blocks_.push_back(std::move(block));
}

void MessagesEvents::Text(const Pieces& pieces) {
  const auto block = [](absl::string_view text) {
    return ObjectWriter().String("type", "text").String("text", text).Take();
  };
  Start(block(""));
  for (const std::string& piece : pieces) {
    Delta(ObjectWriter().String("type", "text_delta").String("text", piece));
  }
  Stop(block(absl::StrJoin(pieces, "")));
}

void MessagesEvents::Thought(const Pieces& pieces) {
  const auto block = [](absl::string_view text, absl::string_view signature) {
    return ObjectWriter()
        .String("type", "thinking")
        .String("thinking", text)
        .String("signature", signature)
        .Take();
  };
  Start(block("", ""));
  for (const std::string& piece : pieces) {
    Delta(ObjectWriter()
              .String("type", "thinking_delta")
              .String("thinking", piece));
  }
  Delta(ObjectWriter()
            .String("type", "signature_delta")
            .String("signature", kSignature));
  Stop(block(absl::StrJoin(pieces, ""), kSignature));
}

void MessagesEvents::Call(const NativeCall& call, const Pieces& pieces) {
  const std::string id = CallId("toolu", serial_, calls_++);
  const auto block = [&](absl::string_view input) {
    return ObjectWriter()
        .String("type", "tool_use")
        .String("id", id)
        .String("name", call.name)
        .Json("input", input)
        .Take();
  };
  Start(block("{}"));
  for (const std::string& piece : pieces) {
    Delta(ObjectWriter()
              .String("type", "input_json_delta")
              .String("partial_json", piece));
  }
  Stop(block(call.input));
}

void MessagesEvents::Fail(absl::string_view code, absl::string_view message) {
  Send("error", ObjectWriter().Json("error", ObjectWriter()
                                                 .String("type", code)
                                                 .String("message", message)
                                                 .Take()));
}

std::string MessagesEvents::StopReason(const Ending& ending) const {
  if (ending.reason == "end_turn" && calls_ > 0) return "\"tool_use\"";
  return absl::StrCat("\"", ending.reason, "\"");
}

void MessagesEvents::Finish(const Ending& ending) {
  const std::string delta = ObjectWriter()
                                .Json("stop_reason", StopReason(ending))
                                .Json("stop_sequence", "null")
                                .Take();
  Send("message_delta",
       ObjectWriter()
           .Json("delta", delta)
           .Json("usage", UsageJson(ending.usage, ending.usage.output)));
  Send("message_stop", ObjectWriter());
}

std::string MessagesEvents::Whole(const Ending& ending) const {
  return Message(absl::StrCat("[", absl::StrJoin(blocks_, ","), "]"),
                 StopReason(ending),
                 UsageJson(ending.usage, ending.usage.output));
}

}  // namespace

std::unique_ptr<Events> NewMessagesEvents(const Request& request, int serial) {
  return std::make_unique<MessagesEvents>(request, serial);
}

}  // namespace troika::model
