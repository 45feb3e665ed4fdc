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
  bool valid = false;  // False: a byte that is not UTF-8.
};

// The first character of `text`, which is not empty.
Character FirstCharacter(absl::string_view text);

// C0, DEL and C1.
bool IsControl(char32_t code);
// Changes the direction of text or its order, or hides in it: bidirectional
// marks, line and paragraph separators, tags, spaces without a width.
bool Reorders(char32_t code);
// Takes no room, or looks like a space but is none.
bool IsInvisible(char32_t code);
// Looks like another character that shells and programs give a meaning to: a
// slash, a semicolon, a bar.
bool LooksLikePunctuation(char32_t code);
// A letter of another script that can be taken for an ASCII letter.
bool LooksLikeLetter(char32_t code);
// Is drawn over the character before it.
bool IsCombining(char32_t code);

// Columns of a terminal: 0, 1 or 2.
size_t WidthOf(char32_t code);

// `code` lies in the basic plane.
void AppendUtf8(char32_t code, std::string* out);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_CHARACTERS_H_
