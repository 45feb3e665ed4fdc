// Works on the characters of JSON texts, for base/json.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace troika::json {

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
  for (; end - from >= 16; from += 16) {
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
  for (; end - at >= 16; at += 16, to += 16) {
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

// Whether a double can't hold the number because it is too large.
bool IsBeyondDouble(absl::string_view number);

// Copies `text` to `out`, with lone surrogate escapes (Node prints them for a
// text that was cut inside an emoji) as \ufffd, and numbers beyond a double's
// range as strings of their digits. Returns false, with `out` unspecified, if
// there was nothing to mend. Takes one pass; `text` may be the contents of
// `out`.
bool MendEscapesAndNumbers(absl::string_view text, std::string* out);

}  // namespace troika::json

#endif  // TROIKA_BASE_JSON_TEXT_H_
