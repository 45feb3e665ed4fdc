#include "relay/lease.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/leased_output.h"
#include "relay/line_recorder.h"
#include "relay/log_search.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

using ::testing::IsEmpty;
using Outcome = LeasedOutput::Outcome;

// Steps of LeasedOutput::Record().
constexpr int kSteps = 10;
int die_at_step = -1;

void DieAtStep(int step) {
  if (step == die_at_step) kill(getpid(), SIGKILL);
}

std::string LongLine(char letter) { return std::string(3000, letter) + "\n"; }

// A relay without a process: its log, its agent's stdout and the lease. Drivers
// are opened in this process or in a child.
class LeaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    stdout_ = UniqueFd(ends[0]);
    agent_ = UniqueFd(ends[1]);
    auto log = LogWriter::Open(folder_.fd(), "task1", &clock_);
    ASSERT_TRUE(log.ok());
    log_.emplace(*std::move(log));
    ASSERT_TRUE(log_->Flush().ok());
    lines_.emplace(Stream::kStdout, &*log_);
    auto lease = Lease::Create(1 << 30, stdout_.get(), &*log_, &clock_);
    ASSERT_TRUE(lease.ok());
    lease_.emplace(*std::move(lease));
    lease_->Renew();
  }

  std::unique_ptr<LeasedOutput> OpenDriver() {
    std::vector<UniqueFd> fds;
    for (const int fd : lease_->descriptors()) {
      fds.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    auto driver = LeasedOutput::Open(std::move(fds));
    EXPECT_TRUE(driver.ok()) << driver.status();
    return *std::move(driver);
  }

  void Print(absl::string_view bytes) {
    printed_ += std::string(bytes);
    ASSERT_TRUE(WriteAll(agent_.get(), bytes).ok());
  }

  // As a relay does after it has waited.
  void Acquire() {
    const std::string taken = lease_->Acquire();
    if (!taken.empty()) lines_->Feed(taken);
    ASSERT_TRUE(log_->Flush().ok());
  }
  void AppendNote() {
    log_->Append({.payload = "{\"note\":\"x\"}"});
    ASSERT_TRUE(log_->Flush().ok());
  }
  void ReadStdout() {
    char bytes[65536];
    const ssize_t n = read(stdout_.get(), bytes, sizeof(bytes));
    if (n > 0) lines_->Feed({bytes, static_cast<size_t>(n)});
    ASSERT_TRUE(log_->Flush().ok());
  }

  // Expects that the log has all that was printed, once and in order.
  void ExpectAllRecorded() {
    const CollectingSink log = ReadLog(folder_.fd());
    EXPECT_THAT(log.damages, IsEmpty());
    EXPECT_THAT(Notes(log, "torn"), IsEmpty());
    EXPECT_EQ(Joined(log, Stream::kStdout), printed_);
    for (size_t i = 0; i < log.records.size(); ++i) {
      EXPECT_EQ(log.records[i].number, static_cast<int64_t>(i + 1));
    }
  }

  TempFolder folder_;
  SystemClock clock_;
  UniqueFd stdout_;
  UniqueFd agent_;
  std::optional<LogWriter> log_;
  std::optional<LineRecorder> lines_;
  std::optional<Lease> lease_;
  std::string printed_;
};

TEST_F(LeaseTest, DriverRecordsBetweenRecordsOfTheRelay) {
  const auto driver = OpenDriver();
  for (int i = 0; i < 3; ++i) {
    AppendNote();
    lease_->Release(true);
    EXPECT_TRUE(lease_->DriverReads());
    Print(absl::StrCat("line ", i, "\n", LongLine('a')));
    EXPECT_EQ(driver->Record(), Outcome::kRecorded);
    EXPECT_EQ(driver->Record(), Outcome::kNothing);
    Acquire();
  }
  ExpectAllRecorded();
  EXPECT_EQ(Notes(ReadLog(folder_.fd()), "x").size(), 3U);
}

TEST_F(LeaseTest, NothingIsLostOrDoubledWhereverTheDriverDies) {
  for (int step = 0; step < kSteps; ++step) {
    SCOPED_TRACE(step);
    const auto driver = OpenDriver();
    lease_->Release(true);
    Print(
        absl::StrCat("step ", step, "\nshort\n", LongLine('a'), LongLine('b')));
    const pid_t child = fork();
    if (child == 0) {
      die_at_step = step;
      driver->set_on_step_for_test(&DieAtStep);
      driver->Record();
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it has fewer steps";
    Acquire();
    AppendNote();
    ReadStdout();
    lease_->Renew();
  }
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayCompletesWhatAFullDiskHasCut) {
  const auto driver = OpenDriver();
  for (const int64_t room : {0, 1, 40, 3000, 3100, 4000}) {
    SCOPED_TRACE(room);
    lease_->Renew();
    const auto next = OpenDriver();
    lease_->Release(true);
    Print(absl::StrCat("first\nsecond\n", LongLine('a'), LongLine('b')));
    {
      const SizeLimit limit(static_cast<size_t>(log_->offset() + room));
      EXPECT_EQ(next->Record(), Outcome::kReturned);
      EXPECT_EQ(next->Record(), Outcome::kNothing);
    }
    Acquire();
    AppendNote();
  }
  EXPECT_EQ(driver->Record(), Outcome::kNothing) << "it has an old lease";
  ExpectAllRecorded();
}

TEST_F(LeaseTest, SameDriverGoesOnAfterAFullDisk) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print(LongLine('a'));
  {
    const SizeLimit limit(static_cast<size_t>(log_->offset() + 100));
    EXPECT_EQ(driver->Record(), Outcome::kReturned);
    // The relay waits for room, too.
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(lease_->Acquire(), "");
      EXPECT_FALSE(log_->Flush().ok());
      EXPECT_GT(log_->pending(), 0U);
      lease_->Release(false);
    }
  }
  Acquire();
  EXPECT_GT(driver->pause(), absl::ZeroDuration());
  while (driver->pause() > absl::ZeroDuration()) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  lease_->Release(true);
  EXPECT_EQ(driver->Record(), Outcome::kNothing) << "asks for it again";
  Acquire();
  lease_->Release(true);
  EXPECT_TRUE(lease_->DriverReads());
  Print(LongLine('b'));
  EXPECT_EQ(driver->Record(), Outcome::kRecorded);
  Acquire();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, TwoDriversDieOneAfterTheOther) {
  for (int step = 5; step < kSteps; ++step) {
    const auto driver = OpenDriver();
    lease_->Release(true);
    Print(absl::StrCat("step ", step, "\n"));
    const pid_t child = fork();
    if (child == 0) {
      die_at_step = step;
      driver->set_on_step_for_test(&DieAtStep);
      driver->Record();
      _exit(0);
    }
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    Acquire();
    lease_->Renew();
  }
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayGetsLinesThatHaveNoEndYet) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print("whole\nhal");
  EXPECT_EQ(driver->Record(), Outcome::kReturned);
  EXPECT_EQ(lease_->Acquire(), "whole\nhal");
  lines_->Feed("whole\nhal");
  Print("f\n");
  ReadStdout();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayGetsLongOutput) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print(std::string(20000, 'x') + "\n");
  EXPECT_EQ(driver->Record(), Outcome::kReturned);
  Acquire();
  ReadStdout();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayGetsFloodsAndLendsAgainWhenAskedTo) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Outcome outcome = Outcome::kNothing;
  for (int i = 0; i < 100 && outcome != Outcome::kReturned; ++i) {
    Print("line\n");
    outcome = driver->Record();
  }
  EXPECT_EQ(outcome, Outcome::kReturned);
  Acquire();
  lease_->Release(true);
  EXPECT_FALSE(lease_->DriverReads()) << "the driver does not want it";
  Acquire();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, DriverWritesTheRelaysLogWhateverItsNameIs) {
  ASSERT_EQ(renameat(folder_.fd(), kLogName, folder_.fd(), "renamed"), 0);
  const UniqueFd other(
      openat(folder_.fd(), kLogName, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print("line\n");
  EXPECT_EQ(driver->Record(), Outcome::kRecorded);
  Acquire();
  ASSERT_EQ(renameat(folder_.fd(), "renamed", folder_.fd(), kLogName), 0);
  ExpectAllRecorded();
}

TEST_F(LeaseTest, DriverTakesNothingButPipesAndALog) {
  for (const size_t i : {0, 1, 2, 4}) {
    std::vector<UniqueFd> fds;
    for (const int fd : lease_->descriptors()) {
      fds.emplace_back(fcntl(fd, F_DUPFD_CLOEXEC, 0));
    }
    fds[i] = UniqueFd(open("/dev/zero", O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(LeasedOutput::Open(std::move(fds)).ok());
  }
}

TEST_F(LeaseTest, DriverTakesNoPageThatCanBeCut) {
  const UniqueFd page(memfd_create("page", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(page.get(), sizeof(LeasePage)), 0);
  EXPECT_FALSE(LeaseMapping::Map(page.get()).ok());
  EXPECT_FALSE(LeaseMapping::Map(stdout_.get()).ok());
  EXPECT_TRUE(LeaseMapping::Map(lease_->descriptors()[3]).ok());
}

TEST_F(LeaseTest, DriverWithoutTimeReturnsStdout) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  EXPECT_TRUE(lease_->DriverReads());
  EXPECT_EQ(driver->Return(), Outcome::kReturned);
  EXPECT_EQ(driver->Return(), Outcome::kNothing);
  Print("line\n");
  EXPECT_EQ(driver->Record(), Outcome::kNothing);
  Acquire();
  ReadStdout();
  lease_->Release(true);
  EXPECT_FALSE(lease_->DriverReads());
  Acquire();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayReadsWhatTheDriverMissedMeanwhile) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Acquire();
  Print("line\n");
  EXPECT_EQ(driver->Record(), Outcome::kNothing) << "the relay has the log";
  lease_->Release(true);
  EXPECT_FALSE(lease_->DriverReads());
  Acquire();
  ReadStdout();
  lease_->Release(true);
  EXPECT_TRUE(lease_->DriverReads());
  Acquire();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, OutputThatIsThereBeforeTheLeaseIsTheRelays) {
  const auto driver = OpenDriver();
  Print("line\n");
  lease_->Release(true);
  EXPECT_FALSE(lease_->DriverReads());
  Acquire();
  ReadStdout();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayReadsOnWhileSomeOfTheMissedOutputIsLeft) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Acquire();
  Print("one\n");
  EXPECT_EQ(driver->Record(), Outcome::kNothing) << "the relay has the log";
  // Another round of the relay, which has not read all.
  for (int i = 0; i < 2; ++i) {
    lease_->Release(true);
    EXPECT_FALSE(lease_->DriverReads());
    Acquire();
  }
  ReadStdout();
  lease_->Release(true);
  EXPECT_TRUE(lease_->DriverReads());
  Acquire();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, DriverThatStandsStillLosesTheLease) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Acquire();
  lease_->CheckDriver();
  lease_->Release(true);
  Print("line\n");
  Acquire();
  lease_->CheckDriver();
  lease_->Release(true);
  EXPECT_FALSE(lease_->DriverReads());
  EXPECT_EQ(driver->Record(), Outcome::kNothing);
  Acquire();
  ReadStdout();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, RelayEndsTheLogAtItsCap) {
  lease_.emplace(*Lease::Create(100, stdout_.get(), &*log_, &clock_));
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print(LongLine('a'));
  EXPECT_EQ(driver->Record(), Outcome::kReturned);
  EXPECT_EQ(lease_->Acquire(), LongLine('a'));
}

TEST_F(LeaseTest, DriverRecordsNothingWhenTheRelayHasEnded) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Acquire();
  lease_.reset();
  Print("line\n");
  EXPECT_EQ(driver->Record(), Outcome::kNothing);
  EXPECT_EQ(driver->Record(), Outcome::kNothing);
  ReadStdout();
  ExpectAllRecorded();
}

TEST_F(LeaseTest, ForeignBytesAtTheEndOfTheLogAreToldAndNotTakenForOurs) {
  const auto driver = OpenDriver();
  lease_->Release(true);
  Print(LongLine('a'));
  const pid_t child = fork();
  if (child == 0) {
    die_at_step = 6;
    driver->set_on_step_for_test(&DieAtStep);
    driver->Record();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  ASSERT_TRUE(WriteAll(log_->fd(), "something else").ok());
  Acquire();
  const CollectingSink log = ReadLog(folder_.fd());
  EXPECT_EQ(Notes(log, "torn").size(), 1U);
  EXPECT_EQ(Joined(log, Stream::kStdout), printed_);
}

// A driver in a process of its own records what an agent prints, while the
// relay writes records of its own; the driver is killed at any time.
TEST_F(LeaseTest, NothingIsLostIfDriversAreKilledAtRandom) {
  std::mt19937 random(20261118);
  for (int round = 0; round < 40; ++round) {
    const auto driver = OpenDriver();
    lease_->Release(true);
    const pid_t child = fork();
    if (child == 0) {
      const absl::Time end = absl::Now() + absl::Seconds(20);
      while (absl::Now() < end) driver->Record();
      _exit(0);
    }
    const int lines = static_cast<int>(random() % 40);
    for (int i = 0; i < lines; ++i) {
      Print(absl::StrCat("round ", round, " line ", i, "\n"));
      if (i % 3 == 0) Print(LongLine('a'));
      absl::SleepFor(absl::Microseconds(random() % 300));
      if (random() % 4 != 0) continue;
      Acquire();
      AppendNote();
      lease_->Release(true);
      if (lease_->DriverReads()) continue;
      Acquire();
      ReadStdout();
      lease_->Release(true);
    }
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    Acquire();
    ReadStdout();
    lease_->Renew();
  }
  ExpectAllRecorded();
}

}  // namespace
}  // namespace troika::relay
