#include "cli/timeline/markdown.h"

#include <string>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/timeline/terminal_text.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

std::string Shown(absl::string_view text, size_t columns = 40,
                  Escapes escapes = Escapes::kNone) {
  return absl::StrReplaceAll(
      absl::StrJoin(MarkdownRows(text, columns, escapes), "\n"),
      {{"\x1b", "^"}});
}

TEST(MarkdownTest, SetsBlocksOff) {
  EXPECT_EQ(Shown("# Head\nsome *text*\nthat goes on\n\n---\n> quoted\n> more"),
            "Head\n\nsome text that goes on\n\n───\n\n│ quoted more");
}

TEST(MarkdownTest, IndentsLists) {
  EXPECT_EQ(Shown("- a\n- b\n  1. c\n  2. d\n- [x] e\n- [ ] f\n\nend"),
            "• a\n• b\n  1. c\n  2. d\n☒ e\n☐ f\n\nend");
  EXPECT_EQ(Shown("3. a\n\n4. b"), "3. a\n\n4. b");
  EXPECT_EQ(Shown("- one two three four", 12), "• one two three\n  four");
}

TEST(MarkdownTest, LeavesNothingOutButMarks) {
  EXPECT_EQ(
      Shown("a `b` **c** ~~d~~ [e](http://f) <b>g</b> &lt; &#27; <http://h>",
            100),
      "a `b` c d e (http://f) <b>g</b> < &#27; http://h");
  EXPECT_EQ(Shown("| a | b |\n|---|---|\n| long one | 2 |"),
            "a         b\nlong one  2");
  EXPECT_EQ(Shown("| a | b |\n|---|---|\n| long one | and another |", 16),
            "a │ b\nlong one │ and\nanother");
}

TEST(MarkdownTest, ColoursCode) {
  EXPECT_EQ(Shown("```c\nif (x) f(\"y\");  // z\n```\n`v` **w**", 60,
                  Escapes::kColours),
            "  ^[36mif^[0m (x) f(^[32m\"y\"^[0m);  ^[2m// z^[0m\n\n"
            "^[36mv^[0m ^[1mw^[0m");
  EXPECT_EQ(Shown("```diff\n-a\n+b\n c\n```", 60, Escapes::kColours),
            "  ^[31m-a^[0m\n  ^[32m+b^[0m\n   c");
  EXPECT_EQ(Shown("```\n  a\n\n\tb\n```"), "    a\n\n      b");
}

TEST(MarkdownTest, TextOfAgentsIsHarmless) {
  const std::string hostile =
      "\x1b]0;x\x07 [a](\x1b[2J) ![](\xc2\x9b) `\x1b[1m` \xff &#x1b;[2J";
  for (const unsigned char c :
       absl::StrJoin(MarkdownRows(hostile, 40, Escapes::kNone), "")) {
    EXPECT_GE(c, 0x20);
  }
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "> - ";
  EXPECT_FALSE(MarkdownRows(deep + "x", 40, Escapes::kColours).empty());
  EXPECT_TRUE(MarkdownRows("", 40, Escapes::kNone).empty());
}

TEST(MarkdownTest, ABlockIsCompleteWhenAnotherBegins) {
  const auto complete = [](absl::string_view text) {
    return std::string(text.substr(0, CompleteMarkdown(text)));
  };
  EXPECT_EQ(complete("a"), "");
  EXPECT_EQ(complete("a\n\n"), "");
  EXPECT_EQ(complete("a\n\nb"), "a\n\n");
  EXPECT_EQ(complete("- a\n\n  b"), "");
  EXPECT_EQ(complete("```\na\n\nb\n\nc"), "");
  EXPECT_EQ(complete("```\na\n\nb\n```\n\nc"), "```\na\n\nb\n```\n\n");
}

}  // namespace
}  // namespace troika::cli
