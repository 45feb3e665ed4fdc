// Works on the characters of JSON texts, for base/json.
#ifndef TROIKA_BASE_JSON_TEXT_H_
#define TROIKA_BASE_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

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
inline __m128i Load16(const char* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
// Returns a bit for each of the 16 bytes that is special.
inline uint64_t SpecialMask16(const char* from) {
  const __m128i bytes = Load16(from);
  const __m128i control = _mm_set1_epi8(0x1F);
  return static_cast<uint64_t>(_mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                   _mm_cmpeq_epi8(_mm_max_epu8(bytes, control), control))));
}
#endif

// Returns the first special byte, or `end`.
inline const char* FindSpecial(const char* from, const char* end) {
#if defined(__SSE2__)
  for (; end - from >= 16; from += 16) {
    const uint64_t mask = SpecialMask16(from);
    if (mask != 0) return from + __builtin_ctzll(mask);
  }
#endif
  while (from != end && !IsSpecial(*from)) ++from;
  return from;
}

// Text with escapes is copied in blocks of this size. The last block that is
// copied may reach beyond the end of the text.
inline constexpr ptrdiff_t kBlockBytes = 64;

// Returns a bit for each byte of a block that is special.
inline uint64_t SpecialMask(const char* block) {
  uint64_t mask = 0;
#if defined(__SSE2__)
  for (int i = 0; i < kBlockBytes; i += 16) {
    mask |= SpecialMask16(block + i) << i;
  }
#else
  for (int i = 0; i < kBlockBytes; ++i) {
    mask |= uint64_t{IsSpecial(block[i])} << i;
  }
#endif
  return mask;
}

inline void CopyBlock(const char* from, char* to) {
  std::memcpy(to, from, kBlockBytes);
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
