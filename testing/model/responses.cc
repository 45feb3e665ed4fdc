// Parses requests of OpenAI's Responses API, as Codex CLI sends them.
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

// Returns image/png for "data:image/png;base64,…".
std::string ImageType(absl::string_view url) {
  if (!absl::ConsumePrefix(&url, "data:")) return "image";
  return std::string(url.substr(0, url.find(';')));
}

void AddContent(json::Value content, Part part, Request* to) {
  if (content.IsString()) {
    part.text = std::string(content.StringOr(""));
    to->parts.push_back(std::move(part));
    return;
  }
  for (const json::Value piece : content.items()) {
    const absl::string_view type = piece.Get("type").StringOr("");
    Part copy = part;
    if (type == "input_image") {
      copy.type = Part::Type::kImage;
      copy.text = ImageType(piece.Get("image_url").StringOr(""));
    } else {
      copy.text = std::string(piece.Get("text").StringOr(""));
    }
    to->parts.push_back(std::move(copy));
  }
}

// `output` is a string, a list of texts and images, or an object with either.
void AddOutput(json::Value output, Part part, Request* to) {
  if (output.IsObject() && output.Get("content").exists()) {
    output = output.Get("content");
  }
  if (output.IsString()) {
    part.text = std::string(output.StringOr(""));
  }
  for (const json::Value piece : output.items()) {
    if (piece.Get("type").StringOr("") == "input_image") {
      Part image = part;
      image.type = Part::Type::kImage;
      image.text = ImageType(piece.Get("image_url").StringOr(""));
      to->parts.push_back(std::move(image));
    } else {
      absl::StrAppend(&part.text, piece.Get("text").StringOr(""), "\n");
    }
  }
  to->parts.push_back(std::move(part));
}

void AddItem(json::Value item, int message, Request* to) {
  const absl::string_view type = item.Get("type").StringOr("message");
  const absl::string_view role = item.Get("role").StringOr("");
  Part part;
  part.message = message;
  if (type == "message" && (role == "developer" || role == "system")) {
    for (const json::Value piece : item.Get("content").items()) {
      to->system.emplace_back(piece.Get("text").StringOr(""));
    }
    if (item.Get("content").IsString()) {
      to->system.emplace_back(item.Get("content").StringOr(""));
    }
  } else if (type == "message") {
    if (role == "assistant") part.role = Part::Role::kAssistant;
    AddContent(item.Get("content"), std::move(part), to);
  } else if (absl::EndsWith(type, "_call_output")) {
    part.type = Part::Type::kResult;
    part.id = std::string(item.Get("call_id").StringOr(""));
    AddOutput(item.Get("output"), std::move(part), to);
  } else if (absl::EndsWith(type, "_call") && type != "web_search_call") {
    part.type = Part::Type::kCall;
    part.role = Part::Role::kAssistant;
    part.id = std::string(item.Get("call_id").StringOr(""));
    part.name = std::string(item.Get("name").StringOr(type));
    part.text = std::string(
        item.Get("arguments").StringOr(item.Get("input").StringOr("")));
    to->parts.push_back(std::move(part));
  }
}

Tool ReadTool(json::Value value, absl::string_view space) {
  Tool tool;
  tool.type = std::string(value.Get("type").StringOr(""));
  // Server-side tools have only a type.
  tool.name = std::string(value.Get("name").StringOr(tool.type));
  tool.space = std::string(space);
  tool.AddParameters(value.Get("parameters"));
  return tool;
}

// Tools without a namespace of their own are in "functions".
void AddTools(json::Value tools, Request* to) {
  for (const json::Value value : tools.items()) {
    if (value.Get("type").StringOr("") != "namespace") {
      to->tools.push_back(ReadTool(value, ""));
      continue;
    }
    const absl::string_view name = value.Get("name").StringOr("");
    for (const json::Value inner : value.Get("tools").items()) {
      to->tools.push_back(ReadTool(inner, name == "functions" ? "" : name));
    }
  }
}

}  // namespace

void ReadResponses(json::Value body, Request* to) {
  to->effort = std::string(body.Get("reasoning").Get("effort").StringOr(""));
  to->verbosity = std::string(body.Get("text").Get("verbosity").StringOr(""));
  if (body.Get("instructions").IsString()) {
    to->system.emplace_back(body.Get("instructions").StringOr(""));
  }
  int message = 0;
  for (const json::Value item : body.Get("input").items()) {
    AddItem(item, ++message, to);
    // Codex 0.166 puts the tools of models that run JavaScript here.
    AddTools(item.Get("tools"), to);
  }
  if (body.Get("input").IsString()) {
    to->parts.push_back({.text = std::string(body.Get("input").StringOr(""))});
  }
  AddTools(body.Get("tools"), to);
}

}  // namespace troika::model
