#include "cli/timeline/painted_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;

TEST(PaintedTextTest, ColoursTakeNoRoom) {
  EXPECT_EQ(PaintedWidth("\x1b[31m漢x\x1b[0m"), 3u);
  EXPECT_EQ(PaintedWidth("e\u0301"), 1u);
  EXPECT_EQ(CutPainted("\x1b[31mabcd\x1b[0m", 4), "\x1b[31mabcd\x1b[0m");
  EXPECT_EQ(CutPainted("\x1b[31mabcde\x1b[0m", 4), "\x1b[31mabc\x1b[0m…");
}

TEST(PaintedTextTest, WrapsAndGoesOnInTheSameColour) {
  EXPECT_THAT(
      WrapPainted("a\x1b[1m\x1b[31mbcd\x1b[0me", 2),
      ElementsAre("a\x1b[1m\x1b[31mb\x1b[0m", "\x1b[1m\x1b[31mcd\x1b[0m", "e"));
  EXPECT_THAT(WrapPainted("漢字", 3), ElementsAre("漢", "字"));
  // A character that is wider than a row gets one of its own.
  EXPECT_THAT(WrapPainted("漢字", 1), ElementsAre("漢", "字"));
  EXPECT_THAT(WrapPainted("", 5), ElementsAre(""));
}

}  // namespace
}  // namespace troika::cli
