#include "base/ancestry.h"

#include <sys/wait.h>
#include <unistd.h>

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(AncestryTest, LeadsToTheFirstProcess) {
  const Ancestry ancestry = ReadAncestry(getpid());
  ASSERT_TRUE(ancestry.whole());
  ASSERT_GE(ancestry.processes.size(), 2u);
  EXPECT_EQ(ancestry.processes[0].pid, getpid());
  EXPECT_EQ(ancestry.processes[1].pid, getppid());
  EXPECT_EQ(ancestry.processes.back().pid, 1);
}

TEST(AncestryTest, IsUnknownOfProcessesThatAreGone) {
  EXPECT_FALSE(ReadAncestry(0).whole());
  EXPECT_FALSE(ReadAncestry(1 << 30).whole());
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(ReadAncestry(child).whole());
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
  const Ancestry ancestry = ReadAncestry(getpid());
  const int seen =
      ancestry.whole() ? static_cast<int>(ancestry.processes.size()) : -1;
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
  const Ancestry ancestry = ReadAncestry(1 << 30);
  EXPECT_FALSE(ancestry.whole());
  EXPECT_EQ(ancestry.cut_at, 1 << 30);
  EXPECT_FALSE(ReadAncestry(0).whole());
}

TEST(AncestryTest, ProcessesAreOlderThanNow) {
  const uint64_t started = ReadAncestry(getpid()).processes.front().started;
  EXPECT_LE(started, TicksSinceBoot());
  // A test does not run for an hour.
  EXPECT_GT(started + 3600 * sysconf(_SC_CLK_TCK), TicksSinceBoot());
}

}  // namespace
}  // namespace troika
