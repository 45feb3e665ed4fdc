#include "agent/claude/settings.h"

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "agent/launch/builder.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/status_macros.h"

namespace troika::claude {
namespace {

constexpr size_t kMaxDepth = 16;

// A value or an object.
struct Node {
  std::string json;
  std::map<std::string, Node> members;
};

std::string ToJson(const Node& node) {
  if (!node.json.empty()) return node.json;
  json::ObjectWriter writer;
  for (const auto& [name, member] : node.members) {
    writer.Json(name, ToJson(member));
  }
  return writer.Take();
}

std::string ValueJson(absl::string_view text) {
  json::Parser parser;
  if (parser.Parse(text).ok()) return std::string(text);
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  return quoted;
}

// `path` leads to both objects: "permissions.", or empty for the roots.
absl::StatusOr<std::string> Merge(json::Value of_mode, json::Value config,
                                  absl::string_view path) {
  json::ObjectWriter merged;
  for (const json::Member& member : of_mode.members()) {
    const json::Value other = config.Get(member.key);
    if (!other.exists()) {
      merged.Value(member.key, member.value);
      continue;
    }
    if (!member.value.IsObject() || !other.IsObject()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, member.key, " is set by the edit mode; leave it out"));
    }
    ASSIGN_OR_RETURN(
        const std::string inner,
        Merge(member.value, other, absl::StrCat(path, member.key, ".")));
    merged.Json(member.key, inner);
  }
  for (const json::Member& member : config.members()) {
    if (!of_mode.Get(member.key).exists()) {
      merged.Value(member.key, member.value);
    }
  }
  return merged.Take();
}

}  // namespace

absl::StatusOr<std::string> SettingsJson(absl::Span<const std::string> config) {
  Node root;
  for (const std::string& setting : config) {
    const absl::string_view key = ConfigKey(setting);
    const std::vector<absl::string_view> names = absl::StrSplit(key, '.');
    Node* node = &root;
    for (const absl::string_view name : names) {
      if (name.empty() || names.size() > kMaxDepth) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", setting, "\" is not key=value"));
      }
      node = &node->members[std::string(name)];
      if (!node->json.empty()) break;
    }
    if (!node->json.empty() || !node->members.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", setting, "\" sets again what another one does"));
    }
    node->json = ValueJson(absl::string_view(setting).substr(key.size() + 1));
  }
  return ToJson(root);
}

absl::StatusOr<std::string> MergeSettings(absl::string_view of_mode,
                                          absl::string_view config) {
  json::Parser mode_parser;
  json::Parser config_parser;
  ASSIGN_OR_RETURN(const json::Value mode, mode_parser.Parse(of_mode));
  ASSIGN_OR_RETURN(const json::Value rest, config_parser.Parse(config));
  return Merge(mode, rest, "");
}

}  // namespace troika::claude
