// Encodes numbers and strings as bytes, for frames and for the relay's spec.
// Numbers are little endian; a string is its length and its bytes.
#ifndef TROIKA_RELAY_BYTES_H_
#define TROIKA_RELAY_BYTES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace troika::relay {

class ByteWriter {
 public:
  ByteWriter& U8(uint8_t value);
  ByteWriter& U32(uint32_t value);
  ByteWriter& I64(int64_t value);
  // Writes milliseconds in 32 bits, clamped to their range.
  ByteWriter& Millis(absl::Duration value);
  ByteWriter& String(absl::string_view text);
  ByteWriter& Strings(const std::vector<std::string>& texts);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reads the output of ByteWriter. Past the end all values are empty or 0, and
// ok() stays false.
class ByteReader {
 public:
  explicit ByteReader(absl::string_view bytes) : rest_(bytes) {}

  uint8_t U8();
  uint32_t U32();
  int64_t I64();
  absl::Duration Millis();
  absl::string_view String();  // Borrowed.
  std::vector<std::string> Strings();

  bool ok() const { return ok_; }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view Take(size_t n);
  uint64_t Number(size_t bytes);

  absl::string_view rest_;
  bool ok_ = true;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_BYTES_H_
