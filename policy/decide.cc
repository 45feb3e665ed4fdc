#include "policy/decide.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "policy/decider.h"
#include "policy/path_globs.h"
#include "policy/rules_data.h"

namespace troika::policy {
namespace {

constexpr absl::string_view kProjectFolder = ".troika";

bool IsInFolder(absl::string_view path, absl::string_view folder) {
  return absl::StartsWithIgnoreCase(path, folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/' ||
          folder == "/");
}

bool Contains(const std::vector<std::string>& names, absl::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void DecidePath(const Rules::Data& data, absl::string_view path,
                absl::string_view folder, Decider* decider) {
  if (path.empty() || absl::StrContains(path, '\0') ||
      !json::IsValidUtf8(path)) {
    decider->Ask("a path is empty or not UTF-8");
    return;
  }
  const CleanPath clean = ToCleanPath(path, folder);
  const auto found = data.globs.Find(clean.path, folder);
  if (!found.has_value()) {
    decider->Ask("the edit rules are too many to be matched");
    return;
  }
  if (clean.left_folder) {
    decider->Ask(absl::StrCat("links could lead elsewhere: ", path));
  }
  if (MayBeRewritten(path)) {
    decider->Ask(absl::StrCat("a CLI could expand or trim the path: ", path));
  }
  for (const int index : *found) {
    decider->Matched(index, data.lists.edit_rules[index]->decision);
  }
  if (found->empty()) {
    decider->Unknown(
        [&] { return absl::StrCat("no rule speaks of ", clean.path); });
  }
}

}  // namespace

Verdict DecideEdit(const Rules& rules, const EditRequest& request) {
  const Rules::Data& data = rules.data();
  Decider decider(data.lists.edit_rules.size());
  const std::string folder = ToCleanPath(request.cwd, "").path;
  for (const std::string& path : request.paths) {
    DecidePath(data, path, folder, &decider);
  }
  if (request.paths.empty()) decider.Ask("it names no file");
  return decider.Finish(data.lists.broken, [&](int index) {
    return ToMatchedRule(*data.lists.edit_rules[index]);
  });
}

bool ChangesPolicy(const EditRequest& request,
                   absl::string_view policy_folder) {
  const std::string protected_folder = ToCleanPath(policy_folder, "").path;
  return std::any_of(
      request.paths.begin(), request.paths.end(), [&](const auto& path) {
        const std::string clean = ToCleanPath(path, request.cwd).path;
        if (!policy_folder.empty() && IsInFolder(clean, protected_folder)) {
          return true;
        }
        // Names without case: the file system may not tell them apart. The
        // path as given, too, because `..` may leave a link.
        for (const absl::string_view text :
             {absl::string_view(clean), absl::string_view(path)}) {
          if (absl::EndsWithIgnoreCase(text, kConfigFile)) return true;
          for (const absl::string_view name : absl::StrSplit(text, '/')) {
            if (absl::EqualsIgnoreCase(name, kProjectFolder)) return true;
          }
        }
        return false;
      });
}

Verdict DecideTool(const Rules& rules, const ToolRequest& request) {
  const Rules::Data& data = rules.data();
  const auto& all = data.lists.tool_rules;
  Decider decider(all.size());
  bool found = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!Contains(all[i]->servers, request.server)) continue;
    if (!all[i]->tools.empty() && !Contains(all[i]->tools, request.tool)) {
      continue;
    }
    found = true;
    decider.Matched(static_cast<int>(i), all[i]->decision);
  }
  if (!found) {
    decider.Unknown([&] {
      return absl::StrCat("no rule speaks of the tool ", request.tool,
                          request.server.empty() ? "" : " of ", request.server);
    });
  }
  return decider.Finish(data.lists.broken,
                        [&](int index) { return ToMatchedRule(*all[index]); });
}

}  // namespace troika::policy
