// Checks the rules of agent/message.h on every stream.
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/drift.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "base/json.h"
#include "dto/json.h"
#include "dto/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testdata/streams.h"

namespace troika {
namespace {

using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Message> Parse(const Stream& stream, const std::string& text,
                           const std::vector<size_t>& cuts = {}) {
  const std::unique_ptr<Protocol> protocol =
      BackendOf(stream.harness).NewProtocol({});
  return RunStream(*protocol, text, cuts);
}

std::vector<std::string> Texts(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& m : messages) texts.push_back(EventText(m));
  return texts;
}

class StreamRulesTest : public ::testing::TestWithParam<Stream> {};

TEST_P(StreamRulesTest, HoldForEveryToolTurnAndToken) {
  const std::string text = ReadFileOrDie(GetParam().path);
  const std::vector<Message> messages = Parse(GetParam(), text);
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  const Expectation expected = ExpectationOf(GetParam().harness, text);
  const std::vector<Result> results = Payloads<Result>(messages);
  EXPECT_THAT(results, SizeIs(expected.turns));
  if (!results.empty()) {
    EXPECT_EQ(results.back().usage.total, expected.total);
  }
  EXPECT_THAT(Payloads<ParseError>(messages), IsEmpty());
}

TEST_P(StreamRulesTest, ChunksMakeNoDifference) {
  const std::string text = ReadFileOrDie(GetParam().path);
  const std::vector<std::string> whole = Texts(Parse(GetParam(), text));
  EXPECT_EQ(Texts(Parse(GetParam(), text, {1})), whole);
  std::mt19937 random(20250101);
  for (int round = 0; round < 3; ++round) {
    std::vector<size_t> cuts(50);
    for (size_t& cut : cuts) cut = 1 + random() % 700;
    EXPECT_EQ(Texts(Parse(GetParam(), text, cuts)), whole);
  }
}

// The stream is doubled as if two files had been concatenated. Claude's wire
// does not show where a process begins, so an unfinished turn runs into the
// next one there.
TEST_P(StreamRulesTest, HoldForTheSameStreamTwice) {
  const std::string text = ReadFileOrDie(GetParam().path);
  const std::string twice = absl::EndsWith(text, "\n")
                                ? absl::StrCat(text, text)
                                : absl::StrCat(text, "\n", text);
  const std::vector<Message> messages = Parse(GetParam(), twice);
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  if (GetParam().harness == Harness::kClaude) return;
  const Expectation expected = ExpectationOf(GetParam().harness, text);
  EXPECT_THAT(Payloads<Result>(messages), SizeIs(2 * expected.turns));
}

TEST_P(StreamRulesTest, NothingUnknownButOnPurpose) {
  if (absl::StrContains(GetParam().path, "every_")) return;
  Drift drift;
  const std::unique_ptr<Protocol> protocol =
      BackendOf(GetParam().harness).NewProtocol({.drift = &drift});
  RunStream(*protocol, ReadFileOrDie(GetParam().path));
  EXPECT_THAT(drift.Entries(), IsEmpty());
}

TEST_P(StreamRulesTest, EventsAreJsonOfOneLine) {
  json::Parser parser;
  const std::string text = ReadFileOrDie(GetParam().path);
  for (const Message& message : Parse(GetParam(), text)) {
    std::string line;
    AppendEventJson(message, "task", &line);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto event = parser.Parse(line);
    ASSERT_TRUE(event.ok()) << event.status() << " " << line;
    EXPECT_EQ(event->Get("taskId").StringOr(""), "task");
  }
}

INSTANTIATE_TEST_SUITE_P(All, StreamRulesTest,
                         ::testing::ValuesIn(AllStreams()),
                         [](const auto& info) { return TestName(info.param); });

TEST(StreamsTest, AreThere) { EXPECT_THAT(AllStreams(), SizeIs(Ge(150))); }

class SessionFileRulesTest : public ::testing::TestWithParam<Stream> {};

TEST_P(SessionFileRulesTest, HoldInAnyChunksAndEverythingIsKnown) {
  const std::string text = ReadFileOrDie(GetParam().path);
  Drift drift;
  const auto parse = [&](const std::vector<size_t>& cuts) {
    const std::unique_ptr<Protocol> protocol =
        BackendOf(GetParam().harness)
            .NewProtocol({.drift = &drift, .wire = GetParam().wire});
    return RunStream(*protocol, text, cuts);
  };
  const std::vector<Message> messages = parse({});
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  EXPECT_THAT(Payloads<ParseError>(messages), IsEmpty());
  EXPECT_EQ(Texts(parse({1})), Texts(messages));
  EXPECT_EQ(Texts(parse({7, 300})), Texts(messages));
  // Those that are written by hand have what is unknown, on purpose.
  if (absl::StrContains(GetParam().path, "legacy") ||
      absl::StrContains(GetParam().path, "object")) {
    return;
  }
  EXPECT_THAT(drift.Entries(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, SessionFileRulesTest,
                         ::testing::ValuesIn(AllSessionFiles()),
                         [](const auto& info) { return TestName(info.param); });

class TranscriptRulesTest : public ::testing::TestWithParam<Stream> {};

TEST_P(TranscriptRulesTest, HoldAndEverythingIsKnown) {
  Drift drift;
  const std::unique_ptr<Protocol> protocol =
      BackendOf(GetParam().harness)
          .NewProtocol({.drift = &drift, .wire = GetParam().wire});
  const std::vector<Message> messages =
      RunTranscript(*protocol, ReadFileOrDie(GetParam().path));
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  EXPECT_THAT(Payloads<ParseError>(messages), IsEmpty());
  std::vector<std::string> unknown;
  for (const Drift::Entry& entry : drift.Entries()) {
    unknown.push_back(entry.what);
  }
  EXPECT_THAT(unknown, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, TranscriptRulesTest,
                         ::testing::ValuesIn(AllTranscripts()),
                         [](const auto& info) { return TestName(info.param); });

}  // namespace
}  // namespace troika
