// Logs that were changed from outside must neither crash us nor hide the
// change.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_format.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Splits `bytes` into lines with their ends.
std::vector<std::string> LinesOf(const std::string& bytes) {
  std::vector<std::string> lines =
      absl::StrSplit(bytes, '\n', absl::SkipEmpty());
  for (std::string& line : lines) line += '\n';
  return lines;
}

ReadResult Read(const std::vector<std::string>& lines) {
  const std::string bytes = absl::StrJoin(lines, "");
  ReadResult result = ReadBytes(bytes, bytes.size());
  EXPECT_TRUE(AllAccounted(bytes, result));
  return result;
}

// Opens `bytes` as a log, appends a record, and expects that to be read.
CollectingSink AppendTo(absl::string_view bytes) {
  const TempFolder folder;
  SetLogBytes(folder.fd(), bytes);
  FakeClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  EXPECT_TRUE(log.ok()) << log.status();
  const int64_t number = log->Append({.payload = "appended"});
  EXPECT_TRUE(log->Flush().ok());
  CollectingSink told = ReadLog(folder.fd());
  EXPECT_EQ(told.records.back().number, number);
  EXPECT_EQ(told.records.back().payload, "appended");
  return told;
}

TEST(LogDamageTest, EveryFlippedBitIsSeen) {
  const std::string good = SmallLog();
  for (size_t i = 0; i < good.size() * 8; ++i) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    const ReadResult result = ReadBytes(bytes, bytes.size());
    EXPECT_TRUE(!result.status.ok() || !result.told.damages.empty())
        << "bit " << i;
    EXPECT_TRUE(AllAccounted(bytes, result)) << "bit " << i;
    // All records stand but the line that was hit, or two that were joined.
    if (result.status.ok()) {
      EXPECT_GE(result.told.records.size(), 5);
    }
  }
}

TEST(LogDamageTest, EveryCutIsSeen) {
  const std::string good = SmallLog();
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string bytes = good.substr(0, size);
    const ReadResult result = ReadBytes(bytes, bytes.size() + 1);
    EXPECT_TRUE(AllAccounted(bytes, result)) << size;
    const bool between_lines = size > 0 && bytes.back() == '\n';
    EXPECT_EQ(result.told.damages.size(), between_lines ? 0 : 1) << size;
  }
}

TEST(LogDamageTest, EveryFlipCanBeAppendedTo) {
  const std::string good = SmallLog();
  for (size_t i = 0; i < good.size() * 8; i += 3) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    ASSERT_FALSE(AppendTo(bytes).damages.empty()) << "bit " << i;
  }
}

TEST(LogDamageTest, TheNextWriterEndsATornLine) {
  const std::string good = SmallLog();
  for (size_t size = 1; size <= good.size(); ++size) {
    const std::string bytes = good.substr(0, size);
    const CollectingSink told = AppendTo(bytes);
    const size_t torn = size - (bytes.rfind('\n') + 1);
    if (torn == 0) {
      EXPECT_THAT(Notes(told, "torn"), IsEmpty()) << size;
      EXPECT_THAT(told.damages, IsEmpty()) << size;
      continue;
    }
    EXPECT_THAT(
        Notes(told, "torn"),
        ElementsAre(absl::StrCat("{\"note\":\"torn\",\"bytes\":", torn, "}")))
        << size;
    // A line that lacks only its end is mended.
    const bool whole = good[size] == '\n';
    EXPECT_EQ(told.damages.size(), whole ? 0 : 1) << size;
    const auto lines = static_cast<size_t>(
        std::count(bytes.begin(), bytes.end(), '\n') + (whole ? 1 : 0));
    EXPECT_EQ(told.records.size(), std::max<size_t>(lines, 1) - 1 + 2) << size;
  }
}

TEST(LogDamageTest, ATornRecordIsMissed) {
  const std::string good = SmallLog();
  const CollectingSink told = AppendTo(good.substr(0, good.size() - 3));
  ASSERT_THAT(told.damages, SizeIs(1));
  EXPECT_THAT(told.damages[0].what, HasSubstr("record 7 is missing"));
  EXPECT_EQ(told.damages[0].after_record, 6);
}

TEST(LogDamageTest, MissingLinesAreDamages) {
  const std::vector<std::string> good = LinesOf(SmallLog());
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    std::vector<std::string> lines = good;
    lines.erase(lines.begin() + static_cast<ptrdiff_t>(i));
    const ReadResult result = Read(lines);
    ASSERT_THAT(result.told.damages, SizeIs(1)) << i;
    EXPECT_EQ(result.told.damages[0].bytes, 0);
    EXPECT_THAT(result.told.damages[0].what,
                HasSubstr(i == 0 ? "header is missing"
                                 : absl::StrCat("record ", i, " is missing")));
  }
}

TEST(LogDamageTest, CopiedLinesAreDamages) {
  const std::vector<std::string> good = LinesOf(SmallLog());
  for (size_t i = 0; i < good.size(); ++i) {
    for (size_t to = i + 1; to <= good.size(); ++to) {
      std::vector<std::string> lines = good;
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(to), good[i]);
      const ReadResult result = Read(lines);
      ASSERT_THAT(result.told.damages, SizeIs(1)) << i << " " << to;
      EXPECT_EQ(result.told.records.size(), good.size() - 1);
      // The same holds if a writer finds the copy at the end of the log.
      EXPECT_EQ(AppendTo(absl::StrJoin(lines, "")).records.size(), good.size());
    }
  }
}

TEST(LogDamageTest, SwappedLinesAreDamages) {
  const std::vector<std::string> good = LinesOf(SmallLog());
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    std::vector<std::string> lines = good;
    std::swap(lines[i], lines[i + 1]);
    EXPECT_FALSE(Read(lines).told.damages.empty()) << i;
  }
}

TEST(LogDamageTest, LinesThatAreTooLongAreDamages) {
  std::string bytes = HeaderLine("task1");
  AppendRecord({.number = 1, .payload = "first"}, &bytes);
  bytes += std::string(5 * kMaxRecord, 'x');
  bytes += '\n';
  AppendRecord({.number = 3, .payload = "third"}, &bytes);
  const ReadResult whole = ReadBytes(bytes, bytes.size());
  EXPECT_TRUE(AllAccounted(bytes, whole));
  ASSERT_THAT(whole.told.damages, SizeIs(1));
  EXPECT_THAT(whole.told.damages[0].what, HasSubstr("record 2 is missing"));
  EXPECT_LT(whole.told.damages[0].snippet.size(), 1000);
  EXPECT_THAT(whole.told.records, SizeIs(2));
  EXPECT_EQ(ReadBytes(bytes, 100003).Listing(), whole.Listing());
  EXPECT_THAT(AppendTo(bytes).records, SizeIs(3));
}

TEST(LogDamageTest, ALogOfOneEndlessLineCanBeAppendedTo) {
  const CollectingSink told = AppendTo(std::string(100000, 'x'));
  EXPECT_THAT(told.damages, SizeIs(1));
  EXPECT_THAT(told.records, SizeIs(2));
}

TEST(LogDamageTest, MuchDamageAtTheEndIsAnError) {
  std::string bytes = HeaderLine("task1");
  bytes += std::string(65 << 20, 'x');
  const TempFolder folder;
  SetLogBytes(folder.fd(), bytes);
  FakeClock clock;
  EXPECT_EQ(LogWriter::Open(folder.fd(), "task1", &clock).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(LogDamageTest, NumbersThatLeaveNoRoomAreAnError) {
  std::string bytes = HeaderLine("task1");
  AppendRecord({.number = std::numeric_limits<int64_t>::max()}, &bytes);
  EXPECT_THAT(ReadBytes(bytes, bytes.size()).told.records, SizeIs(1));
  const TempFolder folder;
  SetLogBytes(folder.fd(), bytes);
  FakeClock clock;
  EXPECT_EQ(LogWriter::Open(folder.fd(), "task1", &clock).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(LogDamageTest, ATruncatedFileIsDataLoss) {
  const std::string bytes = SmallLog();
  UniqueFd fd = FileOf(bytes);
  const int file = fd.get();
  LogReader reader(std::move(fd));
  CollectingSink told;
  ASSERT_TRUE(reader.Read(told).ok());
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(bytes.size()) - 1), 0);
  EXPECT_EQ(reader.Read(told).status().code(), absl::StatusCode::kDataLoss);
}

TEST(LogDamageTest, ANewerVersionIsFailedPrecondition) {
  const std::string bytes = HeaderLine("task1", kLogVersion + 1) + "1 2 3\n";
  const ReadResult result = ReadBytes(bytes, bytes.size());
  EXPECT_EQ(result.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(result.status.message()), HasSubstr("version 3"));
  EXPECT_THAT(result.told.records, IsEmpty());
  // The log is not written to either, because the format of its records is
  // unknown.
  const TempFolder folder;
  SetLogBytes(folder.fd(), bytes);
  FakeClock clock;
  EXPECT_EQ(LogWriter::Open(folder.fd(), "task1", &clock).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(LogBytes(folder.fd()), bytes);
}

}  // namespace
}  // namespace troika::relay
