#include "base/startup_memory.h"

#include <sys/auxv.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

// Returns the memory of mapped files in KiB.
int MappedFiles() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const std::vector<std::string> words =
        absl::StrSplit(line, absl::ByAnyChar(": \t"), absl::SkipEmpty());
    int kib = 0;
    if (words.size() > 1 && words[0] == "RssFile" &&
        absl::SimpleAtoi(words[1], &kib)) {
      return kib;
    }
  }
  return -1;
}

TEST(StartupMemoryTest, CodeIsUnmappedAndComesBack) {
  const int before = MappedFiles();
  ASSERT_GT(before, 0);
  ReleaseStartupMemory();
  const int after = MappedFiles();
  const bool is_static = getauxval(AT_BASE) == 0;
  EXPECT_TRUE(!is_static || after < before) << after << " of " << before;
  // All of it can be run and read again.
  EXPECT_GT(MappedFiles(), 0);
  EXPECT_GT(after, 0);
}

}  // namespace
}  // namespace troika
