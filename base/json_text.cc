#include "base/json_text.h"

#include <cstdint>
#include <cstring>

#include "base/json.h"

namespace troika::json {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

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

// Uses a buffer because tools print an escape every few dozen bytes, and
// appending such short pieces to a string is slow.
void AppendEscaped(absl::string_view text, std::string* out) {
  constexpr ptrdiff_t kPiece = 1024;
  char buffer[4 * kPiece];
  char* to = buffer;
  // Leaves room for a piece, an escape, and what CopyToSpecial writes beyond.
  char* const full = buffer + sizeof(buffer) - kPiece - 32;
  const auto flush = [&] {
    out->append(buffer, to - buffer);
    to = buffer;
  };
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    // A piece fills at most a quarter of the buffer, so that it always fits.
    const char* const stop = end - at > kPiece ? at + kPiece : end;
    to = CopyToSpecial(&at, stop, to);
    if (at != stop) to = PutEscape(*at++, to);
    if (to > full) flush();
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
    if (c >= 0x80 || IsSpecial(c)) return false;
  }
  return true;
}

// Returns the length of the valid UTF-8 sequence at the start of `text`, or 0.
size_t SequenceLength(const char* text, size_t size) {
  const auto byte = [&](size_t i) -> unsigned char {
    return i < size ? text[i] : 0;
  };
  const auto continues = [&](size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4 || !continues(1)) return 0;
  if (lead < 0xE0) return 2;
  // These would be encodings of shorter sequences, of surrogates, or of codes
  // beyond U+10FFFF.
  if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
      (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F) ||
      !continues(2)) {
    return 0;
  }
  if (lead < 0xF0) return 3;
  return continues(3) ? 4 : 0;
}

// Returns how many bytes at the start of `text` are valid UTF-8.
size_t ValidBytes(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
#if defined(__SSE2__)
    while (text.size() - i >= 16) {
      const int mask = _mm_movemask_epi8(LoadBlock(text.data() + i));
      i += mask == 0 ? 16 : __builtin_ctz(mask);
      if (mask != 0) break;
    }
#endif
    // Stays here while letters of another script follow each other.
    do {
      if (i == text.size()) return i;
      const size_t length = SequenceLength(text.data() + i, text.size() - i);
      if (length == 0) return i;
      i += length;
    } while (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80);
  }
  return i;
}

}  // namespace

bool IsValidUtf8(absl::string_view text) {
  return ValidBytes(text) == text.size();
}

std::string ToValidUtf8(absl::string_view text) {
  std::string out;
  while (true) {
    const size_t valid = ValidBytes(text);
    out.append(text.data(), valid);
    if (valid == text.size()) return out;
    out.append(kReplacement.data(), kReplacement.size());
    text.remove_prefix(valid + 1);
  }
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
