#include "cli/dashboard/scrolled_rows.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TranscriptTest, FollowsItsEndUnlessTheUserScrolls) {
  Transcript rows;
  rows.Reset(4);
  EXPECT_THAT(rows.Shown(3), IsEmpty());
  rows.Add("one\ntwo\nthr");
  EXPECT_THAT(rows.Shown(2), ElementsAre("two", "thr"));
  // Lines are wrapped, and the last one may be open.
  rows.Add("ee\nopen");
  EXPECT_THAT(rows.Shown(3), ElementsAre("thre", "e", "open"));
  rows.Scroll(-1, 3);
  EXPECT_FALSE(rows.follows());
  EXPECT_THAT(rows.Shown(3), ElementsAre("two", "thre", "e"));
  rows.Add("ed\nmore\n");
  EXPECT_THAT(rows.Shown(3), ElementsAre("two", "thre", "e"));
  rows.ScrollToStart();
  rows.Scroll(-5, 3);
  EXPECT_THAT(rows.Shown(2), ElementsAre("one", "two"));
  rows.Scroll(100, 3);
  EXPECT_TRUE(rows.follows());
  EXPECT_THAT(rows.Shown(1), ElementsAre("more"));
}

TEST(TranscriptTest, KeepsABoundedNumberOfRows) {
  Transcript rows;
  rows.Reset(80);
  rows.ScrollToStart();
  for (size_t i = 0; i < Transcript::kMostRows + 10; ++i) {
    rows.Add(absl::StrCat(i, "\n"));
  }
  EXPECT_THAT(rows.Shown(1), ElementsAre("10"));
}

TEST(DocumentTest, IsSeenOnlyWithoutGaps) {
  Document document;
  document.Set({"a", "b", "c", "d", "e", "f"});
  EXPECT_FALSE(document.seen());
  EXPECT_THAT(document.Show(2), ElementsAre("a", "b"));
  EXPECT_EQ(document.Position(2), "rows 1-2 of 6");
  // The rows between were not shown.
  document.Scroll(100, 2);
  EXPECT_THAT(document.Show(2), ElementsAre("e", "f"));
  EXPECT_FALSE(document.seen());
  document.Scroll(-100, 2);
  for (int i = 0; i < 3; ++i) {
    document.Show(2);
    document.Scroll(2, 2);
  }
  EXPECT_TRUE(document.seen());
  EXPECT_EQ(document.Position(6), "");
  // Another width begins anew.
  document.Set({"a", "b", "c"});
  EXPECT_FALSE(document.seen());
}

}  // namespace
}  // namespace troika::cli
