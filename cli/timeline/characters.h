// Characters of UTF-8 text, and how a terminal shows them.
#ifndef TROIKA_CLI_TIMELINE_CHARACTERS_H_
#define TROIKA_CLI_TIMELINE_CHARACTERS_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace troika::cli {

inline constexpr char32_t kReplacement = 0xfffd;

struct Character {
  char32_t code = kReplacement;
  size_t bytes = 1;
  bool valid = false;  // False for a byte that is not UTF-8.
};

// Returns the first character of `text`, which must not be empty.
Character FirstCharacter(absl::string_view text);

// Whether it is one of C0, DEL and C1.
bool IsControl(char32_t code);
// Whether it changes the direction or order of text, or hides in it:
// bidirectional marks, line and paragraph separators, tags, zero-width spaces.
bool Reorders(char32_t code);
// Whether it takes no room, or looks like a space without being one.
bool IsInvisible(char32_t code);
// Whether it looks like a character that has a meaning to shells and programs:
// a slash, a semicolon, a bar.
bool LooksLikePunctuation(char32_t code);
// Whether it is a letter of another script that can be taken for an ASCII one.
bool LooksLikeLetter(char32_t code);
// Whether it is drawn over the character before it.
bool IsCombining(char32_t code);

// Returns how many columns of a terminal it takes: 0, 1 or 2.
size_t WidthOf(char32_t code);

// `code` must be a character of Unicode: at most U+10FFFF.
void AppendUtf8(char32_t code, std::string* out);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_CHARACTERS_H_
