#include "policy/path_globs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troika::policy {
namespace {

// A set of more patterns takes seconds to be built.
constexpr size_t kMaxPatterns = 2000;
constexpr int64_t kMaxMemory = int64_t{16} << 20;

RE2::Options SetOptions() {
  RE2::Options options;
  options.set_dot_nl(true);  // Names may hold an end-of-line.
  options.set_log_errors(false);
  options.set_max_mem(kMaxMemory);
  return options;
}

// Returns the regular expression of a name in a pattern.
std::string NameRegex(absl::string_view name) {
  std::string regex;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '*') {
      regex += "[^/]*";
    } else if (name[i] == '?') {
      regex += "[^/]";
    } else {
      size_t end = std::min(name.find_first_of("*?", i), name.size());
      regex += RE2::QuoteMeta(
          re2::StringPiece(name.data() + i, static_cast<size_t>(end - i)));
      i = end - 1;
    }
  }
  return regex;
}

std::string GlobRegex(absl::string_view glob) {
  std::string regex;
  const std::vector<absl::string_view> names =
      absl::StrSplit(absl::StripPrefix(glob, "/"), '/');
  for (size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    if (names[i] != "**") {
      absl::StrAppend(&regex, NameRegex(names[i]), last ? "" : "/");
    } else {
      // At the end it needs a name: docs/** is not docs itself.
      absl::StrAppend(&regex, last ? ".+" : "(?:[^/]+/)*");
    }
  }
  return regex;
}

}  // namespace

CleanPath ToCleanPath(absl::string_view path, absl::string_view cwd) {
  CleanPath clean;
  const std::string whole = absl::StartsWith(path, "/")
                                ? std::string(path)
                                : absl::StrCat(cwd, "/", path);
  const size_t given = whole.size() - path.size();  // Where `path` begins.
  std::vector<absl::string_view> names;
  for (const absl::string_view name : absl::StrSplit(whole, '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
      continue;
    }
    if (names.empty()) continue;
    // The folder `cwd` is known as it is; what follows may be a link.
    const auto begin = static_cast<size_t>(names.back().data() - whole.data());
    clean.left_folder |= begin >= given;
    names.pop_back();
  }
  clean.path = absl::StrCat("/", absl::StrJoin(names, "/"));
  return clean;
}

bool MayBeRewritten(absl::string_view path) {
  // What JavaScript and Python trim, besides ASCII.
  constexpr absl::string_view kBlanks[] = {
      "\xC2\x85",     "\xC2\xA0",     "\xE1\x9A\x80", "\xE1\xA0\x8E",
      "\xE2\x80\x80", "\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83",
      "\xE2\x80\x84", "\xE2\x80\x85", "\xE2\x80\x86", "\xE2\x80\x87",
      "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
      "\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80",
      "\xEF\xBB\xBF"};
  if (path.empty()) return false;
  if (path.front() == '~') return true;
  for (const char c : {path.front(), path.back()}) {
    if (c == ' ' || absl::ascii_iscntrl(c)) return true;
  }
  return std::any_of(
      std::begin(kBlanks), std::end(kBlanks), [&](absl::string_view blank) {
        return absl::StartsWith(path, blank) || absl::EndsWith(path, blank);
      });
}

std::string GlobProblem(absl::string_view glob) {
  if (glob.empty()) return "a path can't be empty";
  if (glob.find_first_of("[]{}\\!~") != absl::string_view::npos) {
    return "a path has no special characters but *, ? and **: one of "
           "[ ] { } \\ ! ~ is in it";
  }
  if (glob == "/") return "a path needs a name: write /**";
  const absl::string_view names = absl::StripPrefix(glob, "/");
  for (const absl::string_view name : absl::StrSplit(names, '/')) {
    if (name.empty()) return "a path has no empty names: end it with /**";
    if (name == "." || name == "..") return "a path can't have . and ..";
    if (name != "**" && absl::StrContains(name, "**")) {
      return "** stands alone between slashes";
    }
  }
  return "";
}

PathGlobs::PathGlobs() {
  for (Patterns* patterns : {&relative_, &absolute_}) {
    patterns->set = std::make_unique<RE2::Set>(SetOptions(), RE2::ANCHOR_BOTH);
  }
}

void PathGlobs::Add(absl::string_view glob, int rule) {
  Patterns& patterns = absl::StartsWith(glob, "/") ? absolute_ : relative_;
  patterns.rules.push_back(rule);
  if (patterns.rules.size() > kMaxPatterns ||
      patterns.set->Add(GlobRegex(glob), nullptr) < 0) {
    patterns.usable = false;
  }
}

void PathGlobs::Compile() {
  for (Patterns* patterns : {&relative_, &absolute_}) {
    if (patterns->rules.empty() || !patterns->usable) continue;
    if (!patterns->set->Compile()) patterns->usable = false;
  }
}

bool PathGlobs::Patterns::Find(absl::string_view path,
                               std::vector<int>* found) const {
  if (rules.empty()) return true;
  if (!usable) return false;
  std::vector<int> indexes;
  RE2::Set::ErrorInfo error = {};
  const re2::StringPiece text(path.data(), path.size());
  if (!set->Match(text, &indexes, &error)) {
    return error.kind == RE2::Set::kNoError;
  }
  for (const int index : indexes) found->push_back(rules[index]);
  return true;
}

std::optional<std::vector<int>> PathGlobs::Find(
    absl::string_view clean_path, absl::string_view clean_folder) const {
  std::vector<int> found;
  if (!absolute_.Find(absl::StripPrefix(clean_path, "/"), &found)) {
    return std::nullopt;
  }
  absl::string_view below = clean_path;
  const bool inside = absl::ConsumePrefix(&below, clean_folder) &&
                      (clean_folder == "/" || absl::ConsumePrefix(&below, "/"));
  if (inside && !relative_.Find(below, &found)) return std::nullopt;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace troika::policy
