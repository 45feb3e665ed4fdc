#include "policy/prefix_index.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace troika::policy {

int PrefixIndex::Child(int node, const std::vector<std::string>& alternatives) {
  std::string key = absl::StrCat(node);
  for (const std::string& word : alternatives) {
    absl::StrAppend(&key, " ", word.size(), ":", word);
  }
  const auto [found, added] =
      children_.try_emplace(std::move(key), static_cast<int>(nodes_.size()));
  if (!added) return found->second;
  nodes_.emplace_back();
  std::vector<std::string> words = alternatives;
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  for (const std::string& word : words) {
    nodes_[node].next[word].push_back(found->second);
  }
  return found->second;
}

void PrefixIndex::Add(const Pattern& pattern, int rule, bool restricts) {
  // Codex makes a rule of each alternative of the first word.
  for (const std::string& program : pattern.front()) {
    nodes_[0].restricts_below |= restricts;
    if (restricts) restricting_[Slot(program)] = true;
    int node = Child(0, {program});
    for (size_t i = 1; i < pattern.size(); ++i) {
      nodes_[node].restricts_below |= restricts;
      node = Child(node, pattern[i]);
    }
    nodes_[node].rules.push_back(rule);
  }
}

PrefixIndex::Matches PrefixIndex::Find(
    absl::string_view program, absl::Span<const CommandWord> words) const {
  Matches matches;
  absl::InlinedVector<int, 8> active = {0};
  absl::InlinedVector<int, 8> next;
  for (size_t i = 0; i < words.size() && !active.empty(); ++i) {
    next.clear();
    for (const int index : active) {
      const Node& node = nodes_[index];
      if (node.next.empty()) continue;
      if (!words[i].literal) {
        matches.may_restrict |= node.restricts_below;
        continue;
      }
      const auto found = node.next.find(i == 0 ? program : words[i].text);
      if (found == node.next.end()) continue;
      for (const int child : found->second) {
        next.push_back(child);
        const Node& reached = nodes_[child];
        matches.rules.insert(matches.rules.end(), reached.rules.begin(),
                             reached.rules.end());
      }
    }
    active = next;
  }
  return matches;
}

}  // namespace troika::policy
