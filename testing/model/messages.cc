// Parses requests of Anthropic's Messages API, as Claude Code sends them.
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

void AddImage(json::Value block, Part part, Request* to) {
  part.type = Part::Type::kImage;
  part.text =
      std::string(block.Get("source").Get("media_type").StringOr("image"));
  to->parts.push_back(std::move(part));
}

void AddResult(json::Value block, Part part, Request* to) {
  part.type = Part::Type::kResult;
  part.id = std::string(block.Get("tool_use_id").StringOr(""));
  const json::Value content = block.Get("content");
  part.text = std::string(content.StringOr(""));
  for (const json::Value piece : content.items()) {
    if (piece.Get("type").StringOr("") == "image") AddImage(piece, part, to);
    absl::StrAppend(&part.text, piece.Get("text").StringOr(""));
  }
  to->parts.push_back(std::move(part));
}

void AddBlock(json::Value block, Part part, Request* to) {
  const absl::string_view type = block.Get("type").StringOr("");
  if (type == "text") {
    part.text = std::string(block.Get("text").StringOr(""));
    to->parts.push_back(std::move(part));
  } else if (type == "image") {
    AddImage(block, std::move(part), to);
  } else if (type == "tool_result") {
    AddResult(block, std::move(part), to);
  } else if (type == "tool_use") {
    part.type = Part::Type::kCall;
    part.id = std::string(block.Get("id").StringOr(""));
    part.name = std::string(block.Get("name").StringOr(""));
    part.text = block.Get("input").ToJson();
    to->parts.push_back(std::move(part));
  }
}

}  // namespace

void ReadMessages(json::Value body, Request* to) {
  to->transfer =
      body.Get("stream").BoolOr(false) ? Transfer::kStream : Transfer::kWhole;
  to->effort =
      std::string(body.Get("output_config").Get("effort").StringOr(""));
  const json::Value system = body.Get("system");
  if (system.IsString()) to->system.emplace_back(system.StringOr(""));
  for (const json::Value block : system.items()) {
    to->system.emplace_back(block.Get("text").StringOr(""));
  }
  int message = 0;
  for (const json::Value value : body.Get("messages").items()) {
    Part part;
    part.message = ++message;
    if (value.Get("role").StringOr("") == "assistant") {
      part.role = Part::Role::kAssistant;
    }
    const json::Value content = value.Get("content");
    if (content.IsString()) {
      part.text = std::string(content.StringOr(""));
      to->parts.push_back(std::move(part));
      continue;
    }
    for (const json::Value block : content.items()) AddBlock(block, part, to);
  }
  bool searches = false;
  for (const json::Value value : body.Get("tools").items()) {
    Tool tool;
    tool.name = std::string(value.Get("name").StringOr(""));
    tool.type = std::string(value.Get("type").StringOr(""));
    searches |= absl::StartsWith(tool.type, "web_search_");
    tool.AddParameters(value.Get("input_schema"));
    to->tools.push_back(std::move(tool));
  }
  if (to->tools.empty()) {
    to->purpose = Purpose::kAside;
  } else if (searches && to->tools.size() == 1) {
    to->purpose = Purpose::kSearch;
  }
}

}  // namespace troika::model
