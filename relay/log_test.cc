// Tests the log's format, its writer and its reader on good logs.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/log_format.h"
#include "relay/log_testing.h"

namespace troika::relay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LogWriter OpenLog(const TempFolder& folder, Clock* clock) {
  auto log = LogWriter::Open(folder.fd(), "task1", clock);
  EXPECT_TRUE(log.ok()) << log.status();
  return *std::move(log);
}

TEST(LogFileTest, OnlyRegularFilesAreLogs) {
  FakeClock clock;
  for (const char* kind : {"pipe", "link", "folder"}) {
    const TempFolder folder;
    const std::string path = folder.path() + "/log.v1";
    if (kind == absl::string_view("pipe")) {
      ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    } else if (kind == absl::string_view("link")) {
      ASSERT_EQ(symlink("/dev/zero", path.c_str()), 0);
    } else {
      ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    }
    EXPECT_TRUE(absl::IsDataLoss(LogReader::Open(folder.fd()).status()))
        << kind;
    EXPECT_FALSE(LogWriter::Open(folder.fd(), "task1", &clock).ok()) << kind;
  }
}

TEST(LogFormatTest, EveryRecordIsReadAsItWasWritten) {
  const std::string keys[] = {"", "k", "A.b-c_9", std::string(kMaxKey, 'x')};
  const std::string payloads[] = {"",    " ",
                                  "a",   "  two  spaces ",
                                  "\r",  std::string("\0\xff", 2),
                                  "~+:", std::string(kMaxPayload, 'p')};
  int64_t number = 0;
  for (const Stream stream :
       {Stream::kStdout, Stream::kStderr, Stream::kStdin, Stream::kNote}) {
    for (const LineEnd end :
         {LineEnd::kNewline, LineEnd::kContinued, LineEnd::kNone}) {
      for (const std::string& key : keys) {
        for (const std::string& payload : payloads) {
          std::string line;
          AppendRecord({.number = ++number,
                        .micros = 1700000000000000 + number,
                        .stream = stream,
                        .end = end,
                        .key = key,
                        .payload = payload},
                       &line);
          ASSERT_EQ(line.back(), '\n');
          line.pop_back();
          const auto record = ParseRecord(line);
          ASSERT_TRUE(record.has_value()) << line.substr(0, 200);
          EXPECT_EQ(record->number, number);
          EXPECT_EQ(record->micros, 1700000000000000 + number);
          EXPECT_EQ(record->stream, stream);
          EXPECT_EQ(record->end, end);
          EXPECT_EQ(record->key, key);
          EXPECT_TRUE(record->payload == payload);
        }
      }
    }
  }
}

TEST(LogFormatTest, HeadersAreReadAsTheyWereWritten) {
  std::string line = HeaderLine("t-1");
  line.pop_back();
  const auto header = ParseHeader(line);
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->version, kLogVersion);
  EXPECT_EQ(header->task_id, "t-1");
  EXPECT_FALSE(ParseRecord(line).has_value());
}

TEST(LogFormatTest, KeysAndTaskIds) {
  for (const absl::string_view good : {"a", "Z9", "a.b-c_d"}) {
    EXPECT_TRUE(IsKey(good)) << good;
    EXPECT_TRUE(IsTaskId(good)) << good;
  }
  for (const absl::string_view bad : {"", "a b", "a:b", "a/b", "\xc3\xa4"}) {
    EXPECT_FALSE(IsKey(bad)) << bad;
    EXPECT_FALSE(IsTaskId(bad)) << bad;
  }
  EXPECT_FALSE(IsKey(std::string(kMaxKey + 1, 'x')));
  EXPECT_TRUE(IsKey(".x"));
  EXPECT_FALSE(IsTaskId(".x"));
}

TEST(LogWriterTest, LongLinesAreContinuedRecords) {
  const TempFolder folder;
  FakeClock clock;
  LogWriter log = OpenLog(folder, &clock);
  const std::string payload(2 * kMaxPayload + 5, 'y');
  EXPECT_EQ(log.Append({.stream = Stream::kStdout,
                        .end = LineEnd::kNone,
                        .key = "k",
                        .payload = payload}),
            1);
  EXPECT_EQ(log.Append({.stream = Stream::kStdout,
                        .payload = std::string(kMaxPayload, 'z')}),
            4);
  EXPECT_EQ(log.next_number(), 5);
  ASSERT_TRUE(log.Flush().ok());
  EXPECT_EQ(log.pending(), 0);
  const CollectingSink told = ReadLog(folder.fd());
  EXPECT_THAT(told.damages, IsEmpty());
  ASSERT_THAT(told.records, SizeIs(4));
  EXPECT_EQ(told.records[0].key, "k");
  EXPECT_EQ(told.records[0].end, LineEnd::kContinued);
  EXPECT_EQ(told.records[1].key, "");
  EXPECT_EQ(told.records[1].end, LineEnd::kContinued);
  EXPECT_EQ(told.records[2].payload, "yyyyy");
  EXPECT_EQ(told.records[2].end, LineEnd::kNone);
  EXPECT_EQ(told.records[3].end, LineEnd::kNewline);
  EXPECT_EQ(log.offset(), static_cast<int64_t>(LogBytes(folder.fd()).size()));
}

TEST(LogWriterTest, NumbersGoOnWhenALogIsOpenedAgain) {
  const TempFolder folder;
  FakeClock clock;
  for (int64_t i = 1; i <= 5; ++i) {
    LogWriter log = OpenLog(folder, &clock);
    EXPECT_EQ(log.next_number(), i);
    // The fourth record is longer than the part of the log that is read first.
    EXPECT_EQ(
        log.Append({.payload = std::string(i == 4 ? kMaxPayload : 10, 'n')}),
        i);
    ASSERT_TRUE(log.Flush().ok());
  }
  const CollectingSink told = ReadLog(folder.fd());
  EXPECT_THAT(told.records, SizeIs(5));
  EXPECT_THAT(told.damages, IsEmpty());
}

TEST(LogWriterTest, OneHasTheLockAtATime) {
  const TempFolder folder;
  FakeClock clock;
  {
    const LogWriter log = OpenLog(folder, &clock);
    const auto second = LogWriter::Open(folder.fd(), "task1", &clock);
    EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(second.status().message()), HasSubstr("task1"));
  }
  LogWriter log = OpenLog(folder, &clock);
  // The lock passes to the adopter without being free in between.
  auto adopted = LogWriter::Adopt(std::move(log).Release(), &clock);
  ASSERT_TRUE(adopted.ok());
  EXPECT_FALSE(LogWriter::Open(folder.fd(), "task1", &clock).ok());
}

TEST(LogWriterTest, WhatCouldNotBeWrittenIsTriedAgain) {
  const std::string whole = SmallLog();
  for (size_t room = 0; room < whole.size(); room += 7) {
    const TempFolder folder;
    FakeClock clock;
    LogWriter log = OpenLog(folder, &clock);
    for (int i = 0; i < 20; ++i) log.Append({.payload = "some note"});
    {
      const SizeLimit limit(room);
      EXPECT_EQ(log.Flush().code(), absl::StatusCode::kResourceExhausted);
      EXPECT_EQ(log.offset(), static_cast<int64_t>(room));
      EXPECT_EQ(log.Flush().code(), absl::StatusCode::kResourceExhausted);
    }
    ASSERT_TRUE(log.Flush().ok());
    const CollectingSink told = ReadLog(folder.fd());
    EXPECT_THAT(told.records, SizeIs(20));
    EXPECT_THAT(told.damages, IsEmpty());
  }
}

TEST(LogWriterTest, DropPendingEndsARecordThatIsPartlyWritten) {
  const TempFolder folder;
  FakeClock clock;
  LogWriter log = OpenLog(folder, &clock);
  log.Append({.payload = "first"});
  ASSERT_TRUE(log.Flush().ok());
  log.Append({.payload = std::string(100, 'b')});
  log.Append({.payload = "lost"});
  const size_t pending = log.pending();
  {
    const SizeLimit limit(static_cast<size_t>(log.offset()) + 60);
    EXPECT_FALSE(log.Flush().ok());
  }
  // The rest of the second record is short enough to be kept, the third is
  // lost.
  const int64_t lost = log.DropPending(1000);
  EXPECT_EQ(lost + static_cast<int64_t>(log.pending()) + 60,
            static_cast<int64_t>(pending));
  log.Append({.payload = "last"});
  ASSERT_TRUE(log.Flush().ok());
  const CollectingSink told = ReadLog(folder.fd());
  ASSERT_THAT(told.records, SizeIs(3));
  EXPECT_EQ(told.records[1].payload, std::string(100, 'b'));
  EXPECT_EQ(told.records[2].number, 4);
  ASSERT_THAT(told.damages, SizeIs(1));
  EXPECT_THAT(told.damages[0].what, HasSubstr("record 3 is missing"));
}

TEST(LogWriterTest, DropPendingEndsALongRecordWhereItStands) {
  const TempFolder folder;
  FakeClock clock;
  LogWriter log = OpenLog(folder, &clock);
  log.Append({.payload = std::string(5000, 'b')});
  {
    const SizeLimit limit(2000);
    EXPECT_FALSE(log.Flush().ok());
  }
  const size_t pending = log.pending();
  EXPECT_EQ(log.DropPending(100), static_cast<int64_t>(pending));
  log.Append({.payload = "last"});
  ASSERT_TRUE(log.Flush().ok());
  const CollectingSink told = ReadLog(folder.fd());
  ASSERT_THAT(told.records, SizeIs(1));
  EXPECT_EQ(told.records[0].payload, "last");
  ASSERT_THAT(told.damages, SizeIs(1));
  EXPECT_THAT(told.damages[0].what, HasSubstr("record 1 is missing"));
}

TEST(LogWriterTest, DropPendingBetweenRecordsLeavesNothing) {
  const TempFolder folder;
  FakeClock clock;
  LogWriter log = OpenLog(folder, &clock);
  ASSERT_TRUE(log.Flush().ok());
  log.Append({.payload = "lost"});
  const size_t pending = log.pending();
  EXPECT_EQ(log.DropPending(100), static_cast<int64_t>(pending));
  EXPECT_EQ(log.pending(), 0);
  EXPECT_EQ(log.DropPending(100), 0);
}

TEST(LogReaderTest, GrowthInAnyStepsIsTheSame) {
  const std::string bytes = SmallLog();
  const ReadResult whole = ReadBytes(bytes, bytes.size());
  EXPECT_THAT(whole.told.records, SizeIs(7));
  EXPECT_THAT(whole.told.damages, IsEmpty());
  EXPECT_EQ(whole.task_id, "task1");
  EXPECT_TRUE(AllAccounted(bytes, whole));
  for (const size_t step : {1, 2, 3, 7, 64}) {
    EXPECT_EQ(ReadBytes(bytes, step).Listing(), whole.Listing());
  }
}

TEST(LogReaderTest, ALineIsToldOnceItHasItsEnd) {
  const std::string bytes = SmallLog();
  UniqueFd fd = FileOf("");
  const int file = fd.get();
  LogReader reader(std::move(fd));
  CollectingSink told;
  size_t lines = 0;
  for (const char byte : bytes) {
    ASSERT_EQ(write(file, &byte, 1), 1);
    const auto read = reader.Read(told);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(*read, 1);
    lines += byte == '\n' ? 1 : 0;
    EXPECT_EQ(told.records.size(), lines == 0 ? 0 : lines - 1);
  }
  EXPECT_EQ(*reader.Read(told), 0);
  EXPECT_EQ(reader.offset(), static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(reader.last_record(), 7);
}

TEST(LogReaderTest, ReadsNoMoreThanIsAskedFor) {
  std::string bytes = HeaderLine("task1");
  for (int64_t i = 1; i <= 20; ++i) {
    AppendRecord({.number = i, .payload = std::string(kMaxPayload / 2, 'x')},
                 &bytes);
  }
  LogReader reader(FileOf(bytes));
  CollectingSink told;
  EXPECT_LT(*reader.Read(told, 1), 1 << 20);
  EXPECT_LT(told.records.size(), 3);
  while (*reader.Read(told, 100000) > 0) {
  }
  EXPECT_THAT(told.records, SizeIs(20));
}

TEST(LogReaderTest, NoLogIsNotFound) {
  const TempFolder folder;
  EXPECT_EQ(LogReader::Open(folder.fd()).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(LogReaderTest, AnEmptyFileLacksItsHeader) {
  const ReadResult result = ReadBytes("", 1);
  EXPECT_EQ(result.Listing(), "damage: 0 bytes at byte 0 []\ntask , OK\n");
}

}  // namespace
}  // namespace troika::relay
