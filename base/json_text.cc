#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/json.h"

namespace troika::json {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

// Maps a special character to the one that stands for it after a backslash; to
// 0 if it is written as \u00XX.
constexpr std::array<char, 256> kEscaped = [] {
  std::array<char, 256> table = {};
  table['"'] = '"';
  table['\\'] = '\\';
  table['\n'] = 'n';
  table['\r'] = 'r';
  table['\t'] = 't';
  return table;
}();

char* PutEscape(unsigned char c, char* to) {
  *to++ = '\\';
  *to = kEscaped[c];
  if (*to != 0) return to + 1;
  constexpr absl::string_view kHex = "0123456789abcdef";
  for (const char d : {'u', '0', '0', kHex[c >> 4], kHex[c & 0xF]}) *to++ = d;
  return to;
}

// Copies the first `size` bytes of a block with their escapes to `to`. Another
// block must follow in memory.
char* PutBlock(const char* block, ptrdiff_t size, char* to) {
  uint64_t mask = SpecialMask(block);
  if (size < kBlockBytes) mask &= (uint64_t{1} << size) - 1;
  const char* at = block;
  for (; mask != 0; mask &= mask - 1) {
    const char* const special = block + __builtin_ctzll(mask);
    CopyBlock(at, to);
    to = PutEscape(*special, to + (special - at));
    at = special + 1;
  }
  CopyBlock(at, to);
  return to + (block + size - at);
}

// Uses a buffer because appending short pieces to a string is slow.
void AppendEscaped(absl::string_view text, std::string* out) {
  char buffer[4096];
  char* to = buffer;
  // An escape takes at most 6 bytes.
  const char* const full = buffer + sizeof(buffer) - 7 * kBlockBytes;
  const auto put = [&](const char* block, ptrdiff_t size) {
    to = PutBlock(block, size, to);
    if (to <= full) return;
    out->append(buffer, to - buffer);
    to = buffer;
  };
  for (; text.size() >= 2 * kBlockBytes; text.remove_prefix(kBlockBytes)) {
    put(text.data(), kBlockBytes);
  }
  char rest[3 * kBlockBytes] = {};
  text.copy(rest, text.size());
  put(rest, std::min<ptrdiff_t>(text.size(), kBlockBytes));
  if (text.size() > kBlockBytes) {
    put(rest + kBlockBytes, text.size() - kBlockBytes);
  }
  out->append(buffer, to - buffer);
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
    for (uint64_t block; text.size() - i >= sizeof(block); i += sizeof(block)) {
      std::memcpy(&block, text.data() + i, sizeof(block));
      if (block & kOnes * 0x80) break;
    }
    while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
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
