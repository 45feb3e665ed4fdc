// What the dashboard shows on the screen.
#ifndef TROIKA_CLI_DASHBOARD_FRAME_H_
#define TROIKA_CLI_DASHBOARD_FRAME_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/timeline/timeline.h"

namespace troika::cli {

struct Frame {
  struct Cursor {
    size_t row = 0;
    size_t column = 0;
  };
  std::vector<std::string> rows;  // Sanitized; they may have colours.
  std::optional<Cursor> cursor;   // Unset if it is hidden.
};

// Sets colours by their codes, if there are any.
class Paint {
 public:
  explicit Paint(Timeline::Color color) : color_(color) {}

  std::string operator()(absl::string_view code, absl::string_view text) const {
    if (color_ == Timeline::Color::kNever || code.empty() || text.empty()) {
      return std::string(text);
    }
    return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
  }
  Timeline::Color color() const { return color_; }

 private:
  Timeline::Color color_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_FRAME_H_
