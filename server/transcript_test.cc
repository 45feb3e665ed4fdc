// Tests pages of events, turns, searches and files of them.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "dto/proto_json.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/event_page.h"
#include "server/event_scan.h"
#include "server/export.h"

namespace troika {
namespace {

class TranscriptTest : public testing::Test {
 protected:
  void Add(int64_t record, absl::string_view payload) {
    stream_->file().Add({.record = record}, [&](std::string* out) {
      absl::StrAppend(out, "{\"id\":\"", record, ".0\",\"taskId\":\"t1\",",
                      payload, "}");
    });
  }
  void AddMany(int from, int to) {
    for (int i = from; i <= to; ++i) {
      Add(i, absl::StrCat("\"text\":{\"text\":\"", std::string(i % 97, 'x'),
                          "\"}"));
      if (i % 10 == 0) stream_->file().AddLogBytes(i);
    }
  }
  static std::vector<std::string> IdsOf(const EventPage& page) {
    std::vector<std::string> ids;
    for (const std::string& json : page.events) {
      v1::Event event;
      EXPECT_TRUE(FromJson(json, &event, UnknownFields::kIgnore).ok()) << json;
      ids.push_back(event.id());
    }
    return ids;
  }
  EventSnapshot Snapshot() { return *stream_->file().Snapshot(); }
  std::string Export(ExportFormat format) {
    v1::Task task;
    task.set_id("t1");
    task.set_title("A *title*");
    const auto source =
        NewExport(stream_, task, format,
                  [](absl::string_view) -> std::optional<std::string> {
                    return "{\"id\":\"9.0\",\"text\":{\"text\":\"whole\"}}";
                  });
    std::string out;
    for (int i = 0; i < 1000; ++i) {
      if (source->Fill(100, &out) == http::BodySource::State::kEnd) return out;
    }
    ADD_FAILURE() << "no end";
    return out;
  }

  const TempFolder folder_;
  const std::shared_ptr<TaskStream> stream_ =
      std::make_shared<TaskStream>("t1", *EventFile::Open(folder_.fd(), "t1"));
};

TEST_F(TranscriptTest, PagesBackwardsHaveEveryEventOnce) {
  AddMany(1, 1000);
  ASSERT_TRUE(stream_->file().Flush().ok());
  AddMany(1001, 1007);  // Not written yet.
  for (const size_t size : {1u, 7u, 100u, 5000u}) {
    std::vector<std::string> ids;
    std::string before(kBeforeEnd);
    int64_t offset = 0;
    while (!before.empty()) {
      const auto page = ReadPageBefore(stream_->file(), before, size);
      ASSERT_TRUE(page.ok()) << page.status();
      const auto these = IdsOf(*page);
      ASSERT_FALSE(these.empty());
      EXPECT_LE(these.size(), size);
      EXPECT_EQ(page->last_event_id, "1007.0");
      EXPECT_EQ(page->next.empty(), ids.empty());
      ids.insert(ids.begin(), these.begin(), these.end());
      before = page->previous;
      offset = page->offset;
    }
    EXPECT_EQ(offset, 0);
    ASSERT_EQ(ids.size(), 1007u) << size;
    for (size_t i = 0; i < ids.size(); ++i) {
      ASSERT_EQ(ids[i], absl::StrCat(i + 1, ".0"));
    }
  }
}

TEST_F(TranscriptTest, PagesBackwardsBeginAtAnyEvent) {
  AddMany(1, 50);
  const auto page = ReadPageBefore(stream_->file(), "20.0", 3);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(IdsOf(*page), (std::vector<std::string>{"17.0", "18.0", "19.0"}));
  EXPECT_EQ(page->previous, "17.0");
  EXPECT_EQ(page->next, "19.0");
  const auto first = ReadPageBefore(stream_->file(), "1.0", 3);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->events.empty());
  EXPECT_EQ(first->previous, "");
  EXPECT_EQ(ReadPageBefore(stream_->file(), "20.1", 3).status().code(),
            absl::StatusCode::kNotFound);
  for (const char* bad : {"x", "1", "begin", "-1.0"}) {
    EXPECT_EQ(ReadPageBefore(stream_->file(), bad, 3).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(TranscriptTest, ATaskWithoutEventsHasAnEmptyPage) {
  const auto page = ReadPageBefore(stream_->file(), kBeforeEnd, 10);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_TRUE(page->events.empty());
  EXPECT_EQ(page->previous, "");
  EXPECT_EQ(page->last_event_id, "");
}

TEST_F(TranscriptTest, APageOfLargeEventsEndsEarly) {
  const std::string large =
      absl::StrCat("\"text\":{\"text\":\"", std::string(1 << 20, 'x'), "\"}");
  for (int i = 1; i <= 10; ++i) Add(i, large);
  const auto page = ReadPageBefore(stream_->file(), kBeforeEnd, 100);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->events.size(), 4u);
  EXPECT_EQ(page->previous, "7.0");
}

TEST_F(TranscriptTest, BothEncodingsOfAPageSayTheSame) {
  AddMany(1, 5);
  const auto page = ReadPageBefore(stream_->file(), "4.0", 2);
  const auto json = EventPageReply(page, Encoding::kJson);
  const auto binary = EventPageReply(page, Encoding::kBinary);
  ASSERT_TRUE(json.ok() && binary.ok());
  v1::ListEventsResponse read;
  ASSERT_TRUE(FromJson(json->body, &read).ok()) << json->body;
  EXPECT_EQ(ToJson(read), ToJson(*binary->message));
  EXPECT_EQ(read.previous_page_token(), "2.0");
  EXPECT_EQ(read.parser(), kParserVersion);
}

TEST_F(TranscriptTest, TurnsBeginWhereTheyWereAskedFor) {
  const auto asked = [](int turn) {
    return absl::StrCat(
        "\"lifecycle\":{\"kind\":\"turn_asked\",\"turn\":", turn, "}");
  };
  Add(1, "\"lifecycle\":{\"kind\":\"created\"}");
  Add(2, asked(1));
  Add(3, "\"receipt\":{\"id\":\"i1\",\"text\":\"first\"}");
  ASSERT_TRUE(stream_->file().Flush().ok());
  Add(4, "\"text\":{\"text\":\"says \\\"lifecycle\\\":{turn_asked\"}");
  Add(5, asked(2));
  Add(6, absl::StrCat("\"receipt\":{\"id\":\"i2\",\"text\":\"",
                      std::string(300, 'p'), "\"}"));
  const auto turns = FindTurns(Snapshot());
  ASSERT_TRUE(turns.ok()) << turns.status();
  EXPECT_EQ(turns->events(), 6);
  ASSERT_EQ(turns->turns_size(), 2);
  EXPECT_EQ(turns->turns(0).event_id(), "2.0");
  EXPECT_EQ(turns->turns(0).prompt(), "first");
  EXPECT_EQ(turns->turns(1).turn(), 2);
  EXPECT_EQ(turns->turns(1).prompt(), std::string(200, 'p'));
}

TEST_F(TranscriptTest, SearchesStringsInAnyCase) {
  Add(1, "\"text\":{\"text\":\"Find the Bug\"}");
  Add(2, "\"textDelta\":{\"text\":\"bug\"}");
  Add(3, "\"toolUse\":{\"input\":{\"list\":[\"x\",\"a bug\\n\\\"here\\\"\"]}}");
  Add(4, "\"bug\":{\"text\":\"only the key has it\"}");
  const auto ids = [&](absl::string_view text, size_t limit = 10) {
    const auto found = SearchEvents(Snapshot(), text, limit);
    EXPECT_TRUE(found.ok()) << found.status();
    return std::vector<std::string>(found->event_ids().begin(),
                                    found->event_ids().end());
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("BUG"), (Ids{"1.0", "3.0"}));
  EXPECT_EQ(ids("bug\n\"HERE"), Ids{"3.0"});
  EXPECT_EQ(ids("t1"), Ids{});  // The task's id.
  EXPECT_EQ(ids("bug", 1), Ids{"1.0"});
  EXPECT_TRUE(SearchEvents(Snapshot(), "bug", 1)->more());
  EXPECT_FALSE(SearchEvents(Snapshot(), "bug", 2)->more());
}

TEST_F(TranscriptTest, JsonLinesAreTheEventsWithNothingCut) {
  Add(1, "\"text\":{\"text\":\"Hi.\"}");
  Add(9, "\"cut\":[{\"field\":\"text\"}],\"text\":{\"text\":\"wh\"}");
  EXPECT_EQ(Export(ExportFormat::kJsonLines),
            "{\"id\":\"1.0\",\"taskId\":\"t1\",\"text\":{\"text\":\"Hi.\"}}\n"
            "{\"id\":\"9.0\",\"text\":{\"text\":\"whole\"}}\n");
}

TEST_F(TranscriptTest, MarkdownTellsTheStory) {
  Add(1, "\"lifecycle\":{\"kind\":\"turn_asked\",\"turn\":1}");
  Add(2, "\"receipt\":{\"text\":\"fix it\"}");
  Add(3, "\"userInput\":{\"text\":\"fix it\"}");
  Add(4, "\"text\":{\"text\":\"I will.\"}");
  Add(5, "\"toolUse\":{\"name\":\"Bash\",\"input\":{\"command\":\"ls ```\"}}");
  Add(6, "\"toolResult\":{\"output\":\"a\\n\",\"exitCode\":2}");
  Add(7, "\"todo\":{\"items\":[{\"text\":\"one\",\"status\":\"completed\"}]}");
  Add(8, "\"diff\":{\"unifiedDiff\":\"+x\\n\"}");
  const std::string text = Export(ExportFormat::kMarkdown);
  EXPECT_TRUE(absl::StartsWith(text, "# A \\*title\\*\n\n- task: t1\n"))
      << text;
  EXPECT_TRUE(
      absl::EndsWith(text,
                     "## Turn 1\n\n> fix it\n\nI will.\n\n**Bash**\n\n"
                     "````sh\nls ```\n````\n\nExit code 2:\n\n"
                     "```\na\n```\n\n- [x] one\n\n```diff\n+x\n```\n\n"))
      << text;
}

TEST_F(TranscriptTest, MarkdownSaysWhichEventsCouldNotBeRead) {
  Add(1, "\"text\":{\"text\":\"Hi.\"}");
  Add(2, "\"text\":");
  Add(3, "\"neverSeen\":{\"x\":1}");
  const std::string text = Export(ExportFormat::kMarkdown);
  EXPECT_TRUE(absl::StrContains(text, "Hi.\n\n*Event 2.0 could not be read.*"))
      << text;
  EXPECT_TRUE(absl::StrContains(text, "\"neverSeen\":{\"x\":1}")) << text;
}

// Memory and time of a piece must not grow with what was exported before.
TEST_F(TranscriptTest, ExportsGoOutInSmallPieces) {
  constexpr int kEvents = 50000;
  AddMany(1, kEvents);
  Add(kEvents + 1,
      absl::StrCat("\"text\":{\"text\":\"", std::string(3 << 20, 'y'), "\"}"));
  ASSERT_TRUE(stream_->file().Flush().ok());
  v1::Task task;
  const auto source = NewExport(stream_, task, ExportFormat::kMarkdown,
                                [](absl::string_view) { return std::nullopt; });
  size_t total = 0;
  size_t largest = 0;
  int empty = 0;
  auto state = http::BodySource::State::kMore;
  while (state == http::BodySource::State::kMore) {
    std::string piece;
    state = source->Fill(100, &piece);
    total += piece.size();
    empty += piece.empty() ? 1 : 0;
    if (piece.size() < (1u << 20)) largest = std::max(largest, piece.size());
  }
  EXPECT_EQ(state, http::BodySource::State::kEnd);
  EXPECT_GT(total, size_t{kEvents} * 40 + (3u << 20));
  EXPECT_LT(largest, size_t{64} << 10);
  // A long event is read in steps that double.
  EXPECT_LT(empty, 16);
}

}  // namespace
}  // namespace troika
