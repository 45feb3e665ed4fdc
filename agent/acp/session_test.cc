// Tests what is written to the agent, and how a session is opened.
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/acp/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::acp {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kEndTurn =
    R"({"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}})";

TEST(AcpSessionTest, SetupIsReadAsItIsWritten) {
  const SessionSetup setup = ReadSetup(SetupJson({.cwd = "/w \"x\"",
                                                  .resume = "r",
                                                  .mode = "m",
                                                  .model = "o",
                                                  .auth_method = "a"}));
  EXPECT_EQ(setup.cwd, "/w \"x\"");
  EXPECT_EQ(setup.resume, "r");
  EXPECT_EQ(setup.mode, "m");
  EXPECT_EQ(setup.model, "o");
  EXPECT_EQ(setup.auth_method, "a");
  EXPECT_EQ(SetupJson({}), "{}");
  EXPECT_EQ(ReadSetup("nonsense").cwd, "");
}

TEST(AcpSessionTest, ATurnOpensTheSessionStepByStep) {
  Conversation c({.cwd = "/w", .mode = "yolo"});
  c.Notify(TurnAsked{.turn = 1, .prompt = "say \"hi\"\n"});
  ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
  EXPECT_EQ(c.protocol().outbox()[0].key, "open-1.1");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},"clientInfo":{"name":"troika","version":"0.1.0"}}})");
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  c.Receive(kInitialized);
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}})");
  c.Receive(kSessionMade);
  EXPECT_EQ(c.protocol().continuation().session_id, "s1");
  const auto init = c.All<Init>();
  ASSERT_THAT(init, SizeIs(1));
  EXPECT_EQ(init[0].session_id, "s1");
  EXPECT_EQ(init[0].version, "1.2.3");
  EXPECT_EQ(init[0].permission_mode, "yolo");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s1","modeId":"yolo"}})");
  // Gemini CLI says so; it is no answer of a turn.
  c.Update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"[MODE_UPDATE] yolo"}})");
  EXPECT_THAT(c.All<TextDelta>(), IsEmpty());
  EXPECT_EQ(c.All<Notice>().back().text, "[MODE_UPDATE] yolo");
  c.Receive(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
  EXPECT_EQ(c.protocol().outbox()[0].key, "turn-1.prompt");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"say \"hi\"\n"}]}})");
  ASSERT_THAT(c.All<UserInput>(), SizeIs(1));
  EXPECT_EQ(c.All<UserInput>()[0].text, "say \"hi\"\n");
  // A prompt takes as long as it takes.
  EXPECT_EQ(c.protocol().waiting_for(), "");
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(AcpSessionTest, AModeThatIsSetIsNotSetAgain) {
  Conversation c({.cwd = "/w", .mode = "default"});
  c.Open();
  EXPECT_THAT(c.All<UserInput>(), SizeIs(1));
}

TEST(AcpSessionTest, FurtherTurnsWaitForTheRunningOne) {
  Conversation c;
  c.Open().Notify(TurnAsked{.turn = 2, .prompt = "more"});
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  c.Receive(kEndTurn);
  ASSERT_THAT(c.protocol().outbox(), SizeIs(1));
  EXPECT_EQ(c.protocol().outbox()[0].key, "turn-2.prompt");
}

TEST(AcpSessionTest, ImagesAreDataOrLinks) {
  Conversation c;
  c.Open().Receive(kEndTurn);
  c.Notify(TurnAsked{
      .turn = 2,
      .prompt = "look",
      .images = {
          {.path = "/w/a.png", .media_type = "image/png", .base64 = "AAAA"},
          {.path = "/w/b.png"}}});
  EXPECT_THAT(
      c.WriteNext(),
      ::testing::HasSubstr(
          R"([{"type":"text","text":"look"},{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"resource_link","uri":"file:///w/b.png","name":"b.png"}])"));
  EXPECT_EQ(c.All<UserInput>().back().images, 2);
}

TEST(AcpSessionTest, AnAgentThatTakesNoImagesFailsTheTurnAndGoesOn) {
  Conversation c;
  c.Notify(TurnAsked{.turn = 1,
                     .prompt = "look",
                     .images = {{.path = "/w/a.png", .base64 = "AAAA"}}})
      .WriteAll();
  c.Receive(
      R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}})");
  c.WriteAll();
  c.Notify(TurnAsked{.turn = 2, .prompt = "more"});
  c.Receive(R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}})");
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_TRUE(c.All<Result>()[0].is_error);
  EXPECT_THAT(c.All<Result>()[0].error,
              ::testing::HasSubstr("takes no images: name the file"));
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr(R"("text":"more")"));
}

TEST(AcpSessionTest, HistoryOfALoadedSessionGivesNoMessages) {
  Conversation c({.cwd = "/w", .resume = "s1", .mode = "default"},
                 {.generation = 2, .session_id = "s1"});
  c.Notify(TurnAsked{.turn = 2, .prompt = "third"}).WriteAll();
  c.Receive(kInitialized);
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}})");
  constexpr absl::string_view kUser =
      R"({"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"old"}})";
  constexpr absl::string_view kText =
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old"}})";
  constexpr absl::string_view kCall =
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"completed","title":"ls","kind":"execute"})";
  c.Update(kUser);
  c.Receive(
      R"({"jsonrpc":"2.0","id":1,"result":{"modes":{"currentModeId":"default","availableModes":[]}}})");
  // Gemini CLI goes on after its response, until it answers the next request.
  c.Update(kUser).Update(kText).Update(kCall);
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("session/set_mode"));
  c.Update(kText).Receive(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_THAT(c.messages(), SizeIs(1));  // The Init.
  EXPECT_EQ(c.All<Init>()[0].session_id, "s1");
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("\"third\""));
  c.Update(kText);
  EXPECT_THAT(c.All<TextDelta>(), SizeIs(1));
}

TEST(AcpSessionTest, ForksASessionIfTheAgentCan) {
  const SessionSetup setup = {.cwd = "/w", .resume = "s1", .fork = true};
  Conversation c(setup);
  c.Notify(TurnAsked{.prompt = "go"}).WriteAll();
  c.Receive(
      R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}}})");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}})");
  c.Receive(R"({"jsonrpc":"2.0","id":1,"result":{"sessionId":"s2"}})");
  EXPECT_EQ(c.All<Init>()[0].session_id, "s2");

  Conversation nameless(setup);
  nameless.Notify(TurnAsked{.prompt = "go"}).WriteAll();
  nameless
      .Receive(
          R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"fork":{}}}}})")
      .WriteAll();
  nameless.Receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(nameless.All<Result>()[0].error,
            "the agent gave its session no id");

  Conversation unable(setup);
  unable.Notify(TurnAsked{.prompt = "go"}).WriteAll();
  unable.Receive(kInitialized);
  EXPECT_EQ(unable.All<Result>()[0].error,
            "the agent can't fork a session: start a new task");
}

TEST(AcpSessionTest, AgentsThatResumeAreNotAskedToLoad) {
  Conversation c({.cwd = "/w", .resume = "s1"});
  c.Notify(TurnAsked{.prompt = "go"}).WriteAll();
  c.Receive(
      R"({"id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{}}}}})");
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("\"session/resume\""));
  c.Receive(R"({"id":1,"result":{}})");
  EXPECT_EQ(c.All<Init>()[0].session_id, "s1");
}

TEST(AcpSessionTest, WhatFailsEndsTheTurnAndIsTriedAgain) {
  const struct {
    SessionSetup setup;
    std::vector<absl::string_view> lines;
    absl::string_view error;
    absl::string_view again;  // Method that the next turn begins with.
  } kCases[] = {
      {{},
       {R"({"id":0,"error":{"code":-32603,"message":"Internal error","data":{"details":"no home"}}})"},
       "initialize: no home",
       "initialize"},
      {{},
       {R"({"id":0,"result":{"protocolVersion":2}})"},
       "initialize: the agent speaks version 2 of the Agent Client Protocol, "
       "and Troika speaks 1",
       "initialize"},
      {{.resume = "x"},
       {R"({"id":0,"result":{"protocolVersion":1}})"},
       "the agent can't go on with a session: start a new task",
       ""},
      {{},
       {kInitialized, R"({"id":1,"error":{"code":-32601,"message":"no"}})"},
       "session/new: no",
       "session/new"},
      {{},
       {R"({"id":0,"result":{"protocolVersion":1,"authMethods":[{"id":"key"},{"id":"web"}]}})",
        R"({"id":1,"error":{"code":-32000,"message":"Authentication required"}})"},
       "session/new: Authentication required; log in with the agent's own "
       "program first (it knows key, web)",
       "session/new"},
      {{},
       {kInitialized, R"({"id":1,"result":{}})"},
       "the agent gave its session no id",
       "session/new"},
      {{.mode = "bogus"},
       {kInitialized, kSessionMade,
        R"({"id":2,"error":{"code":-32603,"message":"Internal error","data":{"details":"Invalid mode"}}})"},
       "session/set_mode: Invalid mode",
       "session/set_mode"},
      {{.model = "m"},
       {kInitialized, kSessionMade},
       "the agent does not let its model be chosen: leave the model out",
       ""},
  };
  for (const auto& test : kCases) {
    SCOPED_TRACE(test.error);
    Conversation c(test.setup);
    c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
    for (const absl::string_view line : test.lines) c.Receive(line).WriteAll();
    const auto results = c.All<Result>();
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_TRUE(results[0].is_error);
    EXPECT_EQ(results[0].error, test.error);
    c.Notify(TurnAsked{.turn = 2, .prompt = "again"});
    if (test.again.empty()) {
      EXPECT_THAT(c.All<Result>(), SizeIs(2));
    } else {
      EXPECT_THAT(c.WriteNext(),
                  ::testing::HasSubstr(absl::StrCat("\"", test.again, "\"")));
    }
    EXPECT_EQ(BrokenRules(c.End().messages()), "");
  }
}

TEST(AcpSessionTest, AuthenticatesOnlyIfTheAgentAsksForIt) {
  Conversation c({.cwd = "/w", .auth_method = "key"});
  c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
  c.Receive(kInitialized).WriteAll();
  c.Receive(R"({"id":1,"error":{"code":-32000,"message":"login"}})");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":2,"method":"authenticate","params":{"methodId":"key"}})");
  c.Receive(R"({"id":2,"result":{}})");
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("\"session/new\""));
  EXPECT_THAT(c.All<Result>(), IsEmpty());
  // A second refusal is final.
  c.Receive(R"({"id":3,"error":{"code":-32000,"message":"login"}})");
  EXPECT_THAT(c.All<Result>(), SizeIs(1));
}

TEST(AcpSessionTest, TheModelIsSetByMethodOrByOption) {
  const struct {
    absl::string_view session;
    absl::string_view request;
  } kCases[] = {
      {R"({"id":1,"result":{"sessionId":"s1","models":{"currentModelId":"a"}}})",
       R"("method":"session/set_model","params":{"sessionId":"s1","modelId":"b"})"},
      {R"({"id":1,"result":{"sessionId":"s1","configOptions":[{"id":"mode","category":"mode"},{"id":"model","category":"model"}]}})",
       R"("method":"session/set_config_option","params":{"sessionId":"s1","configId":"model","value":"b"})"},
  };
  for (const auto& test : kCases) {
    Conversation c({.cwd = "/w", .model = "b"});
    c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
    c.Receive(kInitialized).WriteAll();
    c.Receive(test.session);
    EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr(test.request));
    c.Receive(R"({"id":2,"result":{}})");
    EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("session/prompt"));
  }
}

TEST(AcpSessionTest, InterruptBeforeThePromptEndsTheTurnAtOnce) {
  Conversation c;
  c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
  c.Notify(InterruptAsked{});
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_EQ(c.All<Result>()[0].error, "interrupted");
  // The agent hears nothing of that turn, and the next one goes on.
  c.Receive(kInitialized);
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  c.Notify(TurnAsked{.turn = 2, .prompt = "next"});
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("session/new"));
  c.Receive(kSessionMade);
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("\"next\""));
}

TEST(AcpSessionTest, ASessionThatNobodyWaitsForIsToldWithTheNextTurn) {
  Conversation c;
  c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
  c.Receive(kInitialized).WriteAll();
  c.Notify(InterruptAsked{}).Receive(kSessionMade);
  EXPECT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_THAT(c.All<Init>(), IsEmpty());
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  c.Notify(TurnAsked{.turn = 2, .prompt = "next"});
  ASSERT_THAT(c.All<Init>(), SizeIs(1));
  EXPECT_EQ(c.All<Init>()[0].session_id, "s1");
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("\"next\""));
}

TEST(AcpSessionTest, InterruptCancelsThePromptAndItsPermissions) {
  Conversation c;
  c.Open();
  c.Receive(
      R"({"id":"p","method":"session/request_permission","params":{"sessionId":"s1","options":[{"optionId":"y","kind":"allow_once"}],"toolCall":{"toolCallId":"t","title":"ls","kind":"execute"}}})");
  c.Notify(InterruptAsked{});
  ASSERT_THAT(c.protocol().outbox(), SizeIs(2));
  EXPECT_EQ(c.protocol().outbox()[0].key, "interrupt-1.1");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}})");
  EXPECT_EQ(
      c.WriteNext(),
      R"({"jsonrpc":"2.0","id":"p","result":{"outcome":{"outcome":"cancelled"}}})");
  EXPECT_EQ(c.All<Approval>().back().state, Approval::State::kCancelled);
  c.Receive(R"({"id":2,"result":{"stopReason":"cancelled"}})");
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_TRUE(c.All<Result>()[0].is_error);
  EXPECT_EQ(c.All<Result>()[0].error, "interrupted");
  EXPECT_EQ(c.All<Result>()[0].reason, "cancelled");
  // Between turns there is nothing to cancel.
  c.Notify(InterruptAsked{});
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
  EXPECT_EQ(BrokenRules(c.End().messages()), "");
}

TEST(AcpSessionTest, APromptThatIsNotWrittenYetIsCancelledAfterIt) {
  Conversation c;
  c.Notify(TurnAsked{.turn = 1, .prompt = "go"}).WriteAll();
  c.Receive(kInitialized).WriteAll().Receive(kSessionMade);
  c.Notify(InterruptAsked{});
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("session/prompt"));
  EXPECT_THAT(c.WriteNext(), ::testing::HasSubstr("session/cancel"));
}

TEST(AcpSessionTest, WhatAProcessLeavesOpenIsEnded) {
  Conversation c;
  c.Open().Update(
      R"({"sessionUpdate":"tool_call","toolCallId":"t","status":"in_progress","title":"ls","kind":"execute"})");
  c.Update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}})");
  c.End();
  EXPECT_EQ(BrokenRules(c.messages()), "");
  ASSERT_THAT(c.All<Result>(), SizeIs(1));
  EXPECT_TRUE(c.All<Result>()[0].synthetic);
  EXPECT_EQ(c.All<Result>()[0].text, "x");
  EXPECT_THAT(c.protocol().outbox(), IsEmpty());
}

}  // namespace
}  // namespace troika::acp
