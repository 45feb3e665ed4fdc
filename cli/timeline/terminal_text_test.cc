#include "cli/timeline/terminal_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

struct Case {
  absl::string_view text;
  absl::string_view harmless;
};

TEST(HarmlessTest, LeavesTextAlone) {
  constexpr absl::string_view kText = "a\tb\n  c é ✓ 漢字 🙂\n";
  EXPECT_EQ(Sanitized(kText), kText);
}

TEST(HarmlessTest, LeavesNoControlCharacter) {
  const Case cases[] = {
      {"\x1b[31mred\x1b[0m", "red"},
      {"\x1b[2K\x1b[38;5;12mx", "x"},
      {"\x1b[2J\x1b[H", "␛[2J␛[H"},
      {"\x1b]0;title\x07", "␛]0;title␇"},
      {"\x1b]52;c;ZXZpbA==\x1b\\", "␛]52;c;ZXZpbA==␛\\"},
      {"\x1bP1;2q", "␛P1;2q"},
      {"a\r\nb\rc", "a\nb\nc"},
      {"back\b\bspace\x7f", "back␈␈space␡"},
      {"c1 \xc2\x9b"
       "2J \xc2\x85",
       "c1 �2J �"},
      {"\xe2\x80\xaetxt.exe", "�txt.exe"},
      {"bad \xff\xc0\xaf utf", "bad ��� utf"},
      {"cut \xe2\x9c", "cut ��"},
      {"\xed\xa0\x80", "���"},
      {"\x1b", "␛"},
      {"\x1b[", "␛["},
  };
  for (const Case& c : cases) EXPECT_EQ(Sanitized(c.text), c.harmless);
  EXPECT_EQ(Sanitized(absl::string_view("\0x", 2)), "␀x");
}

TEST(HarmlessTest, IsHarmlessForEveryPairOfBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const char pair[] = {static_cast<char>(a), static_cast<char>(b)};
      for (const unsigned char c : Sanitized({pair, 2})) {
        ASSERT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << a << " " << b;
        ASSERT_NE(c, 0x7f);
      }
    }
  }
}

TEST(HarmlessTest, AnEndlessSequenceIsText) {
  const std::string text = absl::StrCat("\x1b[", std::string(1000, '1'), "m");
  EXPECT_EQ(Sanitized(text), absl::StrCat("␛", text.substr(1)));
}

TEST(HarmlessLineTest, IsOneShortLine) {
  EXPECT_EQ(SanitizedLine("  a \n\n\tb\r\n", 80), "a b");
  EXPECT_EQ(SanitizedLine("one two", 5), "one …");
  EXPECT_EQ(SanitizedLine("", 5), "");
  const std::string huge(10 << 20, 'x');
  EXPECT_EQ(SanitizedLine(huge, 3), "xx…");
  const std::string blank(10 << 20, ' ');
  EXPECT_EQ(SanitizedLine(absl::StrCat("x", blank, "y"), 3), "x…");
}

TEST(EscapedTest, TellsEveryByte) {
  EXPECT_EQ(Escaped("a\n\r\t\x1b[0m\x7f é"), "a\\n\\r\\t\\x1b[0m\\x7f é");
  EXPECT_EQ(Escaped("\xff\xe2\x80\xae\xc2\x9b"), "\\xff\\u{202e}\\u{9b}");
}

TEST(DisplayWidthTest, CountsColumns) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("é✓"), 2u);
  EXPECT_EQ(DisplayWidth("漢字"), 4u);
  EXPECT_EQ(DisplayWidth("🙂"), 2u);
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1u) << "a combining accent";
  EXPECT_EQ(DisplayWidth("ที่"), 1u) << "two marks of Thai";
  EXPECT_EQ(DisplayWidth("न्"), 1u) << "a virama";
  EXPECT_EQ(DisplayWidth("שָׁ"), 1u) << "two points of Hebrew";
}

TEST(CutToWidthTest, NeverCutsACharacter) {
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3), "ab…");
  EXPECT_EQ(CutToWidth("漢字漢字", 5), "漢字…");
  EXPECT_EQ(CutToWidth("漢字漢字", 4), "漢…");
  EXPECT_EQ(CutToWidth("漢字", 1), "…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
  for (size_t columns = 1; columns < 20; ++columns) {
    const std::string cut =
        CutToWidth("é漢🙂e\xcc\x81 abc 漢字 🙂🙂", columns);
    EXPECT_LE(DisplayWidth(cut), columns);
    EXPECT_EQ(Sanitized(cut), cut) << "still valid";
  }
}

TEST(CutMiddleToWidthTest, KeepsBothEnds) {
  EXPECT_EQ(CutMiddleToWidth("abc", 3), "abc");
  EXPECT_EQ(CutMiddleToWidth("abcdefgh", 6), "ab…fgh");
  for (size_t columns = 2; columns < 20; ++columns) {
    EXPECT_LE(DisplayWidth(CutMiddleToWidth("é漢🙂 abc 漢字 🙂🙂 end",
                                            columns)),
              columns);
  }
}

TEST(WrapToWidthTest, LeavesNothingOut) {
  EXPECT_EQ(WrapToWidth("abcde", 2),
            (std::vector<std::string>{"ab", "cd", "e"}));
  EXPECT_EQ(WrapToWidth("a漢字", 2),
            (std::vector<std::string>{"a", "漢", "字"}));
  EXPECT_EQ(WrapToWidth("漢", 1), std::vector<std::string>{"漢"});
  EXPECT_EQ(WrapToWidth("abc", 0), std::vector<std::string>{"abc"});
  EXPECT_EQ(WrapToWidth("ab cd efghijk l", 5),
            (std::vector<std::string>{"ab ", "cd ", "efghi", "jk l"}));
  EXPECT_EQ(WrapToWidth("ab    cd", 3),
            (std::vector<std::string>{"ab ", "   ", "cd"}));
  EXPECT_EQ(WrapToWidth("", 5), std::vector<std::string>{""});
}

}  // namespace
}  // namespace troika::cli
