// Reads the text files of a folder that match patterns, to put them into a
// prompt.
//
//   ASSIGN_OR_RETURN(const InlinedFiles files,
//                    InlineFiles("/src/app", {"src/**/*.cc", "README.md"}));
//   prompt += InlinedText(files);
#ifndef TROIKA_FILES_INLINED_FILES_H_
#define TROIKA_FILES_INLINED_FILES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika {

struct InlineLimits {
  size_t patterns = 50;
  size_t pattern_bytes = 1000;
  size_t file_bytes = size_t{256} << 10;
  size_t total_bytes = size_t{1} << 20;
  size_t files = 200;
  size_t entries = 200000;  // Files and folders that are looked at.
  int depth = 64;
};

struct InlinedFiles {
  struct File {
    std::string path;  // Relative to the folder.
    std::string text;
  };
  struct LeftOut {
    std::string path;
    std::string reason;
  };
  std::vector<File> files;        // Sorted by their paths.
  std::vector<LeftOut> left_out;  // The first kMaxShown of them.
  int left_out_count = 0;
  // Why there may be more files than were found; empty: there are none.
  std::string incomplete;

  static constexpr size_t kMaxShown = 100;
};

// InvalidArgument if a pattern is empty, too long, absolute, or leads out of
// the folder with `..`.
absl::Status CheckGlobs(absl::Span<const std::string> patterns,
                        const InlineLimits& limits = {});

// Patterns are those of MatchesGlob(); wildcards match no names that begin with
// a dot. Follows no link. Passes over folders called `.git`, and what the
// .gitignore files of the folder, of those below and above it in the same
// repository, and .git/info/exclude ignore. Files that match and are links,
// binary, not UTF-8, or beyond the limits are left out. NotFound if there is no
// such folder. Blocks; thread-safe.
absl::StatusOr<InlinedFiles> InlineFiles(const std::string& folder,
                                         absl::Span<const std::string> patterns,
                                         const InlineLimits& limits = {});

// The files as a part of a prompt, with the list of what was left out.
std::string InlinedText(const InlinedFiles& files);

}  // namespace troika

#endif  // TROIKA_FILES_INLINED_FILES_H_
