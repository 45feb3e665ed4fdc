#include "agent/discovery/cli_files.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SessionFilesTest, NewestFirstAtOneDepth) {
  TempFolder folder;
  folder.Write("a/old", "", 100);
  folder.Write("b/new", "", 300);
  folder.Write("b/mid", "", 200);
  folder.Write("b/skip", "", 400);
  folder.Write("b/c/deep", "", 500);
  folder.Write("top", "", 600);
  std::vector<std::string> names;
  for (const SessionFile& file :
       NewestFiles(folder.Path(""), 1, [](const std::filesystem::path& path) {
         return path.filename() != "skip";
       })) {
    names.push_back(file.path.filename());
  }
  EXPECT_THAT(names, ElementsAre("new", "mid", "old"));
  EXPECT_THAT(NewestFiles(folder.Path("none"), 1,
                          [](const std::filesystem::path&) { return true; }),
              IsEmpty());
}

TEST(SessionFilesTest, ReadsNoMoreThanAsked) {
  TempFolder folder;
  folder.Write("f", "0123456789");
  EXPECT_EQ(ReadHead(folder.Path("f"), 4), "0123");
  EXPECT_EQ(ReadTail(folder.Path("f"), 4), "6789");
  EXPECT_EQ(ReadHead(folder.Path("f"), 100), "0123456789");
  EXPECT_EQ(ReadTail(folder.Path("f"), 100), "0123456789");
  EXPECT_EQ(ReadHead(folder.Path("none"), 100), "");
  ASSERT_EQ(mkfifo(folder.Path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(ReadHead(folder.Path("pipe"), 100), "");
}

TEST(SessionFilesTest, VisitsObjectsOnly) {
  const absl::string_view text = "half}\n{\"a\":1}\n[2]\n\n{\"a\":3}\n{\"a\":4";
  std::vector<int64_t> seen;
  const auto visit = [&](json::Value line) {
    seen.push_back(line.Get("a").IntOr(0));
    return true;
  };
  VisitLines(text, Direction::kForward, visit);
  EXPECT_THAT(seen, ElementsAre(1, 3));
  seen.clear();
  VisitLines(text, Direction::kBackward, visit);
  EXPECT_THAT(seen, ElementsAre(3, 1));
}

TEST(SessionFilesTest, FoldersAreTheSameWhereLinksLead) {
  TempFolder folder;
  std::filesystem::create_directory(folder.Path("real"));
  std::filesystem::create_symlink("real", folder.Path("link"));
  EXPECT_TRUE(SameFolder(folder.Path("real"), folder.Path("link")));
  EXPECT_TRUE(SameFolder(folder.Path("real/"), folder.Path("./real/.")));
  EXPECT_TRUE(SameFolder("/no/such", "/no/such"));
  EXPECT_FALSE(SameFolder("/no/such", "/no/suck"));
  EXPECT_FALSE(SameFolder("", ""));
}

}  // namespace
}  // namespace troika
