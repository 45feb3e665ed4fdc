#include "agent/gemini/session_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/discovery/native_sessions.h"
#include "agent/session_file_protocol.h"
#include "agent/tool_names.h"
#include "agent/usage_meter.h"

namespace troika::gemini {
namespace {

UserInput PromptOf(json::Value content) {
  UserInput input = {.text = std::string(content.StringOr(""))};
  for (const json::Value part : content.items()) {
    const absl::string_view text = part.Get("text").StringOr("");
    if (!text.empty()) {
      absl::StrAppend(&input.text, input.text.empty() ? "" : "\n", text);
    }
    input.images += part.Get("inlineData").exists();
  }
  return input;
}

// Returns the text of the model's message, which old versions keep in parts.
std::string TextOf(json::Value content) { return PromptOf(content).text; }

std::string OutputOf(json::Value call) {
  std::string output;
  for (const json::Value part : call.Get("result").items()) {
    const json::Value response = part.Get("functionResponse").Get("response");
    const json::Value good = response.Get("output");
    absl::StrAppend(&output, output.empty() ? "" : "\n",
                    good.StringOr(response.Get("error").StringOr("")));
  }
  if (!output.empty()) return output;
  const json::Value display = call.Get("resultDisplay");
  return std::string(display.StringOr(call.Get("result").StringOr("")));
}

// Thoughts are a part of `output` if the model's API counts them so, which the
// total shows.
TokenCounts CountsOf(json::Value tokens) {
  const int64_t input = TokenCount(tokens.Get("input").Int());
  const int64_t cached = TokenCount(tokens.Get("cached").Int());
  const int64_t output = TokenCount(tokens.Get("output").Int());
  const int64_t total = TokenCount(tokens.Get("total").Int());
  return {.input = std::max<int64_t>(0, input - cached),
          .cached = cached,
          .output = std::max(output, total - input),
          .reasoning = TokenCount(tokens.Get("thoughts").Int())};
}

class GeminiSessionProtocol final : public SessionFileProtocol {
 public:
  explicit GeminiSessionProtocol(const ProtocolOptions& options)
      : SessionFileProtocol(options) {}

 private:
  void OnEntry(json::Value entry, Emitter& out) override;
  Usage TakeUsage() override;

  void OnHead(json::Value head, Emitter& out);
  void OnMessage(json::Value message, Emitter& out);
  void OnUser(json::Value message, Emitter& out);
  void OnModel(json::Value message, Emitter& out);
  void OnCall(json::Value call, Emitter& out);
  void OnTodo(json::Value todos, Emitter& out);

  // Ids of the model's messages, which may be written again.
  absl::flat_hash_set<std::string> said_;
  std::optional<TokenCounts> tokens_;  // Of this turn.
  bool any_message_ = false;
};

void GeminiSessionProtocol::OnEntry(json::Value entry, Emitter& out) {
  const json::Value changed = entry.Get("$set");
  if (entry.Get("sessionId").IsString()) {
    OnHead(entry, out);
    for (const json::Value message : entry.Get("messages").items()) {
      const auto time = SessionTime(message.Get("timestamp").StringOr(""));
      if (time) out.set_time(*time);
      OnMessage(message, out);
    }
  } else if (changed.exists()) {
    // The first list has the session's context only.
    if (!changed.Get("messages").exists() || !any_message_) return;
    out.Emit(Notice{.kind = Notice::Kind::kCompaction,
                    .text = "the CLI replaced the history that the model "
                            "gets"});
  } else if (entry.Get("$rewindTo").exists()) {
    out.Emit(Notice{.text = absl::StrCat("the session was turned back to "
                                         "message ",
                                         entry.Get("$rewindTo").StringOr(""))});
  } else {
    OnMessage(entry, out);
  }
}

void GeminiSessionProtocol::OnHead(json::Value head, Emitter& out) {
  set_session_id(head.Get("sessionId").StringOr(""));
  out.Emit(Init{.session_id = session_id()});
}

void GeminiSessionProtocol::OnMessage(json::Value message, Emitter& out) {
  const absl::string_view type = message.Get("type").StringOr("");
  any_message_ = true;
  if (type == "user") {
    OnUser(message, out);
  } else if (type == "gemini") {
    OnModel(message, out);
  } else if (type == "info" || type == "warning" || type == "error") {
    out.Emit(Notice{
        .kind = type == "error" ? Notice::Kind::kError : Notice::Kind::kInfo,
        .text = TextOf(message.Get("content"))});
  } else {
    ReportUnknown("type", type);
    out.EmitRaw(type, type.empty() ? "no type" : "");
  }
}

void GeminiSessionProtocol::OnUser(json::Value message, Emitter& out) {
  const json::Value content = message.Get("content");
  UserInput input = PromptOf(content);
  if (input.text.empty() && input.images == 0) {
    const bool results = content.At(0).Get("functionResponse").exists();
    if (!results) out.EmitRaw("user", "it has no content");
    return;
  }
  if (absl::StartsWith(input.text, "<session_context>")) return;
  BeginTurn(out);
  out.Emit(std::move(input));
}

void GeminiSessionProtocol::OnModel(json::Value message, Emitter& out) {
  BeginTurnIfNone(out);
  const std::string id(message.Get("id").StringOr(""));
  if (id.empty() || said_.insert(id).second) {
    SetModel(message.Get("model").StringOr(""), out);
    for (const json::Value thought : message.Get("thoughts").items()) {
      const absl::string_view subject = thought.Get("subject").StringOr("");
      const absl::string_view more = thought.Get("description").StringOr("");
      out.Emit(Thinking{
          .text = absl::StrCat(subject, subject.empty() ? "" : "\n", more)});
    }
    const std::string text = TextOf(message.Get("content"));
    if (!text.empty()) Say(text, out);
    if (message.Get("tokens").IsObject()) {
      if (!tokens_) tokens_.emplace();
      *tokens_ += CountsOf(message.Get("tokens"));
    }
  }
  for (const json::Value call : message.Get("toolCalls").items()) {
    OnCall(call, out);
  }
}

void GeminiSessionProtocol::OnCall(json::Value call, Emitter& out) {
  const absl::string_view id = call.Get("id").StringOr("");
  const absl::string_view status = call.Get("status").StringOr("");
  if (ledger().WasStarted(id)) return;
  const absl::string_view native = call.Get("name").StringOr("");
  const ToolName name = NormalizeToolName(Harness::kGemini, native);
  const json::Value args = call.Get("args");
  ledger().StartTool(
      id,
      ToolUse{.name = std::string(name.name),
              .native_name = std::string(native),
              .server = std::string(name.server),
              .input_json = args.exists() ? args.ToJson() : "{}"},
      out);
  if (native == "write_todos") OnTodo(args.Get("todos"), out);
  (void)ledger().EndTool(
      id, {.output = OutputOf(call), .is_error = status != "success"}, out);
}

void GeminiSessionProtocol::OnTodo(json::Value todos, Emitter& out) {
  Todo todo;
  for (const json::Value item : todos.items()) {
    todo.items.push_back(
        {.text = std::string(item.Get("description").StringOr("")),
         .status = TodoStatus(item.Get("status").StringOr(""))
                       .value_or(Todo::Status::kPending)});
  }
  out.Emit(std::move(todo));
}

Usage GeminiSessionProtocol::TakeUsage() {
  if (!tokens_) return meter().Unreported();
  return meter().AddTurn(*std::exchange(tokens_, std::nullopt));
}

}  // namespace

std::unique_ptr<Protocol> NewSessionFileProtocol(
    const ProtocolOptions& options) {
  return std::make_unique<GeminiSessionProtocol>(options);
}

}  // namespace troika::gemini
