#include "agent/claude/content.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/record.h"

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

}  // namespace troika::claude
