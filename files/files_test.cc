#include "testing/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "files/gitignore.h"
#include "files/glob.h"
#include "files/inlined_files.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(GlobTest, MatchesNamesAndFolders) {
  const struct {
    const char* pattern;
    const char* path;
    bool matches;
  } cases[] = {
      {"a.cc", "a.cc", true},
      {"a.cc", "b/a.cc", false},
      {"*.cc", "a.cc", true},
      {"*.cc", "b/a.cc", false},
      {"*", "", true},
      {"**", "a/b/c", true},
      {"**/*.cc", "a.cc", true},
      {"**/*.cc", "x/y/a.cc", true},
      {"src/**", "src/a/b", true},
      {"src/**/x/*.h", "src/x/a.h", true},
      {"src/**/x/*.h", "src/x/y/x/a.h", true},
      {"src/**/x/*.h", "src/y/a.h", false},
      {"a**b", "axxb", true},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"[a-c]x", "bx", true},
      {"[!a-c]x", "bx", false},
      {"[]]x", "]x", true},
      {"[x", "[x", true},
      {"\\*", "*", true},
      {"\\*", "a", false},
      {"*a*b*c", "xxaxxbxxc", true},
      {"*a*b*c", "xxaxxcxxb", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(MatchesGlob(c.pattern, c.path), c.matches)
        << c.pattern << " " << c.path;
  }
  EXPECT_TRUE(MatchesGlob("*", ".x"));
  EXPECT_FALSE(MatchesGlob("*", ".x", DotFiles::kOnlyByName));
  EXPECT_TRUE(MatchesGlob(".*", ".x", DotFiles::kOnlyByName));
  EXPECT_FALSE(MatchesGlob("**/a", ".x/a", DotFiles::kOnlyByName));
  EXPECT_TRUE(MatchesGlob(".x/**", ".x/a", DotFiles::kOnlyByName));
}

// A naive matcher would take longer than the universe exists.
TEST(GlobTest, ManyStarsAreNoTrouble) {
  std::string stars, folders;
  for (int i = 0; i < 100; ++i) absl::StrAppend(&stars, "*a");
  for (int i = 0; i < 100; ++i) absl::StrAppend(&folders, "**/a/");
  EXPECT_FALSE(MatchesGlob(stars + "b", std::string(5000, 'a')));
  std::vector<std::string> path(500, "a");
  EXPECT_FALSE(MatchesGlob(folders + "b", absl::StrJoin(path, "/")));
}

TEST(IgnoreRulesTest, LaterRulesPrecede) {
  IgnoreRules rules;
  rules.Add("", "# comment\n*.o\n!keep.o\n/top\nbuild/\na/b\nspace \r\n");
  using Kind = IgnoreRules::Kind;
  EXPECT_TRUE(rules.Ignores("x.o", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("d/x.o", Kind::kFile));
  EXPECT_FALSE(rules.Ignores("d/keep.o", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("top", Kind::kFile));
  EXPECT_FALSE(rules.Ignores("d/top", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("d/build", Kind::kFolder));
  EXPECT_FALSE(rules.Ignores("d/build", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("a/b", Kind::kFile));
  EXPECT_FALSE(rules.Ignores("c/a/b", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("space", Kind::kFile));
  rules.Add("d", "!x.o\n");
  EXPECT_FALSE(rules.Ignores("d/x.o", Kind::kFile));
  EXPECT_TRUE(rules.Ignores("dd/x.o", Kind::kFile));
}

class InlineTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    const std::string whole = absl::StrCat(top_, "/", path);
    std::filesystem::create_directories(
        std::filesystem::path(whole).parent_path());
    std::ofstream(whole) << text;
  }
  InlinedFiles Inline(const std::vector<std::string>& patterns,
                      const InlineLimits& limits = {}) {
    auto found = InlineFiles(top_, patterns, limits);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *std::move(found) : InlinedFiles();
  }
  static std::vector<std::string> Paths(const InlinedFiles& found) {
    std::vector<std::string> paths;
    for (const auto& file : found.files) paths.push_back(file.path);
    return paths;
  }
  static std::vector<std::string> LeftOut(const InlinedFiles& found) {
    std::vector<std::string> texts;
    for (const auto& one : found.left_out) {
      texts.push_back(absl::StrCat(one.path, ": ", one.reason));
    }
    return texts;
  }

  const TempFolder folder_;
  const std::string top_ = folder_.path() + "/repo/app";
};

TEST_F(InlineTest, FindsTextFilesAndSaysWhatItLeftOut) {
  Write("src/a.cc", "int a;");
  Write("src/deep/b.cc", "int b;\n");
  Write("src/c.h", "x");
  Write("src/.hidden.cc", "x");
  Write("src/bin.cc", std::string("a\0b", 3));
  Write("src/latin.cc", "\xe4");
  Write("src/large.cc", std::string(1001, 'x'));
  Write("../../outside.cc", "secret");
  ASSERT_EQ(symlink("../../../outside.cc", (top_ + "/src/link.cc").c_str()), 0);
  ASSERT_EQ(symlink("../..", (top_ + "/src/up").c_str()), 0);
  ASSERT_EQ(mkfifo((top_ + "/src/pipe.cc").c_str(), 0600), 0);
  InlinedFiles found =
      Inline({"./src/**/*.cc"}, {.file_bytes = 1000, .total_bytes = 5000});
  EXPECT_THAT(Paths(found), ElementsAre("src/a.cc", "src/deep/b.cc"));
  EXPECT_EQ(found.files[0].text, "int a;");
  EXPECT_THAT(LeftOut(found),
              ElementsAre("src/bin.cc: binary", "src/large.cc: over 1000 bytes",
                          "src/latin.cc: not UTF-8", "src/link.cc: a link",
                          "src/pipe.cc: no regular file"));
  EXPECT_EQ(InlinedText(found),
            "\n\nFile src/a.cc:\n```\nint a;\n```"
            "\n\nFile src/deep/b.cc:\n```\nint b;\n```"
            "\n\nFiles that match and were left out:"
            "\n- src/bin.cc (binary)\n- src/large.cc (over 1000 bytes)"
            "\n- src/latin.cc (not UTF-8)\n- src/link.cc (a link)"
            "\n- src/pipe.cc (no regular file)");
  found = Inline({"src/a.cc", "src/c.h", "src/a.*"});
  EXPECT_THAT(Paths(found), ElementsAre("src/a.cc", "src/c.h"));
}

TEST_F(InlineTest, PassesOverWhatGitWould) {
  Write("../.git/config", "x");
  Write("../.git/info/exclude", "excluded\n");
  Write("../.gitignore", "/app/above\n*.tmp\n");
  Write(".gitignore", "out/\n");
  Write("sub/.gitignore", "!b.tmp\nlocal\n");
  Write("sub/.git/config", "x");
  for (const char* name : {"above", "excluded", "a.tmp", "out/x", "sub/b.tmp",
                           "sub/local", "local", "kept"}) {
    Write(name, "text");
  }
  EXPECT_THAT(Paths(Inline({"**"})), ElementsAre("kept", "local", "sub/b.tmp"));
  EXPECT_THAT(Paths(Inline({".git/**", "sub/.git/config", "out/x"})),
              IsEmpty());
}

TEST_F(InlineTest, LimitsHold) {
  for (int i = 0; i < 9; ++i) Write(absl::StrCat("f", i), "12345");
  InlinedFiles found = Inline({"*"}, {.files = 3});
  EXPECT_THAT(Paths(found), ElementsAre("f0", "f1", "f2"));
  EXPECT_EQ(found.left_out_count, 6);
  found = Inline({"*"}, {.total_bytes = 12});
  EXPECT_THAT(Paths(found), ElementsAre("f0", "f1"));
  EXPECT_EQ(LeftOut(found)[0], "f2: over 12 bytes in all");
  found = Inline({"*"}, {.entries = 5});
  EXPECT_EQ(found.files.size(), 5u);
  EXPECT_EQ(found.incomplete, "the search ended after 5 files and folders");
  EXPECT_THAT(InlinedText(found), HasSubstr("There may be more files"));
}

TEST_F(InlineTest, PatternsStayWithinTheFolder) {
  Write("a", "x");
  const std::vector<std::string> kBad = {"", "/etc/*", "../*", "a/../../b",
                                         std::string(1001, 'x')};
  for (const std::string& pattern : kBad) {
    const std::vector<std::string> patterns = {pattern};
    EXPECT_TRUE(absl::IsInvalidArgument(InlineFiles(top_, patterns).status()))
        << pattern;
  }
  EXPECT_FALSE(CheckGlobs(std::vector<std::string>(51, "a")).ok());
  EXPECT_TRUE(absl::IsNotFound(
      InlineFiles(top_ + "/missing", std::vector<std::string>{"*"}).status()));
}

TEST_F(InlineTest, FencesDontEndEarly) {
  Write("a.md", "```\ncode\n```\n");
  EXPECT_EQ(InlinedText(Inline({"a.md"})),
            "\n\nFile a.md:\n````\n```\ncode\n```\n````");
}

}  // namespace
}  // namespace troika
