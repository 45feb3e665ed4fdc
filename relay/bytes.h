// Encodes values as bytes, for frames and for the relay's spec. Numbers and
// enums are little endian, a duration is milliseconds in 32 bits, a time is
// microseconds in 64, a string is its length in 32 bits and its bytes, and a
// list is its length and its strings.
#ifndef TROIKA_RELAY_BYTES_H_
#define TROIKA_RELAY_BYTES_H_

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika::relay {

template <typename T>
concept Number = std::integral<T> || std::is_enum_v<T>;

class ByteWriter {
 public:
  template <typename... Ts>
  ByteWriter& operator()(const Ts&... values) {
    (Put(values), ...);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Put(Number auto value) {
    auto rest = static_cast<uint64_t>(value);
    for (size_t i = 0; i < sizeof(value); ++i, rest >>= 8) {
      bytes_ += static_cast<char>(rest & 0xff);
    }
  }
  void Put(absl::Duration value) {  // Clamped to the range.
    Put(static_cast<uint32_t>(
        std::clamp<int64_t>(absl::ToInt64Milliseconds(value), 0, UINT32_MAX)));
  }
  void Put(absl::Time value) { Put(absl::ToUnixMicros(value)); }
  void Put(absl::string_view text) {
    Put(static_cast<uint32_t>(text.size()));
    bytes_.append(text.data(), text.size());
  }

  std::string bytes_;
};

// Reads the output of ByteWriter. Past the end all values are empty or 0, and
// ok() stays false.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : rest_(bytes) {}

  // Sets the values; a string_view is borrowed.
  template <typename... Ts>
  ByteReader& operator()(Ts&... values) {
    (Get(values), ...);
    return *this;
  }
  bool ok() const { return ok_; }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view Take(size_t n) {
    if (n > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const absl::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  template <typename T>
  T Get() {
    T value = {};
    Get(value);
    return value;
  }
  template <Number T>
  void Get(T& value) {
    uint64_t number = 0;
    const absl::string_view taken = Take(sizeof(T));
    for (size_t i = taken.size(); i-- > 0;) {
      number = number << 8 | static_cast<uint8_t>(taken[i]);
    }
    value = static_cast<T>(number);
  }
  void Get(absl::Duration& value) {
    value = absl::Milliseconds(Get<uint32_t>());
  }
  void Get(absl::Time& value) { value = absl::FromUnixMicros(Get<int64_t>()); }
  void Get(absl::string_view& text) { text = Take(Get<uint32_t>()); }
  void Get(std::string& text) { text = std::string(Get<absl::string_view>()); }
  void Get(std::vector<std::string>& texts) {
    const auto count = Get<uint32_t>();
    // If the count exceeds the bytes, the loop ends at the first missing
    // string.
    for (uint32_t i = 0; i < count && ok_; ++i) {
      texts.push_back(Get<std::string>());
    }
  }

  absl::string_view rest_;
  bool ok_ = true;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_BYTES_H_
