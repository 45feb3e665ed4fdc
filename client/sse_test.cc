#include "client/sse.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::client {

void PrintTo(const SseEvent& event, std::ostream* out) {
  *out << event.name << " " << event.id << " " << event.data;
}

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// `cut` says how many bytes come next.
template <typename Cut>
std::vector<SseEvent> ParseIn(absl::string_view stream, Cut cut) {
  SseParser parser;
  std::vector<SseEvent> events;
  while (!stream.empty()) {
    const size_t n = std::min<size_t>(stream.size(), cut());
    EXPECT_TRUE(parser
                    .Feed(stream.substr(0, n),
                          [&](SseEvent&& e) { events.push_back(e); })
                    .ok());
    stream.remove_prefix(n);
  }
  return events;
}

std::vector<SseEvent> Parse(absl::string_view stream) {
  return ParseIn(stream, [] { return SIZE_MAX; });
}

TEST(SseTest, ReadsFields) {
  EXPECT_THAT(
      Parse("event: hello\ndata: {\"parser\":1}\n\n"
            "id: 3.0\ndata: a\n\n"
            ": beat\n\n"
            "event:task\ndata:  b\n\n"),
      ElementsAre(SseEvent{"hello", "", "{\"parser\":1}"},
                  SseEvent{"message", "3.0", "a"}, SseEvent{"task", "", " b"}));
}

TEST(SseTest, EveryLineEnd) {
  for (const std::string end : {"\n", "\r", "\r\n"}) {
    EXPECT_THAT(Parse(absl::StrCat("data: a", end, "data: b", end, "data", end,
                                   end, "data: c", end, end)),
                ElementsAre(SseEvent{"message", "", "a\nb\n"},
                            SseEvent{"message", "", "c"}));
  }
}

TEST(SseTest, OddStreams) {
  EXPECT_THAT(Parse("\xEF\xBB\xBF"
                    "data: a\n\n"),
              ElementsAre(SseEvent{"message", "", "a"}));
  EXPECT_THAT(Parse("event: x\n\n: only a comment\n\nretry: 10\n\n"),
              IsEmpty());
  EXPECT_THAT(Parse("data: never ended\n"), IsEmpty());
  EXPECT_THAT(
      Parse("data\n\nbrand: new\ndata: b\n\n"),
      ElementsAre(SseEvent{"message", "", ""}, SseEvent{"message", "", "b"}));
  EXPECT_THAT(Parse(absl::string_view("id: a\0b\ndata: c\n\n", 17)),
              ElementsAre(SseEvent{"message", "", "c"}));
}

TEST(SseTest, ItsCutsDoNotMatter) {
  const std::string stream =
      "\xEF\xBB\xBF"
      ": x\r\n\r\nid: 1.0\r\ndata: a\r\ndata: b\r\n\r\n"
      "event: task\rdata: \xE2\x9C\x94\rdata:\r\r"
      "data: x\n\nid: 2.0\n\nid\ndata: last\n\n\n\r\r\n";
  const std::vector<SseEvent> whole = Parse(stream);
  EXPECT_EQ(whole.size(), 4u);
  EXPECT_EQ(ParseIn(stream, [] { return 1; }), whole);
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    EXPECT_EQ(ParseIn(stream, [&] { return random() % 9; }), whole);
  }
}

TEST(SseTest, GoesOnAfterTheLastWholeEvent) {
  SseParser parser;
  std::vector<SseEvent> events;
  const auto sink = [&](SseEvent&& event) { events.push_back(event); };
  ASSERT_TRUE(parser.Feed("id: 1.0\ndata: a\n\nid: 2.0\ndata: ha", sink).ok());
  EXPECT_EQ(parser.last_id(), "1.0");
  parser.Restart();
  ASSERT_TRUE(parser.Feed("data: b\n\n", sink).ok());
  EXPECT_THAT(events, ElementsAre(SseEvent{"message", "1.0", "a"},
                                  SseEvent{"message", "", "b"}));
  EXPECT_EQ(parser.last_id(), "1.0");
}

TEST(SseTest, RefusesWhatIsTooLong) {
  const auto ignore = [](SseEvent&&) {};
  SseParser lines(100);
  EXPECT_TRUE(lines.Feed(std::string(100, 'x'), ignore).ok());
  EXPECT_TRUE(absl::IsResourceExhausted(lines.Feed("x", ignore)));
  SseParser many(100);
  absl::Status fed;
  for (int i = 0; i < 100 && fed.ok(); ++i)
    fed = many.Feed("data: x\n", ignore);
  EXPECT_TRUE(absl::IsResourceExhausted(fed));
}

}  // namespace
}  // namespace troika::client
