#include "cli/attach/history.h"

#include <sys/stat.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HistoryTest, KeepsLines) {
  const TempFolder folder;
  const HistoryFile file(folder.Path("history"));
  EXPECT_THAT(*file.Load(), IsEmpty());
  ASSERT_TRUE(file.Add("one").ok());
  ASSERT_TRUE(file.Add("two\nlines \\n and \\").ok());
  ASSERT_TRUE(file.Add("").ok());
  ASSERT_TRUE(HistoryFile(folder.Path("history")).Add("漢").ok());
  EXPECT_THAT(*file.Load(), ElementsAre("one", "two\nlines \\n and \\", "漢"));
  struct stat info = {};
  ASSERT_EQ(stat(folder.Path("history").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(HistoryTest, IsBounded) {
  const TempFolder folder;
  const HistoryFile file(folder.Path("history"));
  const std::string line(HistoryFile::kMaxLineBytes - 10, 'x');
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(file.Add(line + std::to_string(i)).ok());
  }
  ASSERT_TRUE(file.Add(line + line).ok());
  EXPECT_LE(ReadWhole(folder.Path("history")).size(),
            HistoryFile::kMaxFileBytes);
  const auto lines = file.Load();
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_EQ(lines->back(), line + "299");
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(file.Add("short").ok());
  EXPECT_EQ(file.Load()->size(), HistoryFile::kMaxLines);
}

TEST(HistoryTest, TakesAnyFile) {
  const TempFolder folder;
  ASSERT_TRUE(WriteFile(folder.Path("a"), "\xff\\\n\nok\nincomplete").ok());
  EXPECT_THAT(*HistoryFile(folder.Path("a")).Load(),
              ElementsAre("\ufffd\\", "ok"));
  ASSERT_TRUE(WriteFile(folder.Path("b"), std::string(3 << 20, '\0')).ok());
  EXPECT_THAT(*HistoryFile(folder.Path("b")).Load(), IsEmpty());
  EXPECT_FALSE(HistoryFile(folder.path()).Load().ok());
  ASSERT_EQ(symlink("/etc/passwd", folder.Path("c").c_str()), 0);
  EXPECT_FALSE(HistoryFile(folder.Path("c")).Add("x").ok());
}

}  // namespace
}  // namespace troika::cli
