#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/claude/parse.h"
#include "base/json_writer.h"

namespace troika::claude {
namespace {

std::string ImageBlock(const TurnAsked::Image& image) {
  const std::string source = json::ObjectWriter()
                                 .String("type", "base64")
                                 .String("media_type", image.media_type)
                                 .String("data", image.base64)
                                 .Take();
  return json::ObjectWriter()
      .String("type", "image")
      .Json("source", source)
      .Take();
}

std::string PromptLine(const TurnAsked& turn) {
  std::string content = absl::StrCat("[", json::ObjectWriter()
                                              .String("type", "text")
                                              .String("text", turn.prompt)
                                              .Take());
  for (const TurnAsked::Image& image : turn.images) {
    absl::StrAppend(&content, ",", ImageBlock(image));
  }
  content += ']';
  const std::string message = json::ObjectWriter()
                                  .String("role", "user")
                                  .Json("content", content)
                                  .Take();
  return json::ObjectWriter()
      .String("type", "user")
      .Json("message", message)
      .Json("parent_tool_use_id", "null")
      .String("session_id", "")
      .Take();
}

}  // namespace

void ClaudeProtocol::OnTurnAsked(const TurnAsked& turn, Emitter& out) {
  if (input_ == ProtocolOptions::Input::kPrompt) {
    return LineProtocol::OnTurnAsked(turn, out);
  }
  Want({.key = absl::StrCat("turn-", turn.turn, ".prompt"),
        .bytes = PromptLine(turn) + "\n"});
}

void ClaudeProtocol::OnInterruptAsked(Emitter&) {
  if (input_ == ProtocolOptions::Input::kPrompt) return;
  const std::string id =
      absl::StrCat("interrupt-", generation(), ".", ++interrupts_);
  Want({.key = id,
        .bytes = json::ObjectWriter()
                     .String("type", "control_request")
                     .String("request_id", id)
                     .Json("request", "{\"subtype\":\"interrupt\"}")
                     .Take() +
                 "\n"});
}

void ClaudeProtocol::OnAnswerGiven(const AnswerGiven& answer, Emitter&) {
  const std::optional<std::string> response = requests_.ResponseTo(answer);
  if (!response) return;
  // The key is a number because the agent's request ids may have any length.
  Want({.key = absl::StrCat("answer-", generation(), ".", ++answers_),
        .bytes = json::ObjectWriter()
                     .String("type", "control_response")
                     .Json("response", *response)
                     .Take() +
                 "\n"});
}

}  // namespace troika::claude
