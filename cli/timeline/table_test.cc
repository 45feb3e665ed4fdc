#include "cli/timeline/table.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;

TEST(TableTest, LinesUpAndCutsTheLastColumn) {
  Table table({"ID", "TITLE"});
  EXPECT_TRUE(table.empty());
  table.Add({"t1", "a\nb \x1b[2J"});
  table.Add({"longer", std::string(50, 'x')});
  EXPECT_EQ(table.Text(20),
            "ID      TITLE\n"
            "t1      a b ␛[2J\n"
            "longer  xxxxxxxxxxx…\n");
  EXPECT_THAT(table.Text(0), HasSubstr(std::string(50, 'x')));
  // A terminal that is too narrow for anything.
  EXPECT_THAT(table.Text(1), HasSubstr("longer  xxxxxxxxx…"));
}

}  // namespace
}  // namespace troika::cli
