#include "testing/model/request.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"

namespace troika::model {
namespace {

// Tags around text that a CLI adds in the user's name.
constexpr absl::string_view kOwnTags[] = {
    "system-reminder",    "environment_context", "user_instructions",
    "session_context",    "turn_aborted",        "INSTRUCTIONS",
    "skills_instructions"};

bool IsOfCli(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(text, "# AGENTS.md instructions for ")) return true;
  for (const absl::string_view tag : kOwnTags) {
    if (absl::StartsWith(text, absl::StrCat("<", tag, ">")) &&
        absl::EndsWith(text, absl::StrCat("</", tag, ">"))) {
      return true;
    }
  }
  return false;
}

struct Position {
  int serial = 0;
  int index = 0;
};

// Parses an id that CallId() made; a CLI may have added a prefix.
std::optional<Position> PositionOf(const std::string& id) {
  static const RE2* const kId = new RE2("_(\\d{3,6})_(\\d{1,4})$");
  Position position;
  if (!RE2::PartialMatch(id, *kId, &position.serial, &position.index)) {
    return std::nullopt;
  }
  return position;
}

// Older versions of Codex return an object with output and metadata.
std::string Readable(const std::string& text) {
  static const RE2* const kExitCode =
      new RE2("(?i)(?:exit[ _]code|exited with(?: exit)? code)\"?:? ?(\\d+)");
  json::Parser parser;
  std::string readable = text;
  const auto object = absl::StartsWith(text, "{")
                          ? parser.Parse(text)
                          : absl::StatusOr<json::Value>(json::Value());
  if (object.ok() && object->Get("output").IsString()) {
    readable = std::string(object->Get("output").StringOr(""));
  }
  std::string code;
  if (RE2::PartialMatch(text, *kExitCode, &code)) {
    absl::StrAppend(&readable, "\nexit code ", code);
  }
  return readable;
}

// Returns the rest of the line after the marker, if it is a path.
std::string PathAfter(absl::string_view text, absl::string_view marker) {
  const size_t at = text.find(marker);
  if (at == absl::string_view::npos) return "";
  text.remove_prefix(at + marker.size());
  const absl::string_view line = text.substr(0, text.find_first_of("<\n"));
  return absl::StartsWith(line, "/")
             ? std::string(absl::StripTrailingAsciiWhitespace(line))
             : "";
}

std::string FolderIn(Wire wire, absl::string_view text) {
  static constexpr absl::string_view kResponses[] = {"<cwd>"};
  static constexpr absl::string_view kMessages[] = {
      "Primary working directory: ", "<env>\nWorking directory: "};
  static constexpr absl::string_view kGemini[] = {
      "I'm currently working in the directory: ",
      "I'm currently working in the following directories:\n  - ",
      "- **Workspace Directories:**\n  - "};
  const auto first = [&](const auto& markers) {
    for (const absl::string_view marker : markers) {
      std::string path = PathAfter(text, marker);
      if (!path.empty()) return path;
    }
    return std::string();
  };
  switch (wire) {
    case Wire::kResponses:
      return first(kResponses);
    case Wire::kMessages:
      return first(kMessages);
    case Wire::kGemini:
      return first(kGemini);
    case Wire::kNone:
      return "";
  }
  return "";
}

}  // namespace

absl::string_view WireName(Wire wire) {
  switch (wire) {
    case Wire::kResponses:
      return "responses";
    case Wire::kMessages:
      return "messages";
    case Wire::kGemini:
      return "gemini";
    case Wire::kNone:
      return "none";
  }
  return "none";
}

bool Tool::Takes(absl::string_view parameter) const {
  return std::find(parameters.begin(), parameters.end(), parameter) !=
         parameters.end();
}

void Tool::AddParameters(json::Value schema) {
  for (const json::Member& member : schema.Get("properties").members()) {
    parameters.emplace_back(member.key);
    for (const json::Member& inner :
         member.value.Get("items").Get("properties").members()) {
      parameters.push_back(absl::StrCat(member.key, ".", inner.key));
    }
  }
}

const Tool* Request::FindTool(absl::string_view name) const {
  for (const Tool& tool : tools) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

std::vector<std::string> PromptTexts(const Request& request) {
  std::vector<std::string> texts;
  int message = -1;
  for (const Part& part : request.parts) {
    if (part.type != Part::Type::kText || part.role != Part::Role::kUser ||
        IsOfCli(part.text)) {
      continue;
    }
    if (part.message != message) texts.clear();
    message = part.message;
    texts.push_back(part.text);
  }
  return texts;
}

std::vector<std::string> NewResults(const Request& request) {
  std::optional<Position> newest;
  for (const Part& part : request.parts) {
    if (part.type != Part::Type::kCall) continue;
    const std::optional<Position> position = PositionOf(part.id);
    if (position) newest = position;
  }
  std::vector<std::pair<int, std::string>> found;
  std::set<std::string> seen;
  for (const Part& part : request.parts) {
    if (part.role == Part::Role::kAssistant &&
        (part.type == Part::Type::kText || !PositionOf(part.id))) {
      found.clear();
    }
    if (part.type != Part::Type::kResult) continue;
    const std::optional<Position> position = PositionOf(part.id);
    if (position && newest && position->serial != newest->serial) continue;
    // Claude Code 1.0.60 sends a lone first call and its result twice.
    if (!part.id.empty() && !seen.insert(part.id).second) continue;
    found.emplace_back(position ? position->index : 0, Readable(part.text));
  }
  std::stable_sort(
      found.begin(), found.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> results;
  for (auto& [index, text] : found) results.push_back(std::move(text));
  return results;
}

std::string WorkingFolder(const Request& request) {
  for (const std::string& text : request.system) {
    std::string folder = FolderIn(request.wire, text);
    if (!folder.empty()) return folder;
  }
  // The newest counts, because a thread may be resumed in another folder.
  std::string newest;
  for (const Part& part : request.parts) {
    if (part.type != Part::Type::kText || part.role != Part::Role::kUser) {
      continue;
    }
    std::string folder = FolderIn(request.wire, part.text);
    if (!folder.empty()) newest = std::move(folder);
  }
  return newest;
}

int HighestSerial(const Request& request) {
  int highest = 0;
  for (const Part& part : request.parts) {
    const std::optional<Position> position = PositionOf(part.id);
    if (position) highest = std::max(highest, position->serial);
  }
  return highest;
}

std::string CallId(absl::string_view prefix, int serial, int index) {
  return absl::StrFormat("%s_%03d_%d", prefix, serial, index);
}

}  // namespace troika::model
