#include "task/next_status.h"

#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

// The table of docs/tasks.md: from queued, starting, running,
// awaiting_approval, awaiting_answer, idle, done, failed, interrupted and
// cancelled; "." is no change.
constexpr absl::string_view kExpected[] = {
    "nothing           | . . . . . . . . . .",
    "turn waits        | . . . . . W W W W .",
    "turn taken        | R . . . . R R R R R",
    "spawned           | S . S S S S S S S S",
    "spoke             | R R . . . R . . . .",
    "worked            | R R . . . . . . . .",
    "approval waits    | A A A . A A . . . .",
    "question waits    | Q Q Q Q . Q . . . .",
    "all answered      | . . . R R . . . . .",
    "turn ended        | I I I I I . . . . .",
    "ended well        | D D D D D D . . . .",
    "ended badly       | F F F F F F . . . .",
    "ended as asked    | X X X X X X . . . .",
    "ended before turn | . W W W W W . . . .",
    "cancelled         | C C . . . . . . . .",
    "budget waits      | A A A . A A A A A .",
    "goes on           | . . . W . . W W W .",
};

char Letter(TaskStatus status) {
  return "WSRAQIDFXC"[static_cast<int>(status)];
}

TEST(NextStatusTest, EveryCellOfTheTable) {
  ASSERT_EQ(std::size(kExpected), static_cast<size_t>(kSteps));
  for (int s = 0; s < kSteps; ++s) {
    const Step step = static_cast<Step>(s);
    const std::vector<std::string> row = absl::StrSplit(kExpected[s], " | ");
    std::string cells;
    for (int i = 0; i < kTaskStatuses; ++i) {
      const TaskStatus from = static_cast<TaskStatus>(i);
      const TaskStatus to = NextStatus(from, step);
      absl::StrAppend(&cells, i == 0 ? "" : " ",
                      std::string(1, from == to ? '.' : Letter(to)));
    }
    EXPECT_EQ(cells, row[1]) << row[0];
  }
}

}  // namespace
}  // namespace troika
