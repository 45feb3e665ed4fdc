#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/redact.h"

namespace troika {
namespace {

constexpr size_t kMaxIdentifier = 128;

// Fields of events and tasks whose values are ours or the CLI's, not texts of
// the agent or its tools. A field that is added to dto/troika.proto is withheld
// until it is named here.
constexpr absl::string_view kShown[] = {"blockId",
                                        "by",
                                        "choice",
                                        "choices",
                                        "costSource",
                                        "delivery",
                                        "duration",
                                        "harness",
                                        "id",
                                        "kind",
                                        "lastEventId",
                                        "model",
                                        "nativeName",
                                        "outcome",
                                        "parentId",
                                        "parentToolUseId",
                                        "permissionMode",
                                        "phase",
                                        "resetsAt",
                                        "sessionId",
                                        "state",
                                        "status",
                                        "taskId",
                                        "time",
                                        "toolName",
                                        "toolUseId",
                                        "totalCostSource",
                                        "version",
                                        "via"};

void Append(const json::Value& value, absl::string_view key, std::string* out) {
  if (const auto text = value.String()) {
    const bool shown = text->empty() || IsShownWithheld(key, *text);
    json::AppendQuoted(shown ? *text : kWithheld, out);
  } else if (value.IsArray()) {
    out->push_back('[');
    bool first = true;
    for (const json::Value item : value.items()) {
      if (!std::exchange(first, false)) out->push_back(',');
      Append(item, NameOfItems(key), out);
    }
    out->push_back(']');
  } else if (value.IsObject()) {
    out->push_back('{');
    bool first = true;
    for (const json::Member& member : value.members()) {
      if (!std::exchange(first, false)) out->push_back(',');
      json::AppendQuoted(member.key, out);
      out->push_back(':');
      // A tool's input: its keys and numbers are the agent's, too.
      if (member.key == "input") {
        json::AppendQuoted(kWithheld, out);
      } else {
        Append(member.value, member.key, out);
      }
    }
    out->push_back('}');
  } else {
    value.AppendJson(out);
  }
}

}  // namespace

bool IsShownWithheld(absl::string_view json_name, absl::string_view value) {
  if (value.size() > kMaxIdentifier ||
      std::find(std::begin(kShown), std::end(kShown), json_name) ==
          std::end(kShown)) {
    return false;
  }
  return std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isalnum(c) || absl::StrContains("_-.:+/", c);
  });
}

absl::string_view NameOfItems(absl::string_view list_name) {
  return list_name == "choices" ? list_name : "";
}

void WithholdEvent(std::string* json, size_t from) {
  const absl::string_view all = absl::string_view(*json).substr(from);
  const absl::string_view end = absl::EndsWith(all, "\n") ? "\n" : "";
  json::Parser parser;
  const auto event = parser.Parse(all);
  std::string out;
  if (event.ok()) {
    Append(*event, "", &out);
  } else {
    json::AppendQuoted(kWithheld, &out);
  }
  json->replace(from, std::string::npos, absl::StrCat(out, end));
}

}  // namespace troika
