// Finds secrets by their shape, whatever the name of the variable or the file
// that they come from:
//
//   passwords in URLs            postgres://user:PASSWORD@host/db
//   keys with a known prefix     sk-…, ghp_…, AKIA…, glpat-…, xoxb-…, …
//   JSON web tokens              eyJ….eyJ….…
//   private keys                 -----BEGIN … PRIVATE KEY----- …
//   HTTP credentials             Authorization: Bearer …
//
// Most bytes are not looked at: a key is a run of 16 letters or more, which a
// scan in steps of 16 can't miss, and the rest begins with a byte or a word
// that memchr and memmem find.
#ifndef TROIKA_DTO_SECRET_SHAPES_H_
#define TROIKA_DTO_SECRET_SHAPES_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika {

struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

// In JSON no range reaches beyond a string or splits an escape.
enum class TextForm { kPlain, kJson };

// Adds the ranges that look like secrets from `from` on, in no order. They may
// overlap. Takes linear time for any text.
void FindSecretShapes(absl::string_view text, size_t from, TextForm form,
                      std::vector<TextRange>* out);

// Whether the byte at `at` follows an odd number of backslashes.
bool IsEscaped(absl::string_view json, size_t at);

}  // namespace troika

#endif  // TROIKA_DTO_SECRET_SHAPES_H_
