// Tests logs of version 2: batches, whole, torn and damaged.
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

constexpr size_t kRecords = 11;  // Number of records in BatchLog().

// Returns whether `bytes`, which are not damaged, hold all records of `told`.
bool IsPartOf(const CollectingSink& told, const std::string& bytes) {
  std::map<int64_t, std::string> payloads;
  for (const OwnedRecord& record :
       ReadBytes(bytes, bytes.size()).told.records) {
    payloads[record.number] = record.payload;
  }
  return std::all_of(
      told.records.begin(), told.records.end(), [&](const OwnedRecord& record) {
        const auto found = payloads.find(record.number);
        return found != payloads.end() && found->second == record.payload;
      });
}

// Opens `bytes` as a log, appends a record, and expects that to be read.
CollectingSink AppendTo(absl::string_view bytes) {
  const TempFolder folder;
  SetLogBytes(folder.fd(), bytes);
  FakeClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  EXPECT_TRUE(log.ok()) << log.status();
  const int64_t number = log->next_number();
  if (log->has_batches()) {
    log->AppendBatch(Stream::kStdout, "appended\nmore\n", 2);
  } else {
    log->Append({.payload = "appended"});
    log->Append({.payload = "more"});
  }
  EXPECT_TRUE(log->Flush().ok());
  CollectingSink told = ReadLog(folder.fd());
  EXPECT_EQ(told.records.back().number, number + 1);
  EXPECT_EQ(told.records.back().payload, "more");
  told.records.pop_back();
  EXPECT_EQ(told.records.back().payload, "appended");
  told.records.pop_back();
  return told;
}

TEST(LogBatchTest, EachLineIsARecord) {
  const std::string bytes = BatchLog();
  const ReadResult result = ReadBytes(bytes, bytes.size());
  EXPECT_TRUE(AllAccounted(bytes, result));
  EXPECT_THAT(result.told.damages, IsEmpty());
  ASSERT_THAT(result.told.records, SizeIs(kRecords));
  for (size_t i = 0; i < kRecords; ++i) {
    EXPECT_EQ(result.told.records[i].number, static_cast<int64_t>(i) + 1);
  }
  EXPECT_EQ(result.told.records[1].payload, "y");
  EXPECT_EQ(result.told.records[1].micros, result.told.records[4].micros);
  EXPECT_THAT(result.told.records[2].payload, HasSubstr(" forged"));
  EXPECT_EQ(result.told.records[3].payload, "");
  EXPECT_EQ(result.told.records[4].payload, "\xff  z\r");
  EXPECT_EQ(result.told.records[6].stream, Stream::kStderr);
  EXPECT_EQ(result.told.records[6].payload, " spaced");
  EXPECT_EQ(result.told.records[10].payload, "last");
}

TEST(LogBatchTest, TellsWhereAndInWhatABatchesLinesStand) {
  struct Sink : LogSink {
    void OnRecord(const LogRecord& record) override {
      after.push_back(record.lines_after);
      offsets.push_back(record.offset);
      sizes.push_back(record.size);
    }
    void OnDamage(const Damage&) override {}
    std::vector<int64_t> after, offsets, sizes;
  } sink;
  const std::string bytes = BatchLog();
  LogReader reader(FileOf(bytes));
  ASSERT_TRUE(reader.Read(sink).ok());
  EXPECT_THAT(sink.after, ElementsAre(0, 3, 2, 1, 0, 0, 1, 0, 0, 1, 0));
  for (size_t i = 1; i < sink.offsets.size(); ++i) {
    EXPECT_EQ(sink.offsets[i], sink.offsets[i - 1] + sink.sizes[i - 1]);
  }
}

TEST(LogBatchTest, GrowthInAnyStepsIsTheSame) {
  const std::string bytes = BatchLog();
  const ReadResult whole = ReadBytes(bytes, bytes.size());
  for (const size_t step : {1, 2, 3, 7, 64}) {
    EXPECT_EQ(ReadBytes(bytes, step).Listing(), whole.Listing());
  }
}

TEST(LogBatchTest, TheGreatestBatchIsRead) {
  std::string bytes = HeaderLine("task1");
  std::string lines;
  const auto count = static_cast<int64_t>(kMaxPayload / 2);
  lines.append(static_cast<size_t>(count), '\n');
  AppendBatch({.number = 1, .stream = Stream::kStderr, .count = count}, lines,
              &bytes);
  EXPECT_THAT(ReadBytes(bytes, bytes.size()).told.records,
              SizeIs(kMaxPayload / 2));
  // A writer begins to look for the log's end far behind the batch's head.
  EXPECT_THAT(AppendTo(bytes).damages, IsEmpty());
}

TEST(LogBatchTest, EveryFlippedBitIsSeen) {
  const std::string good = BatchLog();
  for (size_t i = 0; i < good.size() * 8; ++i) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    const ReadResult result = ReadBytes(bytes, bytes.size());
    EXPECT_TRUE(!result.status.ok() || !result.told.damages.empty())
        << "bit " << i;
    EXPECT_TRUE(AllAccounted(bytes, result)) << "bit " << i;
    EXPECT_TRUE(IsPartOf(result.told, good)) << "bit " << i;
    // All records stand but the record or batch that was hit, or two that were
    // joined.
    if (result.status.ok()) {
      EXPECT_GE(result.told.records.size(), kRecords - 5) << "bit " << i;
    }
    if (i % 17 == 0) {
      EXPECT_EQ(ReadBytes(bytes, 5).Listing(), result.Listing());
    }
  }
}

TEST(LogBatchTest, EveryFlipCanBeAppendedTo) {
  const std::string good = BatchLog();
  for (size_t i = 0; i < good.size() * 8; i += 3) {
    std::string bytes = good;
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ (1 << (i % 8)));
    // A flip in the version's digit can make another valid version.
    const size_t version = std::string("troika-log ").size();
    if (i / 8 == version) continue;
    ASSERT_FALSE(AppendTo(bytes).damages.empty()) << "bit " << i;
  }
}

TEST(LogBatchTest, EveryCutIsSeenAndEndedByTheNextWriter) {
  const std::string good = BatchLog();
  const std::vector<std::string> parts = PartsOf(good);
  ASSERT_EQ(absl::StrJoin(parts, ""), good);
  size_t begin = 0;    // Start of the part that is cut.
  int64_t number = 0;  // Last record before the part.
  for (size_t part = 0; part < parts.size(); ++part) {
    const auto lines = static_cast<int64_t>(
        std::count(parts[part].begin(), parts[part].end(), '\n'));
    const int64_t records = part == 0 ? 0 : std::max<int64_t>(lines - 1, 1);
    const size_t head = parts[part].find('\n');
    for (size_t torn = 1; torn < parts[part].size(); ++torn) {
      const std::string bytes = good.substr(0, begin + torn);
      const ReadResult result = ReadBytes(bytes, bytes.size());
      EXPECT_TRUE(AllAccounted(bytes, result));
      EXPECT_THAT(result.told.damages, SizeIs(1)) << bytes;
      EXPECT_EQ(result.told.records.size(), static_cast<size_t>(number));

      const CollectingSink told = AppendTo(bytes);
      EXPECT_THAT(
          Notes(told, "torn"),
          ElementsAre(absl::StrCat("{\"note\":\"torn\",\"bytes\":", torn, "}")))
          << bytes;
      // A record that lacks only its end is mended.
      const bool whole = torn + 1 == parts[part].size();
      EXPECT_EQ(told.damages.size(), whole ? 0 : 1) << bytes;
      // The damage names the lost records of a batch whose head can be read.
      if (!whole && records > 1 && torn >= head) {
        EXPECT_THAT(told.damages[0].what,
                    HasSubstr(absl::StrCat("records ", number + 1, " to ",
                                           number + records, " are missing")));
      }
    }
    begin += parts[part].size();
    number += records;
    EXPECT_THAT(ReadBytes(good.substr(0, begin), begin).told.damages,
                IsEmpty());
  }
}

TEST(LogBatchTest, ABatchThatIsNotWholeAtTheEndNamesItsRecords) {
  const std::string good = BatchLog();
  const std::string bytes = good.substr(0, good.size() - 3);
  const ReadResult result = ReadBytes(bytes, bytes.size());
  ASSERT_THAT(result.told.damages, SizeIs(1));
  EXPECT_THAT(result.told.damages[0].what,
              HasSubstr("records 10 to 11 are missing, and no record follows"));
}

TEST(LogBatchTest, MissingPartsAreDamages) {
  const std::vector<std::string> good = PartsOf(BatchLog());
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    std::vector<std::string> parts = good;
    parts.erase(parts.begin() + static_cast<ptrdiff_t>(i));
    const std::string bytes = absl::StrJoin(parts, "");
    const ReadResult result = ReadBytes(bytes, bytes.size());
    EXPECT_TRUE(AllAccounted(bytes, result));
    EXPECT_THAT(result.told.damages, SizeIs(1)) << i;
  }
}

TEST(LogBatchTest, CopiedPartsAreDamages) {
  const std::vector<std::string> good = PartsOf(BatchLog());
  for (size_t i = 0; i < good.size(); ++i) {
    for (size_t to = i + 1; to <= good.size(); ++to) {
      std::vector<std::string> parts = good;
      parts.insert(parts.begin() + static_cast<ptrdiff_t>(to), good[i]);
      const std::string bytes = absl::StrJoin(parts, "");
      const ReadResult result = ReadBytes(bytes, bytes.size());
      EXPECT_TRUE(AllAccounted(bytes, result));
      ASSERT_THAT(result.told.damages, SizeIs(1)) << i << " " << to;
      EXPECT_THAT(result.told.records, SizeIs(kRecords));
      EXPECT_THAT(AppendTo(bytes).records, SizeIs(kRecords));
    }
  }
}

TEST(LogBatchTest, SwappedAndMissingLinesAreDamages) {
  const std::string good = BatchLog();
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    if (good[i] == '\n') starts.push_back(i + 1);
  }
  starts.push_back(good.size());
  for (size_t i = 0; i + 2 < starts.size(); ++i) {
    const std::string one = good.substr(starts[i], starts[i + 1] - starts[i]);
    std::string swapped = good;
    swapped.erase(starts[i], one.size());
    ASSERT_FALSE(ReadBytes(swapped, swapped.size()).told.damages.empty());
    EXPECT_TRUE(IsPartOf(ReadBytes(swapped, swapped.size()).told, good));
    swapped.insert(starts[i + 2] - one.size(), one);
    EXPECT_FALSE(ReadBytes(swapped, swapped.size()).told.damages.empty()) << i;
  }
}

TEST(LogBatchTest, VersionOneHasNoBatches) {
  std::string bytes = HeaderLine("task1", 1);
  AppendBatch({.number = 1, .count = 2}, "a\nb\n", &bytes);
  AppendRecord({.number = 3, .payload = "third"}, &bytes);
  const ReadResult result = ReadBytes(bytes, bytes.size());
  EXPECT_THAT(result.told.records, SizeIs(1));
  EXPECT_THAT(result.told.damages, SizeIs(1));
}

TEST(LogBatchTest, AFollowingWriterKeepsTheVersion) {
  for (const std::string& bytes : {SmallLog(), BatchLog()}) {
    const TempFolder folder;
    SetLogBytes(folder.fd(), bytes);
    FakeClock clock;
    auto log = LogWriter::Open(folder.fd(), "task1", &clock);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(log->has_batches(), bytes == BatchLog());
    // A process that adopts the log keeps its version, too.
    auto adopted = LogWriter::Adopt(std::move(*log).Release(), &clock);
    ASSERT_TRUE(adopted.ok());
    EXPECT_EQ(adopted->has_batches(), bytes == BatchLog());
  }
}

TEST(LogBatchTest, DropPendingKeepsOrEndsABatchThatIsPartlyWritten) {
  const TempFolder folder;
  FakeClock clock;
  std::string lines;
  for (int i = 0; i < 50; ++i) absl::StrAppend(&lines, "line ", i, "\n");
  auto probe = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(probe.ok());
  ASSERT_TRUE(probe->Flush().ok());
  const auto header = static_cast<size_t>(probe->offset());
  const std::string start = LogBytes(folder.fd());
  probe->AppendBatch(Stream::kStdout, lines, 50);
  const size_t size = probe->pending();
  probe = absl::CancelledError();
  for (size_t room = 1; room < size; room += 11) {
    for (const size_t max_rest : {size, size_t{0}}) {
      SetLogBytes(folder.fd(), start);
      auto log = LogWriter::Open(folder.fd(), "task1", &clock);
      ASSERT_TRUE(log.ok());
      log->AppendBatch(Stream::kStdout, lines, 50);
      log->Append({.payload = "dropped"});
      const size_t pending = log->pending();
      {
        const SizeLimit limit(header + room);
        EXPECT_FALSE(log->Flush().ok());
      }
      const int64_t lost = log->DropPending(max_rest);
      EXPECT_EQ(lost,
                static_cast<int64_t>(pending - room) -
                    static_cast<int64_t>(max_rest == 0 ? 0 : size - room));
      log->Append({.payload = "last"});
      ASSERT_TRUE(log->Flush().ok());
      const CollectingSink told = ReadLog(folder.fd());
      EXPECT_EQ(told.records.back().payload, "last");
      EXPECT_THAT(told.records, SizeIs(max_rest == 0 ? 1 : 51)) << room;
      ASSERT_THAT(told.damages, SizeIs(1)) << room;
      EXPECT_THAT(told.damages[0].what,
                  HasSubstr(max_rest == 0 ? "records 1 to 51 are missing"
                                          : "record 51 is missing"));
    }
  }
}

}  // namespace
}  // namespace troika::relay
