#include "base/hmac.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

// The test cases of RFC 4231, section 4.
TEST(HmacTest, HasTheValuesOfTheStandard) {
  const struct {
    std::string key;
    std::string message;
    std::string digest;  // Or its first digits, if the case cuts it.
  } kCases[] = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {absl::HexStringToBytes(
           "0102030405060708090a0b0c0d0e0f10111213141516171819"),
       std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(20, '\x0c'), "Test With Truncation",
       "a3b6167473100ee06e0c796c2955552b"},
      {std::string(131, '\xaa'),
       "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than "
       "block-size data. The key needs to be hashed before being used by the "
       "HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const auto& c : kCases) {
    const std::string digest =
        absl::BytesToHexString(HmacSha256(c.key, c.message));
    EXPECT_EQ(digest.size(), 64u);
    EXPECT_EQ(digest.substr(0, c.digest.size()), c.digest) << c.message;
  }
}

}  // namespace
}  // namespace troika
