// Matches paths against patterns with wildcards, in time that is proportional
// to the product of their lengths.
//
//   MatchesGlob("src/**/*.cc", "src/a/b.cc")   // true
#ifndef TROIKA_FILES_GLOB_H_
#define TROIKA_FILES_GLOB_H_

#include "absl/strings/string_view.h"

namespace troika {

// Whether a wildcard matches a name that begins with a dot, if it stands there.
enum class DotFiles { kMatched, kOnlyByName };

// `*` matches any characters of a name, `?` one, `[a-z]` and `[!a-z]` one of a
// set; a backslash takes the next character as it is. A `**` that is a whole
// part of the pattern matches any number of folders, none included. Both paths
// have slashes between their parts and none at their ends.
bool MatchesGlob(absl::string_view pattern, absl::string_view path,
                 DotFiles dot_files = DotFiles::kMatched);

}  // namespace troika

#endif  // TROIKA_FILES_GLOB_H_
