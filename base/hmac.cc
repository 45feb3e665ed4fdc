#include "base/hmac.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace troika {
namespace {

constexpr size_t kBlock = 64;

std::string Digest(absl::string_view bytes) {
  return absl::HexStringToBytes(Sha256(bytes));
}

std::string Xor(std::string block, char with) {
  for (char& byte : block) byte = static_cast<char>(byte ^ with);
  return block;
}

}  // namespace

std::string HmacSha256(absl::string_view key, absl::string_view message) {
  std::string block = key.size() > kBlock ? Digest(key) : std::string(key);
  block.resize(kBlock, '\0');
  return Digest(absl::StrCat(
      Xor(block, '\x5c'), Digest(absl::StrCat(Xor(block, '\x36'), message))));
}

}  // namespace troika
