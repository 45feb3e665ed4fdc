#ifndef TROIKA_BASE_UTF8_H_
#define TROIKA_BASE_UTF8_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace troika {

// Returns the first bytes of `text`, at most `size`, up to the end of a whole
// character.
inline absl::string_view CutAtCharacter(absl::string_view text, size_t size) {
  if (text.size() <= size) return text;
  // At most three bytes follow a character's first; longer runs are no UTF-8.
  for (size_t i = size; i > 0 && i + 3 >= size; --i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) {
      return text.substr(0, i);
    }
  }
  return size < 4 ? absl::string_view() : text.substr(0, size);
}

}  // namespace troika

#endif  // TROIKA_BASE_UTF8_H_
