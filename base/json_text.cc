#include "base/json_text.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "simdjson.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace troika::json {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

bool NeedsEscape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// The length of the part at the start of `text` that needs no escape.
size_t PlainPrefix(absl::string_view text) {
  size_t i = 0;
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1F);
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i block =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    const __m128i hit =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote),
                                  _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmpeq_epi8(_mm_max_epu8(block, control), control));
    const int mask = _mm_movemask_epi8(hit);
    if (mask != 0) return i + __builtin_ctz(mask);
  }
#endif
  while (i < text.size() && !NeedsEscape(text[i])) ++i;
  return i;
}

void AppendEscape(unsigned char c, std::string* out) {
  switch (c) {
    case '"':
      out->append("\\\"");
      return;
    case '\\':
      out->append("\\\\");
      return;
    case '\n':
      out->append("\\n");
      return;
    case '\r':
      out->append("\\r");
      return;
    case '\t':
      out->append("\\t");
      return;
    default:
      absl::StrAppend(out, "\\u", absl::Hex(c, absl::kZeroPad4));
  }
}

// Names and ids: for them a validator's call costs more than their bytes.
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

// The length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t SequenceLength(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length > text.size()) return 0;
  return simdjson::validate_utf8(text.data(), length) ? length : 0;
}

}  // namespace

bool HasControlCharacter(absl::string_view text) {
  size_t i = 0;
#if defined(__SSE2__)
  const __m128i control = _mm_set1_epi8(0x1F);
  __m128i hit = _mm_setzero_si128();
  for (; i + 16 <= text.size(); i += 16) {
    const __m128i block =
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    hit = _mm_or_si128(hit,
                       _mm_cmpeq_epi8(_mm_max_epu8(block, control), control));
  }
  if (_mm_movemask_epi8(hit) != 0) return true;
#endif
  for (; i < text.size(); ++i) {
    if (static_cast<unsigned char>(text[i]) < 0x20) return true;
  }
  return false;
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
  while (!text.empty()) {
    const size_t plain = PlainPrefix(text);
    out->append(text.data(), plain);
    if (plain == text.size()) break;
    AppendEscape(text[plain], out);
    text.remove_prefix(plain + 1);
  }
  out->push_back('"');
}

}  // namespace troika::json
