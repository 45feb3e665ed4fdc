// Paths of files, and the patterns of edit_rule.
#ifndef TROIKA_POLICY_PATH_GLOBS_H_
#define TROIKA_POLICY_PATH_GLOBS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "re2/set.h"

namespace troika::policy {

// An absolute path without `.`, `..`, `//` and a slash at its end.
struct CleanPath {
  std::string path;
  // A `..` followed a name, so that links could lead elsewhere.
  bool left_folder = false;
};
// Makes `path` absolute by `cwd`. Looks at no file.
CleanPath ToCleanPath(absl::string_view path, absl::string_view cwd);

// True if a CLI may take `path` for another one, because it expands `~` or
// trims the text: the path begins with `~`, or it begins or ends with a blank
// (also one outside of ASCII) or a control character of ASCII.
bool MayBeRewritten(absl::string_view path);

// Returns why `glob` is no pattern, or an empty text. `**` is any number of
// folders, `*` and `?` stay within a name; there is nothing else.
std::string GlobProblem(absl::string_view glob);

// Which of many patterns match a path. A relative pattern is relative to the
// folder that Find is given.
class PathGlobs {
 public:
  PathGlobs();

  // `glob` must have no GlobProblem.
  void Add(absl::string_view glob, int rule);
  void Compile();  // To be called once, after the last Add.

  // Returns the rules whose patterns match, in order and each once; nullopt if
  // that can't be told, because the patterns are too many.
  std::optional<std::vector<int>> Find(absl::string_view clean_path,
                                       absl::string_view clean_folder) const;

 private:
  struct Patterns {
    std::unique_ptr<RE2::Set> set;
    std::vector<int> rules;  // By the index of a pattern in the set.
    bool usable = true;      // False if RE2 had not enough memory.

    bool Find(absl::string_view path, std::vector<int>* found) const;
  };

  Patterns relative_, absolute_;
};

}  // namespace troika::policy

#endif  // TROIKA_POLICY_PATH_GLOBS_H_
