// Parses requests of Gemini's API, as Gemini CLI sends them.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

void AddPart(json::Value value, Part part, Request* to) {
  const json::Value call = value.Get("functionCall");
  const json::Value result = value.Get("functionResponse");
  const json::Value data = value.Get("inlineData");
  if (value.Get("thought").BoolOr(false)) return;
  if (call.exists()) {
    part.type = Part::Type::kCall;
    part.id = std::string(call.Get("id").StringOr(""));
    part.name = std::string(call.Get("name").StringOr(""));
    part.text = call.Get("args").ToJson();
  } else if (result.exists()) {
    part.type = Part::Type::kResult;
    part.id = std::string(result.Get("id").StringOr(""));
    part.name = std::string(result.Get("name").StringOr(""));
    const json::Value response = result.Get("response");
    json::Value output = response.Get("output");
    if (!output.exists()) output = response.Get("error");
    part.text = output.IsString() ? std::string(output.StringOr(""))
                                  : response.ToJson();
  } else if (data.exists()) {
    part.type = Part::Type::kImage;
    part.text = std::string(data.Get("mimeType").StringOr("image"));
  } else if (value.Get("text").IsString()) {
    part.text = std::string(value.Get("text").StringOr(""));
  } else {
    return;
  }
  to->parts.push_back(std::move(part));
}

void AddTools(json::Value tools, Request* to) {
  bool searches = false;
  for (const json::Value group : tools.items()) {
    searches |= group.Get("googleSearch").exists();
    for (const json::Value value : group.Get("functionDeclarations").items()) {
      Tool tool;
      tool.name = std::string(value.Get("name").StringOr(""));
      json::Value schema = value.Get("parametersJsonSchema");
      if (!schema.exists()) schema = value.Get("parameters");
      tool.AddParameters(schema);
      to->tools.push_back(std::move(tool));
    }
  }
  if (to->tools.empty()) {
    to->purpose = searches ? Purpose::kSearch : Purpose::kAside;
  }
}

}  // namespace

void ReadGemini(json::Value body, Request* to) {
  const json::Value thinking =
      body.Get("generationConfig").Get("thinkingConfig");
  const json::Value level = thinking.Get("thinkingLevel");
  const json::Value budget = thinking.Get("thinkingBudget");
  to->effort = std::string(level.StringOr(""));
  if (to->effort.empty() && budget.exists()) to->effort = budget.ToJson();
  const json::Value system = body.Get("systemInstruction");
  for (const json::Value part : system.Get("parts").items()) {
    to->system.emplace_back(part.Get("text").StringOr(""));
  }
  int message = 0;
  for (const json::Value content : body.Get("contents").items()) {
    Part part;
    part.message = ++message;
    if (content.Get("role").StringOr("") == "model") {
      part.role = Part::Role::kAssistant;
    }
    for (const json::Value value : content.Get("parts").items()) {
      AddPart(value, part, to);
    }
  }
  AddTools(body.Get("tools"), to);
}

}  // namespace troika::model
