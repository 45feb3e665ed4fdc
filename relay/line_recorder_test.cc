#include "relay/line_recorder.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_format.h"
#include "relay/log_testing.h"
#include "relay/read_pacer.h"

namespace troika::relay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class LineRecorderTest : public ::testing::Test {
 protected:
  void Begin(int version = kLogVersion) {
    log_.reset();  // Releases the lock.
    SetLogBytes(folder_.fd(), HeaderLine("task1", version));
    auto log = LogWriter::Open(folder_.fd(), "task1", &clock_);
    ASSERT_TRUE(log.ok());
    log_.emplace(*std::move(log));
    header_ = log_->offset();
    lines_.emplace(Stream::kStdout, &*log_);
  }
  CollectingSink Read() {
    EXPECT_TRUE(log_->Flush().ok());
    CollectingSink told = ReadLog(folder_.fd());
    EXPECT_THAT(told.damages, IsEmpty());
    return told;
  }

  TempFolder folder_;
  FakeClock clock_;
  std::optional<LogWriter> log_;
  std::optional<LineRecorder> lines_;
  int64_t header_ = 0;
};

std::string Repeated(absl::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return all;
}

TEST_F(LineRecorderTest, TinyLinesCostLittle) {
  for (const absl::string_view line : {"\n", "y\n", "ab\n"}) {
    Begin();
    const std::string bytes = Repeated(line, 60000 / line.size());
    for (size_t at = 0; at < bytes.size(); at += 4096) {
      lines_->Feed(absl::string_view(bytes).substr(at, 4096));
    }
    const CollectingSink told = Read();
    EXPECT_THAT(told.records, SizeIs(60000 / line.size()));
    EXPECT_EQ(Joined(told, Stream::kStdout), bytes);
    EXPECT_LT(log_->offset() - header_, static_cast<int64_t>(bytes.size() * 3));
  }
}

TEST_F(LineRecorderTest, SmallReadsOfAFewLinesCostLittle) {
  Begin();
  const std::string bytes = Repeated("y\n", 32);
  for (int i = 0; i < 100; ++i) lines_->Feed(bytes);
  EXPECT_THAT(Read().records, SizeIs(3200));
  EXPECT_LT(log_->offset() - header_, 6400 * 3);
}

TEST_F(LineRecorderTest, AnySplitGivesTheSameBytes) {
  const std::string bytes =
      absl::StrCat(Repeated("y\n", 40), std::string(300, 'l'), "\n\n\nend\n",
                   std::string(kMaxPayload + 10, 'x'), "\na\nb\nrest");
  for (const size_t step : {size_t{1}, size_t{7}, size_t{100}, bytes.size()}) {
    Begin();
    for (size_t at = 0; at < bytes.size(); at += step) {
      lines_->Feed(absl::string_view(bytes).substr(at, step));
      if (at % 3 == 0 && at < 500) lines_->FlushPart();
    }
    lines_->Finish();
    EXPECT_EQ(Joined(Read(), Stream::kStdout), bytes) << step;
  }
}

TEST_F(LineRecorderTest, LongLinesHaveRecordsOfTheirOwn) {
  Begin();
  lines_->Feed(Repeated(std::string(300, 'x') + "\n", 5));
  EXPECT_THAT(Read().records, SizeIs(5));
  EXPECT_THAT(LogBytes(folder_.fd()), Not(HasSubstr("out*")));
}

TEST_F(LineRecorderTest, ALineThatWasContinuedIsEndedByItsOwnRecord) {
  Begin();
  lines_->Feed("half");
  lines_->FlushPart();
  lines_->Feed(" done\na\nb\n");
  const CollectingSink told = Read();
  ASSERT_THAT(told.records, SizeIs(4));
  EXPECT_EQ(told.records[0].end, LineEnd::kContinued);
  EXPECT_EQ(told.records[1].payload, " done");
  EXPECT_THAT(LogBytes(folder_.fd()), HasSubstr(" out*2 "));
}

TEST_F(LineRecorderTest, VersionOneGetsNoBatches) {
  Begin(1);
  lines_->Feed(Repeated("y\n", 1000));
  EXPECT_THAT(Read().records, SizeIs(1000));
  EXPECT_THAT(LogBytes(folder_.fd()), Not(HasSubstr("out*")));
}

TEST(ReadPacerTest, AFewSmallReadsNeverWait) {
  ReadPacer pacer;
  absl::Time now = absl::UnixEpoch();
  for (int i = 0; i < 100; ++i) {
    pacer.OnRead(10, now);
    EXPECT_EQ(pacer.paused_until(now), std::nullopt);
    now += ReadPacer::kWindow / ReadPacer::kMaxSmallReads;
  }
}

TEST(ReadPacerTest, ManySmallReadsWaitForTheWindowsEnd) {
  ReadPacer pacer;
  const absl::Time start = absl::UnixEpoch();
  for (int i = 0; i <= ReadPacer::kMaxSmallReads; ++i) {
    const absl::Time now = start + absl::Microseconds(i);
    EXPECT_EQ(pacer.paused_until(now), std::nullopt);
    pacer.OnRead(10, now);
  }
  const absl::Time end = start + ReadPacer::kWindow;
  EXPECT_EQ(pacer.paused_until(start + absl::Microseconds(100)), end);
  EXPECT_EQ(pacer.paused_until(end), std::nullopt);
}

TEST(ReadPacerTest, LargeReadsNeverWait) {
  ReadPacer pacer;
  const absl::Time now = absl::UnixEpoch();
  for (int i = 0; i < 100; ++i) pacer.OnRead(ReadPacer::kSmallRead, now);
  EXPECT_EQ(pacer.paused_until(now), std::nullopt);
}

}  // namespace
}  // namespace troika::relay
