// The rules of .gitignore files: which paths of a folder Git would not add.
#ifndef TROIKA_FILES_GITIGNORE_H_
#define TROIKA_FILES_GITIGNORE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika {

class IgnoreRules {
 public:
  enum class Kind { kFile, kFolder };

  // Adds the lines of a .gitignore file that is in `folder`, relative to the
  // top; empty: in the top itself. Rules that are added later precede. At most
  // kMaxRules count.
  void Add(absl::string_view folder, absl::string_view text);
  // Whether the rules ignore the path, which is relative to the top. Ask for
  // each folder above it first: what is in an ignored folder is ignored.
  bool Ignores(absl::string_view path, Kind kind) const;

  static constexpr size_t kMaxRules = 5000;

 private:
  struct Rule {
    std::string folder;
    std::string pattern;
    bool negated = false;
    bool only_folders = false;
  };
  std::vector<Rule> rules_;
};

}  // namespace troika

#endif  // TROIKA_FILES_GITIGNORE_H_
