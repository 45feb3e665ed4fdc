// Prints what git knows of a task's files.
#ifndef TROIKA_CLI_COMMANDS_GIT_DIFF_H_
#define TROIKA_CLI_COMMANDS_GIT_DIFF_H_

#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/io.h"
#include "cli/timeline/styled_text.h"

namespace troika::cli {

// Returns a line of a diff, sanitized and with its newline.
std::string DiffRow(absl::string_view line, Escapes escapes);

// Prints how the files differ from the last commit, or from nothing if there is
// none; files that git does not track are shown as new. `paths` are absolute or
// relative to `cwd`. The repository is not trusted: its own diff programs are
// not run, and the output is sanitized. Returns the exit code of git, which
// has printed the reason if that is not 0.
absl::StatusOr<int> PrintGitDiff(const std::string& cwd,
                                 const std::set<std::string>& paths,
                                 Escapes escapes, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_GIT_DIFF_H_
