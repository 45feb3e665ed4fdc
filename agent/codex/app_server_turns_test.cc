// Tests what is sent to app-server, byte for byte, and its responses.

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/codex/app_server_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr absl::string_view kInitialize =
    "{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":"
    "\"troika\",\"title\":\"Troika\",\"version\":\"1\"},\"capabilities\":{"
    "\"experimentalApi\":true,\"requestAttestation\":false}}}\n";

// A thread that is opened without a sandbox has that of the user's settings.
TEST(AppServerTurnsTest, ReportsTheSandboxOfTheUsersSettings) {
  AppConversation talk({.setup_json = R"({"thread":{"cwd":"/w"},"turn":{}})"});
  talk.Prompt("go").Flush();
  talk.Receive(R"({"id":1,"result":{}})").Flush();
  talk.Receive(R"({"id":2,"result":{"thread":{"id":"t"},"approvalPolicy":)"
               R"("never","sandbox":{"type":"dangerFullAccess"}}})");
  talk.Flush();
  talk.Receive(R"({"id":3,"result":{"turn":{"id":"u1"}}})");
  ASSERT_THAT(talk.All<Init>(), SizeIs(1));
  EXPECT_EQ(talk.All<Init>()[0].permission_mode, "never, danger-full-access");
}

TEST(AppServerTurnsTest, OpensAThreadAndStartsATurn) {
  AppConversation talk(
      {.setup_json = R"({"thread":{"cwd":"/w","sandbox":"read-only"},)"
                     R"("turn":{"sandboxPolicy":{"type":"readOnly"}}})"});
  EXPECT_EQ(talk.Prompt("go").Flush(), kInitialize);
  EXPECT_EQ(talk.protocol().waiting_for(), "initialize");
  EXPECT_EQ(talk.Receive(R"({"id":1,"result":{}})").Flush(),
            "{\"method\":\"initialized\"}\n"
            "{\"id\":2,\"method\":\"thread/start\",\"params\":{\"cwd\":\"/w\","
            "\"sandbox\":\"read-only\"}}\n"
            "{\"id\":\"models\",\"method\":\"model/list\",\"params\":{"
            "\"limit\":100}}\n");
  EXPECT_EQ(talk.protocol().waiting_for(), "thread/start");
  // A thread without a turn can't be resumed.
  talk.Receive(AppConversation::kOpened);
  EXPECT_THAT(talk.All<Init>(), IsEmpty());
  EXPECT_EQ(talk.protocol().continuation().session_id, "");
  EXPECT_EQ(talk.Flush(),
            "{\"id\":3,\"method\":\"turn/start\",\"params\":{\"threadId\":"
            "\"t\",\"input\":[{\"type\":\"text\",\"text\":\"go\"}],"
            "\"sandboxPolicy\":{\"type\":\"readOnly\"}}}\n");
  ASSERT_THAT(talk.All<UserInput>(), SizeIs(1));
  EXPECT_EQ(talk.All<UserInput>()[0].text, "go");
  EXPECT_EQ(talk.protocol().waiting_for(), "turn/start");
  talk.Receive(R"({"id":3,"result":{"turn":{"id":"u1"}}})");
  EXPECT_EQ(talk.protocol().waiting_for(), "");
  ASSERT_THAT(talk.All<Init>(), SizeIs(1));
  EXPECT_EQ(talk.All<Init>()[0].session_id, "t");
  EXPECT_EQ(talk.All<Init>()[0].version, "0.166.0");
  EXPECT_EQ(talk.All<Init>()[0].permission_mode, "untrusted");
  EXPECT_EQ(talk.protocol().continuation().session_id, "t");
  talk.Completed();
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_FALSE(talk.All<Result>()[0].is_error);
  EXPECT_EQ(talk.Prompt("more").Flush(),
            "{\"id\":4,\"method\":\"turn/start\",\"params\":{\"threadId\":"
            "\"t\",\"input\":[{\"type\":\"text\",\"text\":\"more\"}],"
            "\"sandboxPolicy\":{\"type\":\"readOnly\"}}}\n");
  const std::set<std::string> unique(talk.keys().begin(), talk.keys().end());
  EXPECT_EQ(unique.size(), talk.keys().size());
  EXPECT_THAT(talk.DriftSeen(), IsEmpty());
}

TEST(AppServerTurnsTest, InitHasTheModelsThatCameBeforeTheTurn) {
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    absl::StrAppend(&many, i > 0 ? "," : "", R"({"model":"m)", i, "\"}");
  }
  const struct {
    std::string reply;
    std::vector<std::string> models;
  } kCases[] = {
      {R"("result":{"data":[{"id":"x","model":"gpt-a"},{"id":"gpt-b"},)"
       R"({"model":"gpt-c","hidden":true},{"model":"gpt-a"}]})",
       {"gpt-a", "gpt-b"}},
      {R"("error":{"code":-32600,"message":"unknown variant"})", {}},
      {R"("result":{"data":"no list"})", {}},
      {R"("result":[[]])", {}},
      {absl::StrCat(R"("result":{"data":[7,null,{"model":7},{"model":")",
                    std::string(1000, 'x'), R"("}]})"),
       {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.reply);
    AppConversation talk;
    talk.Prompt("go").Flush();
    talk.Receive(R"({"id":1,"result":{}})").Flush();
    talk.Receive(absl::StrCat(R"({"id":"models",)", c.reply, "}"));
    talk.Receive(AppConversation::kOpened).Flush();
    talk.Receive(R"({"id":3,"result":{"turn":{"id":"u1"}}})");
    ASSERT_THAT(talk.All<Init>(), SizeIs(1));
    EXPECT_EQ(talk.All<Init>()[0].models, c.models);
    EXPECT_THAT(talk.All<Notice>(), SizeIs(1));  // The turn's start.
    EXPECT_THAT(talk.All<Raw>(), IsEmpty());
  }
  AppConversation talk;
  talk.Prompt("go").Flush();
  talk.Receive(R"({"id":1,"result":{}})").Flush();
  talk.Receive(absl::StrCat(R"({"id":"models","result":{"data":[)", many,
                            R"(],"nextCursor":"more"}})"));
  talk.Receive(AppConversation::kOpened).Flush();
  talk.Receive(R"({"id":3,"result":{"turn":{"id":"u1"}}})");
  EXPECT_THAT(talk.All<Init>()[0].models, SizeIs(100));
}

TEST(AppServerTurnsTest, AListOfModelsThatComesLateIsDropped) {
  AppConversation talk;
  talk.Begin();
  EXPECT_EQ(talk.protocol().waiting_for(), "");
  talk.Receive(R"({"id":"models","result":{"data":[{"model":"gpt-a"}]}})");
  talk.Completed();
  EXPECT_EQ(talk.protocol().waiting_for(), "");
  EXPECT_THAT(talk.All<Init>(), IsEmpty());
  EXPECT_THAT(talk.All<Raw>(), IsEmpty());
}

TEST(AppServerTurnsTest, ResumesTheSessionOfTheProcessBefore) {
  AppConversation talk({.continuation = {.generation = 2, .session_id = "s"},
                        .setup_json = R"({"thread":{"model":"m"}})"});
  talk.Prompt("go").Flush();
  EXPECT_THAT(talk.keys(), ElementsAre("rpc-2.1"));
  EXPECT_THAT(talk.Receive(R"({"id":1,"result":{}})").Flush(),
              HasSubstr("{\"id\":2,\"method\":\"thread/resume\",\"params\":{"
                        "\"threadId\":\"s\",\"excludeTurns\":true,"
                        "\"model\":\"m\"}}\n"));
  talk.Receive(R"({"id":2,"error":{"code":-32600,"message":"no rollout"}})");
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_EQ(talk.All<Result>()[0].error,
            "Codex refused thread/resume: no rollout");
  EXPECT_EQ(talk.Flush(), "(close)\n");
  EXPECT_THAT(talk.protocol().outbox(), IsEmpty());
}

TEST(AppServerTurnsTest, ForksASession) {
  AppConversation talk(
      {.continuation = {.session_id = "s"},
       .setup_json =
           R"({"thread":{"model":"m"},"fork":{"lastTurnId":"turn-1"}})"});
  talk.Prompt("go").Flush();
  EXPECT_THAT(talk.Receive(R"({"id":1,"result":{}})").Flush(),
              HasSubstr("{\"id\":2,\"method\":\"thread/fork\",\"params\":{"
                        "\"threadId\":\"s\",\"excludeTurns\":true,"
                        "\"lastTurnId\":\"turn-1\",\"model\":\"m\"}}\n"));
  talk.Receive(R"({"id":2,"result":{"thread":{"id":"copy"}}})").Flush();
  talk.Receive(R"({"id":3,"result":{"turn":{"id":"turn-2"}}})");
  EXPECT_EQ(talk.All<Init>()[0].session_id, "copy");
  talk.Receive(R"({"method":"turn/completed","params":{"threadId":"copy",)"
               R"("turn":{"id":"turn-2","status":"completed"}}})");
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_EQ(talk.All<Result>()[0].fork_point, "turn-2");
}

TEST(AppServerTurnsTest, ARefusedHandshakeEndsTheTurnAndTheProcess) {
  AppConversation talk;
  talk.Prompt("go").Flush();
  talk.Receive(R"({"id":1,"error":{"code":-1,"message":"no"}})");
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_TRUE(talk.All<Result>()[0].is_error);
  EXPECT_EQ(talk.Flush(), "(close)\n");
}

TEST(AppServerTurnsTest, ARefusedTurnIsAnErrorAndTheThreadStays) {
  AppConversation talk;
  talk.Begin().Completed();
  talk.Prompt("more").Flush();
  talk.Receive(R"({"id":4,"error":{"code":-1,"message":"busy"}})");
  ASSERT_THAT(talk.All<Result>(), SizeIs(2));
  EXPECT_EQ(talk.All<Result>()[1].error, "Codex refused turn/start: busy");
  EXPECT_THAT(talk.Prompt("again").Flush(), HasSubstr("turn/start"));
}

TEST(AppServerTurnsTest, InputWhileATurnRunsSteersIt) {
  AppConversation talk;
  talk.Begin();
  EXPECT_EQ(talk.Prompt("left").Flush(),
            "{\"id\":4,\"method\":\"turn/steer\",\"params\":{\"threadId\":"
            "\"t\",\"input\":[{\"type\":\"text\",\"text\":\"left\"}],"
            "\"expectedTurnId\":\"u1\"}}\n");
  talk.Receive(R"({"id":4,"result":{"turnId":"u1"}})");
  talk.Item("started",
            R"({"type":"userMessage","id":"i","content":[{"type":"text",)"
            R"("text":"left"}]})");
  ASSERT_THAT(talk.All<UserInput>(), SizeIs(1));
  talk.Completed();
  EXPECT_THAT(talk.All<Result>(), SizeIs(1));
}

TEST(AppServerTurnsTest, ASteerThatCameTooLateBecomesATurn) {
  AppConversation talk;
  talk.Begin().Prompt("left").Flush();
  talk.Completed();
  EXPECT_THAT(talk.Flush(), IsEmpty());
  talk.Receive(R"({"id":4,"error":{"message":"no active turn to steer"}})");
  EXPECT_EQ(talk.Flush(),
            "{\"id\":5,\"method\":\"turn/start\",\"params\":{\"threadId\":"
            "\"t\",\"input\":[{\"type\":\"text\",\"text\":\"left\"}]}}\n");
  EXPECT_THAT(talk.All<UserInput>(), SizeIs(1));
  talk.Receive(R"({"id":5,"result":{"turn":{"id":"u2"}}})").Completed("u2");
  EXPECT_THAT(talk.All<Result>(), SizeIs(2));
}

TEST(AppServerTurnsTest, ATurnThatCantBeSteeredIsWaitedFor) {
  AppConversation talk;
  talk.Begin().Prompt("left").Flush();
  talk.Receive(R"({"id":4,"error":{"message":"not steerable"}})");
  EXPECT_THAT(talk.Flush(), IsEmpty());
  talk.Completed();
  EXPECT_THAT(talk.Flush(), HasSubstr("turn/start"));
}

TEST(AppServerTurnsTest, AnInterruptDoesNotWaitForARefusedSteer) {
  AppConversation talk;
  talk.Begin().Prompt("left").Flush();
  talk.Receive(R"({"id":4,"error":{"message":"not steerable"}})");
  EXPECT_THAT(talk.Note(InterruptAsked{}).Flush(), HasSubstr("turn/interrupt"));
  talk.Completed("u1", "interrupted");
  EXPECT_THAT(talk.Flush(), HasSubstr("\"text\":\"left\""));
}

TEST(AppServerTurnsTest, ARefusedSteerThatIsLostIsTold) {
  AppConversation talk;
  talk.Begin().Prompt("left").Flush();
  talk.Receive(R"({"id":4,"error":{"message":"not steerable"}})");
  talk.Note(ProcessEnded{});
  ASSERT_THAT(talk.All<Notice>(), Not(IsEmpty()));
  EXPECT_THAT(talk.All<Notice>().back().text, HasSubstr("again: left"));
}

TEST(AppServerTurnsTest, InterruptsTheRunningTurn) {
  AppConversation talk;
  talk.Begin().Note(InterruptAsked{});
  EXPECT_EQ(talk.Flush(),
            "{\"id\":4,\"method\":\"turn/interrupt\",\"params\":{\"threadId\":"
            "\"t\",\"turnId\":\"u1\"}}\n");
  // The server may take long to answer an interrupt, so nobody waits for that,
  // and a second interrupt sends nothing.
  EXPECT_EQ(talk.protocol().waiting_for(), "");
  EXPECT_THAT(talk.Note(InterruptAsked{}).Flush(), IsEmpty());
  // What follows is for the next turn.
  EXPECT_THAT(talk.Prompt("more").Flush(), IsEmpty());
  talk.Receive(R"({"id":4,"result":{}})").Completed("u1", "interrupted");
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_TRUE(talk.All<Result>()[0].is_error);
  EXPECT_EQ(talk.All<Result>()[0].error, "interrupted");
  EXPECT_THAT(talk.Flush(), HasSubstr("\"text\":\"more\""));
}

TEST(AppServerTurnsTest, AnInterruptIsKeptUntilTheTurnIsAnnounced) {
  AppConversation talk;
  talk.Prompt("go").Note(InterruptAsked{});
  EXPECT_EQ(talk.Flush(), kInitialize);
  talk.Receive(R"({"id":1,"result":{}})").Flush();
  EXPECT_THAT(talk.Receive(AppConversation::kOpened).Flush(),
              HasSubstr("turn/start"));
  EXPECT_THAT(talk.Flush(), IsEmpty());
  talk.Receive(R"({"id":3,"result":{"turn":{"id":"u1"}}})");
  EXPECT_THAT(talk.Flush(), IsEmpty());
  EXPECT_THAT(talk.Started("u1").Flush(), HasSubstr("turn/interrupt"));
}

TEST(AppServerTurnsTest, AnInterruptWithoutATurnIsDropped) {
  AppConversation talk;
  talk.Begin().Completed().Note(InterruptAsked{});
  EXPECT_THAT(talk.Flush(), IsEmpty());
}

TEST(AppServerTurnsTest, EndsTheCommandOfAnInterruptedTurn) {
  constexpr absl::string_view kCommand =
      R"({"type":"commandExecution","id":"c","command":"sleep 9",)"
      R"("cwd":"/w","status":"inProgress"})";
  AppConversation talk;
  talk.Begin().Item("started", kCommand).Note(InterruptAsked{}).Flush();
  talk.Completed("u1", "interrupted");
  ASSERT_THAT(talk.All<ToolResult>(), SizeIs(1));
  EXPECT_TRUE(talk.All<ToolResult>()[0].synthetic);
  EXPECT_EQ(talk.Flush(),
            "{\"id\":5,\"method\":\"thread/backgroundTerminals/clean\","
            "\"params\":{\"threadId\":\"t\"}}\n");
  // The command reports its end after the turn's.
  talk.Item("completed", kCommand);
  EXPECT_THAT(talk.All<ToolResult>(), SizeIs(1));
  ASSERT_THAT(talk.All<Raw>(), SizeIs(1));
  talk.Receive(R"({"id":5,"error":{"message":"requires experimentalApi"}})");
  EXPECT_THAT(talk.All<Notice>().back().text, HasSubstr("may still run"));
}

TEST(AppServerTurnsTest, ImagesAreGivenAsPaths) {
  AppConversation talk;
  talk.Begin().Completed();
  TurnAsked turn = {.turn = 2, .prompt = "look"};
  turn.images.push_back({.path = "/w/a.png"});
  EXPECT_THAT(talk.Note(turn).Flush(),
              HasSubstr("{\"type\":\"text\",\"text\":\"look\"},{\"type\":"
                        "\"localImage\",\"path\":\"/w/a.png\"}]"));
  EXPECT_EQ(talk.All<UserInput>().back().images, 1);
}

TEST(AppServerTurnsTest, ResponsesThatNobodyAskedForAreRaw) {
  AppConversation talk;
  talk.Begin().Receive(R"({"id":77,"result":{}})");
  ASSERT_THAT(talk.All<Raw>(), SizeIs(1));
  EXPECT_EQ(talk.All<Raw>()[0].reason, "no request of this id is open");
}

TEST(AppServerTurnsTest, TheEndOfTheProcessEndsWhatIsOpen) {
  AppConversation talk;
  talk.Begin().Prompt("left").Note(ProcessEnded{.exit_code = 1});
  ASSERT_THAT(talk.All<Result>(), SizeIs(1));
  EXPECT_TRUE(talk.All<Result>()[0].synthetic);
  EXPECT_THAT(talk.protocol().outbox(), IsEmpty());
  EXPECT_EQ(talk.protocol().waiting_for(), "");
}

}  // namespace
}  // namespace troika::codex
