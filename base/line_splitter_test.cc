#include "base/line_splitter.h"

#include <string>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using Seen = std::tuple<std::string, int64_t, int64_t>;

std::vector<Seen> Split(absl::string_view text, size_t step,
                        int64_t limit = 100) {
  std::vector<Seen> lines;
  LineSplitter splitter(limit, 4);
  const auto sink = [&](const LineSplitter::Line& line) {
    lines.emplace_back(std::string(line.bytes), line.offset, line.size);
  };
  for (size_t i = 0; i < text.size(); i += step) {
    splitter.Feed(text.substr(i, step), sink);
  }
  splitter.Finish(sink);
  return lines;
}

TEST(LineSplitterTest, SplitsAlikeAtEveryStep) {
  const std::string text = "ab\n\r\n\nc\r\r\nlast";
  for (size_t step = 1; step <= text.size(); ++step) {
    EXPECT_THAT(Split(text, step),
                ElementsAre(Seen("ab", 0, 2), Seen("", 3, 0), Seen("", 5, 0),
                            Seen("c\r", 6, 2), Seen("last", 10, 4)))
        << step;
  }
}

TEST(LineSplitterTest, UnendedLastLineLosesItsCarriageReturn) {
  EXPECT_THAT(Split("a\r", 1), ElementsAre(Seen("a", 0, 1)));
  EXPECT_THAT(Split("", 1), ElementsAre());
}

TEST(LineSplitterTest, LongLinesAreCutAndMeasured) {
  const std::string text = "0123456789\nab\n01234567\r\n0123456789";
  for (size_t step = 1; step <= text.size(); ++step) {
    EXPECT_THAT(Split(text, step, 8),
                ElementsAre(Seen("0123", 0, 10), Seen("ab", 11, 2),
                            Seen("01234567", 14, 8), Seen("0123", 24, 10)))
        << step;
  }
}

}  // namespace
}  // namespace troika
