#include "relay/bytes.h"

#include <algorithm>

namespace troika::relay {
namespace {

void AppendNumber(uint64_t value, size_t bytes, std::string* out) {
  for (size_t i = 0; i < bytes; ++i, value >>= 8) {
    *out += static_cast<char>(value & 0xff);
  }
}

}  // namespace

ByteWriter& ByteWriter::U8(uint8_t value) {
  AppendNumber(value, 1, &bytes_);
  return *this;
}

ByteWriter& ByteWriter::U32(uint32_t value) {
  AppendNumber(value, 4, &bytes_);
  return *this;
}

ByteWriter& ByteWriter::I64(int64_t value) {
  AppendNumber(static_cast<uint64_t>(value), 8, &bytes_);
  return *this;
}

ByteWriter& ByteWriter::Millis(absl::Duration value) {
  return U32(static_cast<uint32_t>(
      std::clamp<int64_t>(absl::ToInt64Milliseconds(value), 0, UINT32_MAX)));
}

ByteWriter& ByteWriter::String(absl::string_view text) {
  U32(static_cast<uint32_t>(text.size()));
  bytes_.append(text.data(), text.size());
  return *this;
}

ByteWriter& ByteWriter::Strings(const std::vector<std::string>& texts) {
  U32(static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) String(text);
  return *this;
}

absl::string_view ByteReader::Take(size_t n) {
  if (n > rest_.size()) {
    ok_ = false;
    rest_ = {};
    return {};
  }
  const absl::string_view taken = rest_.substr(0, n);
  rest_.remove_prefix(n);
  return taken;
}

uint64_t ByteReader::Number(size_t bytes) {
  const absl::string_view taken = Take(bytes);
  uint64_t value = 0;
  for (size_t i = taken.size(); i-- > 0;) {
    value = value << 8 | static_cast<uint8_t>(taken[i]);
  }
  return value;
}

uint8_t ByteReader::U8() { return static_cast<uint8_t>(Number(1)); }
uint32_t ByteReader::U32() { return static_cast<uint32_t>(Number(4)); }
int64_t ByteReader::I64() { return static_cast<int64_t>(Number(8)); }
absl::Duration ByteReader::Millis() { return absl::Milliseconds(U32()); }
absl::string_view ByteReader::String() { return Take(U32()); }

std::vector<std::string> ByteReader::Strings() {
  std::vector<std::string> texts;
  const uint32_t count = U32();
  // If the count exceeds the bytes, the loop ends at the first missing string.
  for (uint32_t i = 0; i < count && ok_; ++i) texts.emplace_back(String());
  if (!ok_) texts.clear();
  return texts;
}

}  // namespace troika::relay
