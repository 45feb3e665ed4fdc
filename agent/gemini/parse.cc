#include "agent/gemini/parse.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika::gemini {
namespace {

// Returns the tokens of one process: each stream's stats start at zero.
//
// total_tokens is ignored. In all recordings it equals input_tokens +
// output_tokens; a real model may report more, for thoughts and for prompts of
// its own tools, which the stats don't distinguish.
TokenCounts CountsOf(const Stats& stats) {
  const int64_t cached = TokenCount(stats.cached);
  const int64_t input =
      std::max<int64_t>(0, TokenCount(stats.input_tokens) - cached);
  return {.input = stats.input ? TokenCount(stats.input) : input,
          .cached = cached,
          .output = TokenCount(stats.output_tokens)};
}

absl::string_view FirstOf(std::initializer_list<absl::string_view> texts) {
  for (const absl::string_view text : texts) {
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

void GeminiProtocol::OnLine(json::Value line, Emitter& out) {
  const absl::string_view type = line.Get("type").StringOr("");
  if (type == "message") {
    OnMessage(Read<MessageLine>(line, {drift(), "message"}), out);
    return;
  }
  EndText(out);
  if (type == "tool_use") {
    OnToolUse(Read<ToolUseLine>(line, {drift(), "tool_use"}), out);
  } else if (type == "tool_result") {
    OnToolResult(Read<ToolResultLine>(line, {drift(), "tool_result"}), out);
  } else if (type == "init") {
    OnInit(Read<InitLine>(line, {drift(), "init"}), out);
  } else if (type == "result") {
    OnResult(Read<ResultLine>(line, {drift(), "result"}), out);
  } else if (type == "error") {
    OnError(Read<ErrorLine>(line, {drift(), "error"}), out);
  } else {
    ReportUnknown("line.type", type);
    out.EmitRaw(type, type.empty() ? "no type" : "");
  }
}

void GeminiProtocol::OnEnd(Result result, Emitter& out) {
  EndText(out);
  EndAllAgents(out);
  result.text = std::exchange(last_text_, {});
  result.usage = meter().Unreported();
  ledger().EndStream(std::move(result), out);
}

void GeminiProtocol::OnInit(const InitLine& init, Emitter& out) {
  if (had_init_) {
    OnEnd(ResultOfEnd({}), out);
    NextGeneration();
    had_result_ = false;
  }
  had_init_ = true;
  last_error_.clear();
  ledger().StartTurn();
  if (!init.session_id.empty()) set_session_id(init.session_id);
  Init message;
  message.session_id = std::string(init.session_id);
  message.model = std::string(init.model);
  out.Emit(std::move(message));
}

void GeminiProtocol::OnMessage(const MessageLine& message, Emitter& out) {
  const bool by_model = message.role == "assistant";
  const bool fragment = by_model && message.delta.value_or(false);
  if (!fragment || !message.content.IsString()) EndText(out);
  if (!by_model && message.role != "user") {
    ReportUnknown("message.role", message.role);
    out.EmitRaw("message", "unknown role");
    return;
  }
  ledger().StartTurn();
  const std::optional<absl::string_view> content = message.content.String();
  if (!content) {
    ReportUnknown("message.content", json::TypeName(message.content.type()));
    out.EmitRaw("message", "the content is not a string");
  } else if (fragment) {
    AddFragment(*content, out);
  } else if (by_model) {
    last_text_ = std::string(*content);
    out.Emit(Text{last_text_});
  } else {
    // Old versions (0.20) append two newlines to a prompt from stdin.
    absl::string_view prompt = *content;
    while (absl::ConsumeSuffix(&prompt, "\n")) {
    }
    out.Emit(UserInput{.text = std::string(prompt)});
  }
}

void GeminiProtocol::AddFragment(absl::string_view text, Emitter& out) {
  if (text_.size() + text.size() > kMaxTextBytes) EndText(out);
  if (block_id_.empty()) {
    block_id_ = absl::StrCat("text-", out.record().number);
  }
  absl::StrAppend(&text_, text);
  out.Emit(TextDelta{std::string(text)}, block_id_);
}

void GeminiProtocol::EndText(Emitter& out) {
  if (block_id_.empty()) return;
  last_text_ = text_;
  out.Emit(Text{std::exchange(text_, {})}, block_id_);
  block_id_.clear();
}

void GeminiProtocol::OnError(const ErrorLine& error, Emitter& out) {
  const bool warning = error.severity == "warning";
  if (!warning && error.severity != "error") {
    ReportUnknown("error.severity", error.severity);
  }
  last_error_ = std::string(error.message);
  out.Emit(Notice{.kind = warning ? Notice::Kind::kInfo : Notice::Kind::kError,
                  .text = last_error_});
}

void GeminiProtocol::OnResult(const ResultLine& result, Emitter& out) {
  // A process has one turn, whose start may be missing.
  if (!ledger().turn_open() && had_result_) {
    out.EmitRaw("result", "no turn is open");
    return;
  }
  had_result_ = true;
  const ErrorInfo error =
      ReadErrorInfo(result.error, {drift(), "result.error"});
  Result end;
  end.is_error = result.status != "success";
  end.reason = std::string(FirstOf({error.type, result.status}));
  if (end.is_error) {
    if (result.status != "error") ReportUnknown("result.status", result.status);
    end.error = std::string(FirstOf({error.message, last_error_, result.status,
                                     "the result has no status"}));
  }
  const Stats stats = ReadStats(result.stats, drift());
  end.duration = stats.duration;
  if (result.stats.IsObject()) {
    end.usage = meter().AddTurn(CountsOf(stats));
    out.Emit(Usage(end.usage));
  } else {
    end.usage = meter().Unreported();
  }
  last_error_.clear();
  end.text = std::exchange(last_text_, {});
  EndAllAgents(out);
  ledger().EndTurn(std::move(end), out);
}

}  // namespace troika::gemini
