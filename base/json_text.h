// Works on the characters of JSON texts, for base/json.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace troika::json {

// Strings are scanned and copied in blocks of this size.
inline constexpr ptrdiff_t kBlockBytes = 16;

// Whether `c` can't stand for itself in a JSON string: a quote, a backslash or
// a control character.
inline bool IsSpecial(unsigned char c) {
  return c < 0x20 || c == '"' || c == '\\';
}

#if defined(__SSE2__)
// Returns a bit for each of the 16 bytes that is special.
inline unsigned SpecialMask(__m128i block) {
  const __m128i control = _mm_set1_epi8(0x1F);
  return static_cast<unsigned>(_mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                   _mm_cmpeq_epi8(_mm_max_epu8(block, control), control))));
}
inline __m128i LoadBlock(const char* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
#endif

// Returns the first special byte, or `end`.
inline const char* FindSpecial(const char* from, const char* end) {
#if defined(__SSE2__)
  for (; end - from >= kBlockBytes; from += kBlockBytes) {
    const unsigned mask = SpecialMask(LoadBlock(from));
    if (mask != 0) return from + __builtin_ctz(mask);
  }
#endif
  while (from != end && !IsSpecial(*from)) ++from;
  return from;
}

// Copies the bytes before the first special one to `to`, moves `from` to it,
// and returns the end of the copy. May write 15 bytes more.
inline char* CopyToSpecial(const char** from, const char* end, char* to) {
  const char* at = *from;
#if defined(__SSE2__)
  for (; end - at >= kBlockBytes; at += kBlockBytes, to += kBlockBytes) {
    const __m128i block = LoadBlock(at);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
    const unsigned mask = SpecialMask(block);
    if (mask == 0) continue;
    *from = at + __builtin_ctz(mask);
    return to + __builtin_ctz(mask);
  }
#endif
  while (at != end && !IsSpecial(*at)) *to++ = *at++;
  *from = at;
  return to;
}

// A part of a text, and what to write in its place.
struct Mend {
  size_t begin;
  size_t end;
  std::string text;
};

// Reads a text in UTF-8 into `tree`, which has room for all its values. Strings
// without escapes borrow from the text; the others are written to `unescaped`,
// which has room for the text and a block. Sets `mends` to the faults that
// json.h says are mended: the caller must read the mended text again.
absl::Status ReadTree(absl::string_view text, internal::Tree* tree,
                      char* unescaped, std::vector<Mend>* mends);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
