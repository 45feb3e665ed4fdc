#include "agent/claude/content.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace troika::claude {
namespace {

constexpr absl::string_view kWhere = "tool_result.content";

std::string ItemText(json::Value item, Drift* drift) {
  const Block block = Read<Block>(item, {drift, kWhere});
  if (block.type == "text") return std::string(block.text);
  // The bytes of images and documents would be useless in a text.
  if (block.type == "image" || block.type == "document") {
    return absl::StrCat("[", block.type, "]");
  }
  if (block.type == "web_search_result") {
    return absl::StrCat(item.Get("title").StringOr(""), " ",
                        item.Get("url").StringOr(""));
  }
  if (drift && block.type != "tool_reference") {
    drift->UnknownType(kWhere, block.type);
  }
  return item.ToJson();
}

Notice NoticeWith(Notice::Kind kind, std::string text) {
  return {.kind = kind, .text = std::move(text)};
}

// Returns "attempt 1 of 4: overloaded (HTTP 529), next in 500 ms".
std::string RetryText(const SystemLine& line, absl::string_view error) {
  std::string text = absl::StrCat("attempt ", line.attempt.value_or(0));
  if (line.max_retries) absl::StrAppend(&text, " of ", *line.max_retries);
  if (!error.empty()) absl::StrAppend(&text, ": ", error);
  if (line.error_status) {
    absl::StrAppend(&text, " (HTTP ", *line.error_status, ")");
  }
  if (line.retry_delay) {
    absl::StrAppendFormat(&text, ", next in %.0f ms",
                          absl::ToDoubleMilliseconds(*line.retry_delay));
  }
  return text;
}

std::string CompactionText(const CompactMetadata& metadata) {
  std::string text = "compacted";
  if (!metadata.trigger.empty()) {
    absl::StrAppend(&text, " (", metadata.trigger, ")");
  }
  if (metadata.pre_tokens) {
    absl::StrAppend(&text, ", ", *metadata.pre_tokens, " tokens before");
  }
  if (metadata.post_tokens) {
    absl::StrAppend(&text, ", ", *metadata.post_tokens, " after");
  }
  return text;
}

std::optional<Notice> StatusNotice(const SystemLine& line) {
  if (line.status == "compacting") {
    return NoticeWith(Notice::Kind::kCompaction, "compacting");
  }
  std::string text;
  if (!line.status.empty() && line.status != "requesting") {
    text = absl::StrCat("status: ", line.status);
  }
  if (!line.permission_mode.empty()) {
    absl::StrAppend(&text, text.empty() ? "" : ", ",
                    "permission mode: ", line.permission_mode);
  }
  if (text.empty()) return std::nullopt;
  return NoticeWith(Notice::Kind::kInfo, std::move(text));
}

}  // namespace

void AppendText(absl::string_view text, std::string* to) {
  if (!to->empty()) to->push_back('\n');
  to->append(text.data(), text.size());
}

std::string ToolOutput(json::Value content, Drift* drift) {
  if (content.IsString()) return std::string(content.StringOr(""));
  if (!content.exists()) return "";
  if (!content.IsArray()) return content.ToJson();
  std::string output;
  for (const json::Value item : content.items()) {
    AppendText(ItemText(item, drift), &output);
  }
  return output;
}

bool IsToolError(json::Value content) {
  return content.IsObject() &&
         absl::EndsWith(content.Get("type").StringOr(""), "_error");
}

UserInput PromptOf(json::Value content) {
  UserInput input;
  AppendText(content.StringOr(""), &input.text);
  for (const json::Value item : content.items()) {
    const Block block = Read<Block>(item, {});
    if (block.type == "text") AppendText(block.text, &input.text);
    if (block.type == "image") ++input.images;
  }
  return input;
}

absl::string_view ErrorText(json::Value error, const FieldScope& scope) {
  if (!error.IsObject()) return error.StringOr("");
  const auto known = Read<ApiError>(error, scope);
  return known.message.empty() ? known.type : known.message;
}

std::optional<Notice> NoticeOf(absl::string_view subtype,
                               const SystemLine& line, Drift* drift) {
  if (subtype == "status") return StatusNotice(line);
  if (subtype == "thinking_tokens") return std::nullopt;
  if (subtype == "api_retry") {
    return NoticeWith(
        Notice::Kind::kRetrying,
        RetryText(line, ErrorText(line.error, {drift, "system.error"})));
  }
  if (subtype == "compact_boundary") {
    return NoticeWith(
        Notice::Kind::kCompaction,
        CompactionText(Read<CompactMetadata>(
            line.compact_metadata, {drift, "system.compact_metadata"})));
  }
  if (subtype == "permission_denied") {
    return NoticeWith(Notice::Kind::kPermissionDenied,
                      absl::StrCat(line.tool_name, ": ", line.message));
  }
  if (subtype == "api_error") {
    std::string text(ErrorText(line.error, {drift, "system.error"}));
    if (text.empty()) text = std::string(line.message);
    if (text.empty()) text = std::string(line.content);
    if (line.attempt) text = RetryText(line, text);
    return NoticeWith(Notice::Kind::kError, std::move(text));
  }
  return NoticeWith(Notice::Kind::kInfo, std::string(line.content));
}

Notice NoticeOf(absl::string_view subtype, const HookLine& line) {
  std::string text = absl::StrCat(subtype, " ", line.name);
  if (!line.event.empty() && line.event != line.name) {
    absl::StrAppend(&text, " (", line.event, ")");
  }
  if (!line.outcome.empty()) absl::StrAppend(&text, ": ", line.outcome);
  if (line.exit_code) absl::StrAppend(&text, ", exit code ", *line.exit_code);
  // If present, `output` combines the other two.
  if (!line.output.empty()) {
    absl::StrAppend(&text, "\n",
                    absl::StripTrailingAsciiWhitespace(line.output));
  } else {
    for (const absl::string_view out : {line.stdout_text, line.stderr_text}) {
      if (out.empty()) continue;
      absl::StrAppend(&text, "\n", absl::StripTrailingAsciiWhitespace(out));
    }
  }
  return NoticeWith(Notice::Kind::kHook, std::move(text));
}

}  // namespace troika::claude
