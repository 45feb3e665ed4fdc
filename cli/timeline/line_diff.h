#ifndef TROIKA_CLI_TIMELINE_LINE_DIFF_H_
#define TROIKA_CLI_TIMELINE_LINE_DIFF_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

struct DiffLine {
  enum class Kind { kSame, kRemoved, kAdded };
  Kind kind = Kind::kSame;
  absl::string_view text;  // Without its newline.
};

// How `before` becomes `after`, line by line: every line of both is there. An
// empty text has no lines; after a newline at the end comes an empty last line,
// so that a newline that is added or removed is seen. The lines view the
// texts. Takes time and memory in proportion to the sizes: where much differs
// in large texts, all of one stands before all of the other.
std::vector<DiffLine> DiffLines(absl::string_view before,
                                absl::string_view after);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_LINE_DIFF_H_
