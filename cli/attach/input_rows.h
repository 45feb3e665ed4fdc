// The rows of a terminal that a line takes while the user types it.
#ifndef TROIKA_CLI_ATTACH_INPUT_ROWS_H_
#define TROIKA_CLI_ATTACH_INPUT_ROWS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

struct InputRows {
  std::vector<std::string> texts;
  size_t cursor_row = 0;
  size_t cursor_column = 0;
};

// Wraps `line`, any UTF-8 in which a newline begins another row, to fewer than
// `columns`. `sign` comes before it and may have colours; `cursor` is a
// position in the line, in bytes.
InputRows LayInput(absl::string_view sign, absl::string_view line,
                   size_t cursor, size_t columns);

// Leaves out rows, so that `most` (at least 1) are left, with the cursor's.
void ShortenInput(size_t most, InputRows* rows);

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_INPUT_ROWS_H_
