// Replaces small files as a whole, so that readers see the old or the new
// content, never a part.
#ifndef TROIKA_BASE_REPLACE_FILE_H_
#define TROIKA_BASE_REPLACE_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace troika {

// Writes a new file of mode 0600 beside `path` and renames it. Syncs nothing,
// so it is for what can be computed again. Thread-safe; blocks.
absl::Status ReplaceFile(const std::string& path, absl::string_view bytes);

}  // namespace troika

#endif  // TROIKA_BASE_REPLACE_FILE_H_
