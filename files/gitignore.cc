#include "files/gitignore.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "files/glob.h"

namespace troika {

void IgnoreRules::Add(absl::string_view folder, absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (rules_.size() >= kMaxRules) return;
    absl::ConsumeSuffix(&line, "\r");
    // Spaces at the end don't count, unless a backslash keeps them.
    while (absl::EndsWith(line, " ") && !absl::EndsWith(line, "\\ ")) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') continue;
    Rule rule = {.folder = std::string(folder)};
    rule.negated = absl::ConsumePrefix(&line, "!");
    rule.only_folders = absl::ConsumeSuffix(&line, "/");
    // A pattern without a slash in its midst matches at any depth.
    const bool anchored = absl::StrContains(line, '/');
    absl::ConsumePrefix(&line, "/");
    if (line.empty()) continue;
    rule.pattern = absl::StrCat(anchored ? "" : "**/", line);
    rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::Ignores(absl::string_view path, Kind kind) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->only_folders && kind != Kind::kFolder) continue;
    absl::string_view rest = path;
    if (!rule->folder.empty() && (!absl::ConsumePrefix(&rest, rule->folder) ||
                                  !absl::ConsumePrefix(&rest, "/"))) {
      continue;
    }
    if (MatchesGlob(rule->pattern, rest)) return !rule->negated;
  }
  return false;
}

}  // namespace troika
