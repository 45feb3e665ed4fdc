#include "testing/fake/claude_lines.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::fake {
namespace {

// Constant, so that the streams of one script are equal.
constexpr absl::string_view kTime = "2025-01-01T00:00:00.000Z";

// A million tokens of a Sonnet model cost 3, 0.3 and 15 dollars.
std::string CostOf(const Tokens& tokens) {
  return absl::StrCat((3.0 * static_cast<double>(tokens.input) +
                       0.3 * static_cast<double>(tokens.cached) +
                       15.0 * static_cast<double>(tokens.output)) /
                      1e6);
}

std::string UsageOf(const Tokens& tokens) {
  return json::ObjectWriter()
      .Json("input_tokens", absl::StrCat(tokens.input))
      .Json("cache_creation_input_tokens", "0")
      .Json("cache_read_input_tokens", absl::StrCat(tokens.cached))
      .Json("output_tokens", absl::StrCat(tokens.output))
      .Json("server_tool_use", R"({"web_search_requests":0})")
      .String("service_tier", "standard")
      .Take();
}

}  // namespace

std::string ClaudeLines::Init() {
  json::ObjectWriter line;
  line.String("type", "system").String("subtype", "init");
  if (Since(kClaudeUsageInResult)) line.String("cwd", options_.cwd);
  line.String("session_id", options_.session_id)
      .Json("tools",
            Since(kClaudeTaskTools)
                ? R"(["Bash","Read","TaskCreate","TaskUpdate","Write"])"
                : R"(["Bash","Read","TodoWrite","Write"])")
      .Json("mcp_servers", "[]");
  if (Since(kClaudeUsageInResult)) {
    line.String("model", model())
        .String("permissionMode", options_.permission_mode)
        .String("apiKeySource", "none");
  }
  if (Since(kClaudeToolUseResult)) {
    line.String("claude_code_version", options_.version_text)
        .String("output_style", "default");
  }
  return Finish(std::move(line));
}

std::string ClaudeLines::Assistant(const Author& author,
                                   json::ObjectWriter block) {
  const std::string message = json::ObjectWriter()
                                  .String("id", author.message_id)
                                  .String("type", "message")
                                  .String("role", "assistant")
                                  .String("model", author.model)
                                  .Json("content", JsonArray({block.Take()}))
                                  .Json("stop_reason", "null")
                                  .Json("stop_sequence", "null")
                                  .Json("usage", UsageOf(author.tokens))
                                  .Take();
  json::ObjectWriter line;
  line.String("type", "assistant").Json("message", message);
  if (Since(kClaudeUsageInResult)) line.Json("parent_tool_use_id", "null");
  line.String("session_id", options_.session_id);
  return Finish(std::move(line));
}

std::string ClaudeLines::User(json::ObjectWriter block,
                              absl::string_view details) {
  const std::string message = json::ObjectWriter()
                                  .String("role", "user")
                                  .Json("content", JsonArray({block.Take()}))
                                  .Take();
  json::ObjectWriter line;
  line.String("type", "user").Json("message", message);
  if (Since(kClaudeUsageInResult)) line.Json("parent_tool_use_id", "null");
  line.String("session_id", options_.session_id);
  if (Since(kClaudeToolUseResult)) {
    line.String("timestamp", kTime);
    if (!details.empty()) line.Json("tool_use_result", details);
  }
  return Finish(std::move(line));
}

std::string ClaudeLines::ResultLine(const Result& result) {
  json::ObjectWriter line;
  if (!Since(kClaudeTypeComesLate)) line.String("type", "result");
  line.String("subtype", result.subtype)
      .Json("is_error", result.is_error == IsError::kYes ? "true" : "false")
      .Json("duration_ms", "1")
      .Json("duration_api_ms", "1")
      .Json("num_turns", "1");
  if (result.error.empty()) line.String("result", result.text);
  if (Since(kClaudeToolUseResult)) {
    line.String("stop_reason", result.stop_reason);
  }
  line.String("session_id", options_.session_id);
  AddUsage(result, line);
  if (Since(kClaudeUuids)) line.Json("permission_denials", "[]");
  if (Since(kClaudeTaskTools)) {
    line.String("terminal_reason", result.terminal_reason);
  }
  if (Since(kClaudeTypeComesLate)) line.String("type", "result");
  if (!result.error.empty() && Since(kClaudeToolUseResult)) {
    std::string error;
    json::AppendQuoted(result.error, &error);
    line.Json("errors", JsonArray({error}));
  }
  return Finish(std::move(line));
}

void ClaudeLines::AddUsage(const Result& result,
                           json::ObjectWriter& line) const {
  const std::string cost = CostOf(result.process);
  if (!Since(kClaudeUsageInResult)) {
    line.Json("cost_usd", cost).Json("total_cost", cost);
    return;
  }
  line.Json("total_cost_usd", cost).Json("usage", UsageOf(result.turn));
  if (!Since(kClaudeModelUsage)) return;
  const std::string usage =
      json::ObjectWriter()
          .Json("inputTokens", absl::StrCat(result.process.input))
          .Json("outputTokens", absl::StrCat(result.process.output))
          .Json("cacheReadInputTokens", absl::StrCat(result.process.cached))
          .Json("costUSD", cost)
          .Take();
  line.Json("modelUsage", json::ObjectWriter().Json(model(), usage).Take());
}

std::string ClaudeLines::Finish(json::ObjectWriter line) {
  if (Since(kClaudeUuids)) {
    line.String("uuid",
                absl::StrFormat("fa4e0000-0000-4000-8000-%012x", ++lines_));
  }
  return line.Take() + "\n";
}

std::string ClaudeLines::model() const {
  return options_.model.empty() ? "claude-sonnet-4-5" : options_.model;
}

}  // namespace troika::fake
