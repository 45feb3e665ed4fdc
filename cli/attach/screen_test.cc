#include "cli/attach/screen.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/timeline/characters.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The little of a terminal that a Screen uses. Rows that leave the top are
// kept.
class FakeTerminal {
 public:
  explicit FakeTerminal(size_t columns, size_t rows)
      : columns_(columns), height_(rows), rows_(1) {}

  void Write(absl::string_view bytes) {
    while (!bytes.empty()) {
      const Character c = FirstCharacter(bytes);
      if (c.code == '\x1b') {
        const size_t end = bytes.find_first_of("ABCJKm");
        ASSERT_NE(end, absl::string_view::npos);
        Sequence(bytes[end], bytes.substr(2, end - 2));
        bytes.remove_prefix(end + 1);
        continue;
      }
      Put(c, bytes.substr(0, c.bytes));
      bytes.remove_prefix(c.bytes);
    }
  }

  // All rows, without those at the end that are empty.
  std::vector<std::string> Rows() const {
    std::vector<std::string> texts;
    for (const Row& row : rows_) texts.push_back(absl::StrJoin(row, ""));
    while (!texts.empty() && texts.back().empty()) texts.pop_back();
    return texts;
  }
  size_t row() const { return row_; }
  size_t column() const { return column_; }

 private:
  // A cell for each column; the second one of a wide character is empty.
  using Row = std::vector<std::string>;

  void Sequence(char kind, absl::string_view argument) {
    int n = 1;
    if (!absl::SimpleAtoi(argument, &n)) n = 1;
    const size_t top = rows_.size() > height_ ? rows_.size() - height_ : 0;
    if (kind == 'A') row_ = std::max(top, row_ - std::min<size_t>(row_, n));
    if (kind == 'B') row_ = std::min(rows_.size() - 1, row_ + n);
    if (kind == 'C') column_ = std::min(columns_ - 1, column_ + n);
    if (kind == 'K' || kind == 'J') {
      rows_[row_].resize(std::min(rows_[row_].size(), column_));
    }
    if (kind == 'J') {
      for (size_t i = row_ + 1; i < rows_.size(); ++i) rows_[i].clear();
    }
  }

  void Put(const Character& c, absl::string_view bytes) {
    if (c.code == '\r') {
      column_ = 0;
    } else if (c.code == '\n') {
      column_ = 0;
      if (++row_ == rows_.size()) rows_.emplace_back();
    } else {
      Row& row = rows_[row_];
      const size_t width = WidthOf(c.code);
      EXPECT_LE(column_ + width, columns_) << "a row is too long";
      if (row.size() < column_ + width) row.resize(column_ + width, " ");
      row[column_] = std::string(bytes);
      if (width == 2) row[column_ + 1] = "";
      column_ += width;
    }
  }

  const size_t columns_;
  const size_t height_;
  std::vector<Row> rows_;
  size_t row_ = 0;
  size_t column_ = 0;
};

InputArea Typed(absl::string_view line, std::vector<std::string> above = {}) {
  return {.above = std::move(above),
          .sign = "> ",
          .line = std::string(line),
          .cursor = line.size()};
}

TEST(ScreenTest, TextAppearsAboveTheLine) {
  Screen screen(20, 10);
  FakeTerminal terminal(20, 10);
  terminal.Write(screen.Draw(Typed("half", {"status"})));
  EXPECT_THAT(terminal.Rows(), ElementsAre("status", "> half"));
  screen.Print("one\n\ntwo\n");
  terminal.Write(screen.Draw(Typed("half ty", {"status"})));
  EXPECT_THAT(terminal.Rows(),
              ElementsAre("one", "", "two", "status", "> half ty"));
  EXPECT_EQ(terminal.row(), 4u);
  EXPECT_EQ(terminal.column(), 9u);
  // Nothing has changed.
  EXPECT_EQ(screen.Draw(Typed("half ty", {"status"})), "");
  terminal.Write(screen.Draw(Typed("half ty")));
  EXPECT_THAT(terminal.Rows(), ElementsAre("one", "", "two", "> half ty"));
  terminal.Write(screen.Erase());
  EXPECT_THAT(terminal.Rows(), ElementsAre("one", "", "two"));
  EXPECT_EQ(terminal.row(), 3u);
  EXPECT_EQ(terminal.column(), 0u);
}

TEST(ScreenTest, AnOpenLineGrowsAboveTheLine) {
  Screen screen(20, 10);
  FakeTerminal terminal(20, 10);
  for (const char* text : {"The ", "test fails", " since yesterday"}) {
    screen.Print(text);
    terminal.Write(screen.Draw(Typed("x")));
  }
  EXPECT_THAT(terminal.Rows(),
              ElementsAre("The test fails ", "since yesterday", "> x"));
  screen.Print(".\nNext\n");
  terminal.Write(screen.Draw(Typed("x")));
  EXPECT_THAT(terminal.Rows(), ElementsAre("The test fails ",
                                           "since yesterday.", "Next", "> x"));
  screen.Print("open");
  terminal.Write(screen.Erase());
  EXPECT_EQ(terminal.Rows().back(), "open");
  EXPECT_EQ(terminal.column(), 0u);
}

TEST(ScreenTest, LongAndWideLinesWrap) {
  Screen screen(12, 10);
  FakeTerminal terminal(12, 10);
  terminal.Write(screen.Draw(Typed("abcdefghij")));
  EXPECT_THAT(terminal.Rows(), ElementsAre("> abcdefghi", "  j"));
  terminal.Write(screen.Draw(Typed("漢字漢字漢")));
  EXPECT_THAT(terminal.Rows(), ElementsAre("> 漢字漢字", "  漢"));
  EXPECT_EQ(terminal.column(), 4u);
  InputArea area = Typed("one\ntwo");
  area.cursor = 3;
  terminal.Write(screen.Draw(area));
  EXPECT_THAT(terminal.Rows(), ElementsAre("> one", "  two"));
  EXPECT_EQ(terminal.row(), 0u);
  EXPECT_EQ(terminal.column(), 5u);
  // A full row: the cursor stands in the next one.
  terminal.Write(screen.Draw(Typed("abcdefghi")));
  EXPECT_EQ(terminal.row(), 1u);
  EXPECT_EQ(terminal.column(), 2u);
  // No control character of a line reaches the terminal.
  const std::string bytes = screen.Draw(Typed("a\x1b[2Jb\t\u202e"));
  EXPECT_THAT(bytes, HasSubstr("␛"));
}

TEST(ScreenTest, TheRowsAroundTheCursorAreShown) {
  Screen screen(20, 10);
  FakeTerminal terminal(20, 10);
  InputArea area = Typed("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12",
                         {"a", "b", "c", "d", "e", "f"});
  terminal.Write(screen.Draw(area));
  EXPECT_THAT(terminal.Rows(), ElementsAre("d", "e", "f", "  7", "  8", "  9",
                                           "  10", "  11", "  12"));
  area.cursor = 0;
  terminal.Write(screen.Draw(area));
  EXPECT_EQ(terminal.Rows()[3], "> 0");
  EXPECT_EQ(terminal.row(), 3u);
}

TEST(ScreenTest, ANarrowTerminalHasWrappedTheRows) {
  Screen screen(40, 10);
  screen.Draw(Typed("x", {std::string(30, 's'), std::string(5, 't')}));
  // The first row has become two.
  screen.Resize(20, 10);
  EXPECT_THAT(screen.Draw(Typed("x")), ::testing::StartsWith("\r\x1b[3A"));
}

TEST(ScreenTest, ColoursTakeNoRoom) {
  Screen screen(20, 10);
  FakeTerminal terminal(20, 10);
  terminal.Write(
      screen.Draw(Typed("x", {"\x1b[33m123456789012345678\x1b[0m",
                              "\x1b[33m1234567890123456789012\x1b[0m"})));
  EXPECT_THAT(terminal.Rows(),
              ElementsAre("123456789012345678", "123456789012345678…", "> x"));
}

}  // namespace
}  // namespace troika::cli
