#include "policy/match.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

namespace troika::policy {

absl::string_view BaseName(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

CodexMatches MatchAsCodex(const PrefixIndex& index,
                          const HostExecutablePaths& host_executables,
                          absl::Span<const std::string> words,
                          HostExecutables resolve) {
  CodexMatches found;
  if (words.empty()) return found;
  std::vector<CommandWord> command;
  for (const std::string& word : words) command.push_back({.text = word});
  found.rules = index.Find(words[0], command).rules;
  if (found.rules.empty() && resolve == HostExecutables::kResolve &&
      absl::StartsWith(words[0], "/")) {
    found.resolved_program = ToCleanPath(words[0], "").path;
    const absl::string_view name = BaseName(found.resolved_program);
    const auto paths = host_executables.find(std::string(name));
    if (paths == host_executables.end() ||
        std::find(paths->second.begin(), paths->second.end(),
                  found.resolved_program) != paths->second.end()) {
      found.rules = index.Find(name, command).rules;
    }
  }
  std::sort(found.rules.begin(), found.rules.end());
  return found;
}

std::vector<MatchedRule> MatchPrefixRules(const Rules& rules,
                                          absl::Span<const std::string> words,
                                          HostExecutables host_executables) {
  const Rules::Data& data = rules.data();
  const CodexMatches found = MatchAsCodex(
      data.prefixes, data.lists.host_executables, words, host_executables);
  std::vector<MatchedRule> matched;
  for (const int index : found.rules) {
    const PrefixRule& rule = *data.lists.prefix_rules[index];
    MatchedRule match = ToMatchedRule(rule);
    match.matched_prefix.assign(words.begin(),
                                words.begin() + rule.pattern.size());
    match.resolved_program = found.resolved_program;
    if (!found.resolved_program.empty()) {
      match.matched_prefix[0] = std::string(BaseName(found.resolved_program));
    }
    matched.push_back(std::move(match));
  }
  return matched;
}

}  // namespace troika::policy
