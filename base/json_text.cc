#include "base/json_text.h"

#include "base/json.h"
#include "simdjson.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace troika::json {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool NeedsEscape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

char* PutEscape(unsigned char c, char* to) {
  constexpr absl::string_view kHex = "0123456789abcdef";
  *to++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *to++ = static_cast<char>(c);
      return to;
    case '\n':
      *to++ = 'n';
      return to;
    case '\r':
      *to++ = 'r';
      return to;
    case '\t':
      *to++ = 't';
      return to;
    default:
      for (const char d : {'u', '0', '0', kHex[c >> 4], kHex[c & 0xF]}) {
        *to++ = d;
      }
      return to;
  }
}

#if defined(__SSE2__)
// Returns a bit for each of the 16 bytes that needs an escape.
int EscapeMask(__m128i block) {
  const __m128i control = _mm_set1_epi8(0x1F);
  return _mm_movemask_epi8(
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
                   _mm_cmpeq_epi8(_mm_max_epu8(block, control), control)));
}
#endif

// Uses a buffer because tools print an escape every few dozen bytes, and
// appending such short pieces to a string is slow.
void AppendEscaped(absl::string_view text, std::string* out) {
  char buffer[4096];
  char* to = buffer;
  char* const full = buffer + sizeof(buffer) - 16;
  const auto flush = [&] {
    out->append(buffer, to - buffer);
    to = buffer;
  };
  size_t i = 0;
#if defined(__SSE2__)
  while (i + 16 <= text.size()) {
    if (to > full) flush();
    const __m128i block =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), block);
    const int mask = EscapeMask(block);
    const int plain = mask == 0 ? 16 : __builtin_ctz(mask);
    i += plain;
    to += plain;
    if (mask == 0) continue;
    if (to > full) flush();
    to = PutEscape(text[i++], to);
  }
#endif
  for (; i < text.size(); ++i) {
    if (to > full) flush();
    if (NeedsEscape(text[i])) {
      to = PutEscape(text[i], to);
    } else {
      *to++ = text[i];
    }
  }
  flush();
}

// Up to this size, as for names and ids, calling the validator costs more than
// checking the bytes here.
constexpr size_t kShortBytes = 64;
constexpr uint64_t kOnes = 0x0101010101010101;

bool IsPlainAscii(absl::string_view text) {
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t block;
    std::memcpy(&block, text.data(), 8);
    const auto zero_byte = [](uint64_t x) { return (x - kOnes) & ~x; };
    const uint64_t hit = (block - kOnes * 0x20) |
                         zero_byte(block ^ kOnes * '"') |
                         zero_byte(block ^ kOnes * '\\') | block;
    if (hit & kOnes * 0x80) return false;
  }
  for (const unsigned char c : text) {
    if (c >= 0x80 || NeedsEscape(c)) return false;
  }
  return true;
}

// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t SequenceLength(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size()) return 0;
  return simdjson::validate_utf8(text.data(), length) ? length : 0;
}

}  // namespace

bool CopyAndFindControl(absl::string_view text, char* out) {
  size_t i = 0;
#if defined(__SSE2__)
  const __m128i control = _mm_set1_epi8(0x1F);
  __m128i hit = _mm_setzero_si128();
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i block =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), block);
    hit = _mm_or_si128(hit,
                       _mm_cmpeq_epi8(_mm_max_epu8(block, control), control));
  }
  bool found = _mm_movemask_epi8(hit) != 0;
#else
  bool found = false;
#endif
  for (; i < text.size(); ++i) {
    out[i] = text[i];
    found |= static_cast<unsigned char>(text[i]) < 0x20;
  }
  return found;
}

bool IsValidUtf8(absl::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string ToValidUtf8(absl::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    out.append(length == 0 ? kReplacement.data() : text.data(),
               length == 0 ? kReplacement.size() : length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

void AppendQuoted(absl::string_view text, std::string* out) {
  if (text.size() <= kShortBytes && IsPlainAscii(text)) {
    char quoted[kShortBytes + 2];
    quoted[0] = '"';
    text.copy(quoted + 1, text.size());
    quoted[text.size() + 1] = '"';
    out->append(quoted, text.size() + 2);
    return;
  }
  if (!IsValidUtf8(text)) {
    AppendQuoted(ToValidUtf8(text), out);
    return;
  }
  out->push_back('"');
  AppendEscaped(text, out);
  out->push_back('"');
}

}  // namespace troika::json
