// Makes a unified diff of two versions of a text.
//
//   UnifiedDiff("a.txt", "x\n", "y\n")
//   // --- a.txt
//   // +++ a.txt
//   // @@ -1 +1 @@
//   // -x
//   // +y
#ifndef TROIKA_AGENT_ACP_UNIFIED_DIFF_H_
#define TROIKA_AGENT_ACP_UNIFIED_DIFF_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika::acp {

// Returns one hunk from the first line that differs to the last one, with three
// lines of context; empty if the texts are equal. A file that is new, or is
// deleted, has an empty text. Takes time linear in the texts.
std::string UnifiedDiff(absl::string_view path, absl::string_view before,
                        absl::string_view after);

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_UNIFIED_DIFF_H_
