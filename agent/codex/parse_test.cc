#include "agent/codex/parse.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/drift.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kThread =
    R"({"type":"thread.started","thread_id":"t-1"})";
constexpr absl::string_view kTurn = R"({"type":"turn.started"})";

std::string Completed(int input, int output) {
  return absl::StrCat(R"({"type":"turn.completed","usage":{"input_tokens":)",
                      input, R"(,"output_tokens":)", output, "}}");
}

std::vector<Message> RunLines(const std::vector<absl::string_view>& lines,
                              const ProtocolOptions& options = {}) {
  const std::unique_ptr<Protocol> protocol = NewExecProtocol(options);
  std::vector<Message> messages =
      RunStream(*protocol, absl::StrJoin(lines, "\n"));
  EXPECT_THAT(BrokenRules(messages), IsEmpty());
  return messages;
}

TEST(CodexParseTest, ThreadAndTurn) {
  const auto messages = RunLines({kThread, kTurn, Completed(42, 5)});
  EXPECT_EQ(Payloads<Init>(messages)[0].session_id, "t-1");
  EXPECT_EQ(Payloads<Notice>(messages)[0].kind, Notice::Kind::kTurnStarted);
  const auto results = Payloads<Result>(messages);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_FALSE(results[0].is_error);
  EXPECT_FALSE(results[0].synthetic);
  EXPECT_EQ(results[0].usage.turn->input, 42);
  EXPECT_EQ(results[0].usage.turn_cost.source, CostSource::kNone);
  EXPECT_THAT(Payloads<Usage>(messages), SizeIs(1));
}

TEST(CodexParseTest, CachedTokensArePartOfInput) {
  const auto messages = RunLines(
      {kThread, kTurn,
       R"({"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":30,"cache_write_input_tokens":20,"output_tokens":9,"reasoning_output_tokens":4}})"});
  EXPECT_EQ(Payloads<Result>(messages)[0].usage.turn,
            (TokenCounts{.input = 50,
                         .cached = 30,
                         .cache_write = 20,
                         .output = 9,
                         .reasoning = 4}));
}

TEST(CodexParseTest, UsageIsCumulative) {
  const auto results = Payloads<Result>(
      RunLines({kThread, kTurn, Completed(42, 5), kTurn, Completed(84, 9)}));
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[1].usage.turn->input, 42);
  EXPECT_EQ(results[1].usage.turn->output, 4);
  EXPECT_EQ(results[1].usage.total.input, 84);
}

TEST(CodexParseTest, FirstTurnOfAThreadBegunElsewhereHasNoUsage) {
  ProtocolOptions options;
  options.continuation.total_known = false;
  const auto results = Payloads<Result>(RunLines(
      {kThread, kTurn, Completed(42, 5), kTurn, Completed(84, 9)}, options));
  EXPECT_EQ(results[0].usage.turn, std::nullopt);
  EXPECT_EQ(results[0].usage.total.input, 42);
  EXPECT_EQ(results[1].usage.turn->input, 42);
}

TEST(CodexParseTest, NextProcessContinuesTheThread) {
  const std::unique_ptr<Protocol> first = NewExecProtocol({});
  RunStream(*first,
            absl::StrJoin({kThread, kTurn, absl::string_view(Completed(42, 5))},
                          "\n"));
  EXPECT_EQ(first->continuation().session_id, "t-1");
  EXPECT_EQ(first->continuation().generation, 2);
  const auto messages = RunLines(
      {kThread, kTurn,
       R"({"type":"item.completed","item":{"id":"item_0","type":"web_search","query":"q"}})",
       Completed(84, 9)},
      {.continuation = first->continuation()});
  EXPECT_EQ(Payloads<ToolUse>(messages)[0].id, "g2.item_0");
  EXPECT_EQ(Payloads<Result>(messages)[0].usage.turn->input, 42);
  // Codex silently starts another thread if the requested one does not exist.
  const auto other = RunLines({R"({"type":"thread.started","thread_id":"t-9"})",
                               kTurn, Completed(84, 9)},
                              {.continuation = first->continuation()});
  EXPECT_EQ(Payloads<Result>(other)[0].usage.turn->input, 84);
}

TEST(CodexParseTest, OldVersionsCountEachProcessFromZero) {
  ProtocolOptions options;
  options.continuation.session_id = "t-1";
  options.continuation.total = {.input = 42, .output = 5};
  const std::vector<std::string> turn = {std::string(kThread),
                                         std::string(kTurn), Completed(50, 6)};
  const auto usage_of = [&](absl::string_view version) {
    options.version = std::string(version);
    const std::unique_ptr<Protocol> protocol = NewExecProtocol(options);
    const auto messages = RunStream(*protocol, absl::StrJoin(turn, "\n"));
    return Payloads<Result>(messages)[0].usage;
  };
  EXPECT_EQ(usage_of("0.63.0").turn->input, 50);
  EXPECT_EQ(usage_of("0.63.0").total.input, 92);
  EXPECT_EQ(usage_of("0.78.0").turn->input, 8);
  EXPECT_EQ(usage_of("").total.input, 50);
}

TEST(CodexParseTest, StreamsOfTwoProcessesInOne) {
  const absl::string_view item =
      R"({"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","status":"in_progress"}})";
  const auto messages =
      RunLines({kThread, kTurn, item, kThread, kTurn, item, Completed(84, 9),
                kThread, kTurn, Completed(100, 9)});
  const auto uses = Payloads<ToolUse>(messages);
  ASSERT_THAT(uses, SizeIs(2));
  EXPECT_EQ(uses[0].id, "item_0");
  EXPECT_EQ(uses[1].id, "g2.item_0");
  const auto results = Payloads<Result>(messages);
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_EQ(results[2].usage.turn->input, 16);
}

TEST(CodexParseTest, ErrorIsNotTheEnd) {
  const auto messages = RunLines(
      {kThread, kTurn, R"({"type":"error","message":"Reconnecting... 1/3"})",
       R"({"type":"error","message":"high demand"})", Completed(1, 1)});
  const auto notices = Payloads<Notice>(messages);
  ASSERT_THAT(notices, SizeIs(3));
  EXPECT_EQ(notices[1].kind, Notice::Kind::kRetrying);
  EXPECT_EQ(notices[2].kind, Notice::Kind::kError);
  EXPECT_FALSE(Payloads<Result>(messages)[0].is_error);
}

TEST(CodexParseTest, TurnFailedTakesObjectStringOrNothing) {
  const struct {
    absl::string_view line, error;
  } kCases[] = {
      {R"({"type":"turn.failed","error":{"message":"m"}})", "m"},
      {R"({"type":"turn.failed","error":"s"})", "s"},
      {R"({"type":"turn.failed","error":{"code":7}})", R"({"code":7})"},
      {R"({"type":"turn.failed"})", "the turn failed"},
  };
  for (const auto& c : kCases) {
    const auto results = Payloads<Result>(RunLines({kThread, kTurn, c.line}));
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_TRUE(results[0].is_error);
    EXPECT_EQ(results[0].error, c.error);
    EXPECT_EQ(results[0].usage.turn, std::nullopt);
  }
  const auto after_error = Payloads<Result>(
      RunLines({kThread, kTurn, R"({"type":"error","message":"high demand"})",
                R"({"type":"turn.failed","error":null})"}));
  EXPECT_EQ(after_error[0].error, "high demand");
}

TEST(CodexParseTest, EndsWithoutATurnAreRaw) {
  const std::string completed = Completed(42, 5);
  const absl::string_view failed = R"({"type":"turn.failed","error":"x"})";
  const auto messages =
      RunLines({kThread, kTurn, completed, completed, failed});
  EXPECT_THAT(Payloads<Result>(messages), SizeIs(1));
  ASSERT_THAT(Payloads<Raw>(messages), SizeIs(2));
  EXPECT_EQ(Payloads<Raw>(messages)[1].reason, "no turn is open");
  // The start of the first turn may be missing.
  EXPECT_THAT(Payloads<Result>(RunLines({completed, completed})), SizeIs(1));
}

TEST(CodexParseTest, StreamEndMakesAResult) {
  const auto messages = RunLines({kThread, kTurn});
  ASSERT_THAT(Payloads<Result>(messages), SizeIs(1));
  EXPECT_TRUE(Payloads<Result>(messages)[0].synthetic);
  EXPECT_TRUE(Payloads<Result>(messages)[0].is_error);
  EXPECT_THAT(Payloads<Result>(RunLines({kThread})), IsEmpty()) << "no turn";
}

TEST(CodexParseTest, UnknownEventsAreRawAndSeenAsDrift) {
  Drift drift;
  const auto messages = RunLines(
      {kThread, R"({"type":"thread.paused","why":{"deep":[1]}})", kTurn,
       R"({"type":"turn.completed","usage":{"input_tokens":"7","new_tokens":1},"extra":1})"},
      {.drift = &drift});
  const auto raws = Payloads<Raw>(messages);
  ASSERT_THAT(raws, SizeIs(1));
  EXPECT_EQ(raws[0].type, "thread.paused");
  EXPECT_EQ(raws[0].line, R"({"type":"thread.paused","why":{"deep":[1]}})");
  std::vector<std::string> what;
  for (const Drift::Entry& e : drift.Entries()) what.push_back(e.what);
  EXPECT_THAT(what, ElementsAre("field line.extra", "field line.why",
                                "field usage.input_tokens is a string",
                                "field usage.new_tokens",
                                "type  type = thread.paused"));
}

TEST(CodexParseTest, DialectOf042CutInACommandIsAnError) {
  const auto results = Payloads<Result>(RunLines(
      {R"({"type":"session.created","session_id":"s-1"})",
       R"({"type":"item.started","item":{"id":"item_0","item_type":"command_execution","command":"ls"}})"}));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_TRUE(results[0].is_error);
}

TEST(CodexParseTest, DialectOf042) {
  const auto messages = RunLines(
      {R"({"type":"session.created","session_id":"s-1"})",
       R"({"type":"item.completed","item":{"id":"item_0","item_type":"assistant_message","text":"hi"}})"});
  EXPECT_EQ(Payloads<Init>(messages)[0].session_id, "s-1");
  EXPECT_EQ(Payloads<Text>(messages)[0].text, "hi");
  const auto results = Payloads<Result>(messages);
  ASSERT_THAT(results, SizeIs(1)) << "it told no turns, but there was one";
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_FALSE(results[0].is_error);
  EXPECT_EQ(results[0].text, "hi");
}

}  // namespace
}  // namespace troika::codex
