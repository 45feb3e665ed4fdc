// Text with styles, wrapped into rows of a terminal.
#ifndef TROIKA_CLI_TIMELINE_STYLED_TEXT_H_
#define TROIKA_CLI_TIMELINE_STYLED_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika::cli {

// Bits that can be combined.
enum TextStyle : uint16_t {
  kPlainText = 0,
  kBoldText = 1 << 0,
  kDimText = 1 << 1,
  kItalicText = 1 << 2,
  kUnderlinedText = 1 << 3,
  kStruckText = 1 << 4,
  kRedText = 1 << 5,
  kGreenText = 1 << 6,
  kYellowText = 1 << 7,
  kCyanText = 1 << 8,
};

enum class Escapes { kNone, kColours };

// Sanitized text (terminal_text.h).
class StyledText {
 public:
  void Append(absl::string_view text, uint16_t style);
  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  void clear();

  // Returns rows of at most `columns`, or one row for each line if that is 0.
  std::vector<std::string> Rows(size_t columns, Escapes escapes) const;

 private:
  std::string Painted(size_t begin, size_t end, Escapes escapes) const;

  std::string text_;
  std::vector<uint16_t> styles_;  // One for each byte.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_STYLED_TEXT_H_
