#include "base/ancestry.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(AncestryTest, LeadsToTheFirstProcess) {
  const auto ancestors = AncestorsOf(getpid());
  ASSERT_TRUE(ancestors);
  ASSERT_GE(ancestors->size(), 2u);
  EXPECT_EQ((*ancestors)[0].pid, getpid());
  EXPECT_EQ((*ancestors)[1].pid, getppid());
  EXPECT_EQ(ancestors->back().pid, 1);
}

TEST(AncestryTest, IsUnknownOfProcessesThatAreGone) {
  EXPECT_EQ(AncestorsOf(0), std::nullopt);
  EXPECT_EQ(AncestorsOf(1 << 30), std::nullopt);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(AncestorsOf(child), std::nullopt);
}

// Each process forks the next; the last reports how many ancestors it sees.
[[noreturn]] void ForkDeep(int levels, int tell) {
  for (; levels > 0; --levels) {
    const pid_t child = fork();
    if (child != 0) {
      waitpid(child, nullptr, 0);
      _exit(0);
    }
  }
  const auto ancestors = AncestorsOf(getpid());
  const int seen = ancestors ? static_cast<int>(ancestors->size()) : -1;
  _exit(write(tell, &seen, sizeof(seen)) == sizeof(seen) ? 0 : 1);
}

TEST(AncestryTest, LeadsThroughAnyNumberOfProcesses) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) ForkDeep(150, ends[1]);
  close(ends[1]);
  int seen = 0;
  EXPECT_EQ(read(ends[0], &seen, sizeof(seen)),
            static_cast<ssize_t>(sizeof(seen)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_GT(seen, 150);
}

TEST(AncestryTest, ChainThatIsCutSaysWhere) {
  const Ancestry ancestry = AncestryOf(1 << 30);
  EXPECT_FALSE(ancestry.whole());
  EXPECT_EQ(ancestry.cut_at, 1 << 30);
  EXPECT_FALSE(AncestryOf(0).whole());
}

TEST(AncestryTest, ProcessesAreOlderThanNow) {
  const auto ancestors = AncestorsOf(getpid());
  ASSERT_TRUE(ancestors);
  EXPECT_LE(ancestors->front().started, TicksSinceBoot());
  // A test does not run for an hour.
  EXPECT_GT(ancestors->front().started + 3600 * sysconf(_SC_CLK_TCK),
            TicksSinceBoot());
}

}  // namespace
}  // namespace troika
