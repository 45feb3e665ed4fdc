// The frozen logs. Tasks are kept for years, and nothing else remains of them
// but their logs: each later Troika must read these bytes in the same way, and
// a writer of their version must write them. If this fails, the code is wrong
// and not the files.
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_format.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

LogWriter OpenLog(const TempFolder& folder, Clock* clock) {
  auto log = LogWriter::Open(folder.fd(), "a-task", clock);
  EXPECT_TRUE(log.ok()) << log.status();
  return *std::move(log);
}

void WriteFirstProcess(LogWriter& log, FakeClock& clock) {
  log.Append({.key = "new", .payload = "{\"note\":\"request\"}"});
  clock.Advance(absl::Milliseconds(2));
  log.Append({.payload = "{\"note\":\"spawned\",\"generation\":1}"});
  log.Append({.stream = Stream::kStdin, .key = "turn-1", .payload = "Say hi."});
  clock.Advance(absl::Seconds(1));
  log.Append(
      {.stream = Stream::kStderr, .payload = "warning: \xc3\xa4 \x1b[0m"});
  log.Append({.stream = Stream::kStdout,
              .end = LineEnd::kContinued,
              .payload = "{\"text\":\"hi"});
  log.Append({.stream = Stream::kStderr,
              .end = LineEnd::kNone,
              .payload = absl::string_view("\0\xff\r", 3)});
  log.Append({.stream = Stream::kStdout, .payload = "\"}"});
  log.Append({.stream = Stream::kStdout, .payload = ""});
}

std::string WriteGolden() {
  const TempFolder folder;
  SetLogBytes(folder.fd(), HeaderLine("a-task", 1));
  FakeClock clock;
  {
    LogWriter log = OpenLog(folder, &clock);
    WriteFirstProcess(log, clock);
    EXPECT_TRUE(log.Flush().ok());
    // Simulates a loss of power in the middle of a record.
    const absl::string_view torn = "9 17000000010";
    EXPECT_EQ(write(log.fd(), torn.data(), torn.size()),
              static_cast<ssize_t>(torn.size()));
  }
  clock.Advance(absl::Minutes(1));
  LogWriter log = OpenLog(folder, &clock);
  log.Append({.payload = "{\"note\":\"lost\"}"});
  log.Append({.stream = Stream::kStdin,
              .end = LineEnd::kNone,
              .key = "turn-2",
              .payload = "no end"});
  EXPECT_TRUE(log.Flush().ok());
  return LogBytes(folder.fd());
}

// The additions of version 2: a whole batch of each stream and a torn one.
std::string WriteGoldenBatches() {
  const TempFolder folder;
  FakeClock clock;
  {
    LogWriter log = OpenLog(folder, &clock);
    WriteFirstProcess(log, clock);
    log.AppendBatch(Stream::kStdout,
                    "y\n\n 9 17 out 0123456789abcdef x\n\xff\r\n", 4);
    log.AppendBatch(Stream::kStderr, "one\ntwo\n", 2);
    log.AppendBatch(Stream::kStdout, "y\ny\ny\n", 3);
    EXPECT_TRUE(log.Flush().ok());
    // Simulates a loss of power after a line of the last batch.
    EXPECT_EQ(ftruncate(log.fd(), log.offset() - 6), 0);
  }
  clock.Advance(absl::Minutes(1));
  LogWriter log = OpenLog(folder, &clock);
  log.Append({.payload = "{\"note\":\"lost\"}"});
  EXPECT_TRUE(log.Flush().ok());
  return LogBytes(folder.fd());
}

class LogGoldenTest : public ::testing::TestWithParam<int> {
 protected:
  std::string path() const {
    return absl::StrCat("relay/testdata/log_v", GetParam());
  }
};

TEST_P(LogGoldenTest, TheFrozenLogIsReadAsEver) {
  const std::string bytes = ReadWhole(path());
  const ReadResult result = ReadBytes(bytes, bytes.size());
  EXPECT_EQ(result.Listing(), ReadWhole(path() + ".txt"));
  EXPECT_TRUE(AllAccounted(bytes, result));
}

TEST_P(LogGoldenTest, TheFrozenLogIsWrittenAsEver) {
  EXPECT_EQ(GetParam() == 1 ? WriteGolden() : WriteGoldenBatches(),
            ReadWhole(path()));
}

INSTANTIATE_TEST_SUITE_P(Versions, LogGoldenTest, ::testing::Values(1, 2));

}  // namespace
}  // namespace troika::relay
