#include <string>

#include "absl/strings/str_cat.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

void Notify(const Note& note, ClaudeProtocol& protocol) {
  protocol.OnNote({.number = 1}, note, [](Message&&) {});
}

TEST(OutboxTest, PromptIsWantedUntilItIsSeenWritten) {
  ClaudeProtocol protocol({});
  Notify(TurnAsked{.turn = 3,
                   .prompt = "say \"hi\"\n",
                   .images = {{.media_type = "image/png", .base64 = "AAAA"}}},
         protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(1));
  const Outgoing wanted = protocol.outbox()[0];
  EXPECT_EQ(wanted.key, "turn-3.prompt");
  EXPECT_EQ(wanted.bytes,
            "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":["
            "{\"type\":\"text\",\"text\":\"say \\\"hi\\\"\\n\"},"
            "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
            "\"media_type\":\"image/png\",\"data\":\"AAAA\"}}]},"
            "\"parent_tool_use_id\":null,\"session_id\":\"\"}\n");

  std::vector<Message> messages;
  Record record = RecordOf(wanted.bytes, 2);
  record.key = wanted.key;
  protocol.OnWritten(record,
                     [&](Message&& m) { messages.push_back(std::move(m)); });
  EXPECT_THAT(protocol.outbox(), IsEmpty());
  const auto inputs = Payloads<UserInput>(messages);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].text, "say \"hi\"\n");
  EXPECT_EQ(inputs[0].images, 1);
}

// Versions before 1.0.21 have no --input-format.
TEST(OutboxTest, AProcessThatReadsAPromptGetsItAsItIsAndTheEnd) {
  ClaudeProtocol protocol({.input = ProtocolOptions::Input::kPrompt});
  std::vector<Message> messages;
  const auto keep = [&](Message&& m) { messages.push_back(std::move(m)); };
  const std::string prompt = "{\"type\":\"user\"}\nmore";
  protocol.OnNote({.number = 1}, TurnAsked{.turn = 1, .prompt = prompt}, keep);
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_EQ(protocol.outbox()[0].bytes, prompt);
  EXPECT_EQ(protocol.outbox()[1].kind, Outgoing::Kind::kClose);

  Record record = RecordOf("{\"type\":\"user\"}", 2);
  record.key = protocol.outbox()[0].key;
  protocol.OnWritten(record, keep);
  EXPECT_THAT(protocol.outbox(), SizeIs(1));
  protocol.OnNote({.number = 3}, InterruptAsked{}, keep);
  EXPECT_THAT(protocol.outbox(), SizeIs(1));
  const auto inputs = Payloads<UserInput>(messages);
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].text, prompt);
}

TEST(OutboxTest, InterruptsHaveIdsOfTheirOwn) {
  ClaudeProtocol protocol({.continuation = {.generation = 2}});
  Notify(InterruptAsked{}, protocol);
  Notify(InterruptAsked{}, protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_EQ(protocol.outbox()[0].bytes,
            "{\"type\":\"control_request\",\"request_id\":\"interrupt-2.1\","
            "\"request\":{\"subtype\":\"interrupt\"}}\n");
  EXPECT_EQ(protocol.outbox()[1].key, "interrupt-2.2");
}

TEST(OutboxTest, TheModelIsSetBeforeThePrompt) {
  ClaudeProtocol protocol({});
  Notify(TurnAsked{.turn = 2, .prompt = "a", .model = "opus"}, protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_EQ(protocol.outbox()[0].key, "turn-2.model");
  EXPECT_EQ(protocol.outbox()[0].bytes,
            "{\"type\":\"control_request\",\"request_id\":\"turn-2.model\","
            "\"request\":{\"subtype\":\"set_model\",\"model\":\"opus\"}}\n");
  EXPECT_EQ(protocol.outbox()[1].key, "turn-2.prompt");
}

TEST(OutboxTest, RequestsThatWeDontKnowAreRefused) {
  ClaudeProtocol protocol({});
  std::vector<Message> messages;
  const auto keep = [&](Message&& m) { messages.push_back(std::move(m)); };
  for (const absl::string_view subtype : {"hook_callback", "new_thing"}) {
    const std::string line = absl::StrCat(
        R"({"type":"control_request","request_id":"r","request":{"subtype":")",
        subtype, "\"}}");
    protocol.OnReceived(RecordOf(line, 1), keep);
  }
  EXPECT_THAT(Payloads<Raw>(messages), SizeIs(2));
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_EQ(protocol.outbox()[0].key, "refusal-1.1");
  EXPECT_EQ(protocol.outbox()[1].bytes,
            "{\"type\":\"control_response\",\"response\":{\"subtype\":"
            "\"error\",\"request_id\":\"r\",\"error\":"
            "\"Unsupported request: new_thing\"}}\n");
  const std::string refusal = protocol.outbox()[1].bytes;
  Record written = RecordOf(refusal, 2);
  written.key = "refusal-1.2";
  protocol.OnWritten(written, keep);
  EXPECT_THAT(protocol.outbox(), SizeIs(1));
}

TEST(OutboxTest, RefusalsAreLimited) {
  ClaudeProtocol protocol({});
  for (int i = 0; i < 3000; ++i) {
    protocol.OnReceived(
        RecordOf(absl::StrCat(R"({"type":"control_request","request_id":"r)", i,
                              R"(","request":{"subtype":"mcp_message"}})"),
                 i + 1),
        [](Message&&) {});
  }
  EXPECT_THAT(protocol.outbox(), SizeIs(1024));
}

void Ask(absl::string_view id, absl::string_view tool, absl::string_view input,
         ClaudeProtocol& protocol) {
  const std::string line =
      absl::StrCat(R"({"type":"control_request","request_id":")", id,
                   R"(","request":{"subtype":"can_use_tool","tool_name":")",
                   tool, R"(","input":)", input, "}}");
  protocol.OnReceived(RecordOf(line, 1), [](Message&&) {});
}

TEST(OutboxTest, ARequestWithoutAnIdCanBeAnswered) {
  ClaudeProtocol protocol({});
  Ask("", "Bash", R"({"command":"ls"})", protocol);
  Notify(
      AnswerGiven{.id = "request-1.0", .answer = ApprovalAnswer{.allow = true}},
      protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(1));
  EXPECT_THAT(protocol.outbox()[0].bytes,
              ::testing::HasSubstr(R"("success","request_id":"","response")"));
}

TEST(OutboxTest, OldVersionsGetDenialsWithAnInterrupt) {
  for (const std::string version : {"1.0.60", "2.0.50", ""}) {
    ClaudeProtocol protocol({.version = version});
    Ask("r1", "Bash", "{}", protocol);
    Ask("r2", "Bash", "{}", protocol);
    Notify(AnswerGiven{.id = "r1", .answer = ApprovalAnswer{.allow = true}},
           protocol);
    Notify(InterruptAsked{}, protocol);
    ASSERT_THAT(protocol.outbox(), SizeIs(version == "1.0.60" ? 3 : 2));
    EXPECT_EQ(protocol.outbox()[1].key, "interrupt-1.1");
    if (version != "1.0.60") continue;
    EXPECT_THAT(protocol.outbox()[2].bytes, ::testing::HasSubstr("r2"));
    EXPECT_THAT(protocol.outbox()[2].bytes, ::testing::HasSubstr("deny"));
  }
}

TEST(OutboxTest, TooManyRequestsAreRefused) {
  ClaudeProtocol protocol({});
  for (int i = 0; i < 258; ++i) {
    Ask(absl::StrCat("r", i), "Bash", "{}", protocol);
  }
  ASSERT_THAT(protocol.outbox(), SizeIs(2));
  EXPECT_THAT(protocol.outbox()[1].bytes,
              ::testing::HasSubstr(R"({"subtype":"error","request_id":"r1",)"
                                   R"("error":"Too many open requests"})"));
}

TEST(OutboxTest, AnswersAreWantedOnce) {
  ClaudeProtocol protocol({});
  Ask("r1", "Bash", R"({"command":"ls"})", protocol);
  Ask("r2", "Bash", R"({"command":"rm"})", protocol);
  Ask("r3", "Bash", R"({"command":"cp"})", protocol);
  Notify(AnswerGiven{.id = "r1", .answer = ApprovalAnswer{.allow = true}},
         protocol);
  Notify(AnswerGiven{.id = "r1", .answer = ApprovalAnswer{}}, protocol);
  Notify(AnswerGiven{.id = "other", .answer = ApprovalAnswer{.allow = true}},
         protocol);
  Notify(AnswerGiven{.id = "r2", .answer = ApprovalAnswer{.reason = "no"}},
         protocol);
  Notify(AnswerGiven{.id = "r3",
                     .answer = ApprovalAnswer{.allow = true,
                                              .input_json = R"({"a":1})"}},
         protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(3));
  EXPECT_EQ(protocol.outbox()[0].key, "answer-1.1");
  EXPECT_EQ(protocol.outbox()[0].bytes,
            "{\"type\":\"control_response\",\"response\":{\"subtype\":"
            "\"success\",\"request_id\":\"r1\",\"response\":{\"behavior\":"
            "\"allow\",\"updatedInput\":{\"command\":\"ls\"}}}}\n");
  EXPECT_THAT(protocol.outbox()[1].bytes,
              ::testing::HasSubstr(R"({"behavior":"deny","message":"no"})"));
  EXPECT_THAT(protocol.outbox()[2].bytes,
              ::testing::HasSubstr(R"("updatedInput":{"a":1})"));
}

TEST(OutboxTest, AnswersToQuestionsAreByTheirTexts) {
  ClaudeProtocol protocol({});
  Ask("q", "AskUserQuestion",
      R"({"questions":[{"question":"A?"},{"question":"B?"}],"answers":{}})",
      protocol);
  Notify(AnswerGiven{.id = "q",
                     .answer = QuestionAnswer{.answers = {{"x"}, {"y", "z"}}}},
         protocol);
  ASSERT_THAT(protocol.outbox(), SizeIs(1));
  const Outgoing wanted = protocol.outbox()[0];
  EXPECT_THAT(
      wanted.bytes,
      ::testing::HasSubstr(
          R"("updatedInput":{"questions":[{"question":"A?"},{"question":"B?"}],)"
          R"("answers":{"A?":"x","B?":"y, z"}})"));
  std::vector<Message> messages;
  Record record = RecordOf(wanted.bytes, 2);
  record.key = wanted.key;
  protocol.OnWritten(record,
                     [&](Message&& m) { messages.push_back(std::move(m)); });
  const auto questions = Payloads<Question>(messages);
  ASSERT_THAT(questions, SizeIs(1));
  EXPECT_EQ(questions[0].state, Question::State::kAnswered);
  EXPECT_THAT(questions[0].items[0].answers, ::testing::ElementsAre("x"));
}

TEST(OutboxTest, NothingIsWantedOfWhatCannotHear) {
  ClaudeProtocol protocol({});
  Notify(TurnAsked{.prompt = "a"}, protocol);
  Notify(InputClosed{}, protocol);
  EXPECT_THAT(protocol.outbox(), IsEmpty());
}

}  // namespace
}  // namespace troika::claude
