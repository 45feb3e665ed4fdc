// Hints about errors, by what CLIs print when they fail: docs/tasks.md.
#ifndef TROIKA_TASK_HINTS_H_
#define TROIKA_TASK_HINTS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace troika {

// Only this much of an agent's stderr is searched, from its end.
inline constexpr size_t kMaxStderrBytes = size_t{64} << 10;

// The hint for an error that says `text`, or empty if we have none. If several
// match, the most specific. Searches the last kMaxStderrBytes.
absl::string_view HintFor(absl::string_view text);

// The hint for a tool's output that says why all tools fail, such as that
// the CLI's sandbox can't be set up: the agent goes on then, and may end its
// turn as done. Empty for all other outputs.
absl::string_view HintForTool(absl::string_view output);

// Whether a line on stderr means nothing: a greeting, a deprecation, a stack's
// frame. Such lines are no failures, and no hints come from them.
bool IsNoise(absl::string_view line);

// The last lines of a process's stderr that may mean something.
class StderrTail {
 public:
  void Add(absl::string_view line);

  // A line each, at most kMaxStderrBytes.
  absl::string_view text() const;
  // The last few, for an error's text.
  std::string Excerpt() const;

 private:
  std::string text_;
};

}  // namespace troika

#endif  // TROIKA_TASK_HINTS_H_
