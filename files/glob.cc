#include "files/glob.h"

#include <optional>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

namespace troika {
namespace {

// Takes one element of a pattern, which is not `*`, from its start. Returns
// whether it matches the character.
bool TakeElement(absl::string_view* pattern, char c) {
  const char first = pattern->front();
  pattern->remove_prefix(1);
  if (first == '?') return true;
  if (first == '\\' && !pattern->empty()) {
    const char escaped = pattern->front();
    pattern->remove_prefix(1);
    return escaped == c;
  }
  if (first != '[') return first == c;
  absl::string_view set = *pattern;
  const bool negated = absl::StartsWith(set, "!") || absl::StartsWith(set, "^");
  if (negated) set.remove_prefix(1);
  // A bracket that stands first is one of the set.
  const size_t end = set.find(']', 1);
  if (end == absl::string_view::npos) return first == c;
  pattern->remove_prefix(set.data() - pattern->data() + end + 1);
  set = set.substr(0, end);
  bool found = false;
  for (size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found |= set[i] <= c && c <= set[i + 2];
      i += 2;
    } else {
      found |= set[i] == c;
    }
  }
  return found != negated;
}

// Only the last `*` is tried again, because what an earlier one could take
// more, the last one can take as well.
bool MatchesName(absl::string_view pattern, absl::string_view name,
                 DotFiles dot_files) {
  if (dot_files == DotFiles::kOnlyByName && absl::StartsWith(name, ".") &&
      !absl::StartsWith(pattern, ".") && !absl::StartsWith(pattern, "\\.")) {
    return false;
  }
  struct Star {
    absl::string_view pattern;  // After it.
    absl::string_view name;     // What it has not taken yet.
  };
  std::optional<Star> star;
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star = {pattern, name};
      continue;
    }
    if (name.empty() && pattern.empty()) return true;
    if (!name.empty() && !pattern.empty() &&
        TakeElement(&pattern, name.front())) {
      name.remove_prefix(1);
      continue;
    }
    if (!star || star->name.empty()) return false;
    star->name.remove_prefix(1);
    pattern = star->pattern;
    name = star->name;
  }
}

}  // namespace

bool MatchesGlob(absl::string_view pattern, absl::string_view path,
                 DotFiles dot_files) {
  const std::vector<absl::string_view> wanted = absl::StrSplit(pattern, '/');
  const std::vector<absl::string_view> names = absl::StrSplit(path, '/');
  // As in MatchesName, with `**` in place of `*`.
  struct Stars {
    size_t wanted;
    size_t names;
  };
  std::optional<Stars> stars;
  size_t w = 0;
  size_t n = 0;
  while (true) {
    if (w < wanted.size() && wanted[w] == "**") {
      stars = {++w, n};
      continue;
    }
    if (w == wanted.size() && n == names.size()) return true;
    if (w < wanted.size() && n < names.size() &&
        MatchesName(wanted[w], names[n], dot_files)) {
      ++w;
      ++n;
      continue;
    }
    if (!stars || stars->names == names.size()) return false;
    if (dot_files == DotFiles::kOnlyByName &&
        absl::StartsWith(names[stars->names], ".")) {
      return false;
    }
    w = stars->wanted;
    n = ++stars->names;
  }
}

}  // namespace troika
