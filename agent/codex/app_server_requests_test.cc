// Tests the requests of app-server and our replies, byte for byte.

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
using ::testing::SizeIs;

constexpr absl::string_view kCommand =
    R"({"type":"commandExecution","id":"c","command":"make","cwd":"/w",)"
    R"("status":"inProgress"})";

std::string Ask(absl::string_view method, absl::string_view members,
                absl::string_view id = "0") {
  return absl::StrCat(R"({"method":")", method, R"(","id":)", id,
                      R"(,"params":{"threadId":"t","turnId":"u1",)", members,
                      "}}");
}

std::string AskCommand(absl::string_view id = "0") {
  return Ask(
      "item/commandExecution/requestApproval",
      R"("itemId":"c","command":"make","cwd":"/w","reason":"to build",)"
      R"("availableDecisions":["accept",{"acceptWithExecpolicyAmendment":)"
      R"({"execpolicy_amendment":["make"]}},"cancel"])",
      id);
}

AnswerGiven Answer(absl::string_view id, ApprovalAnswer answer) {
  return {.id = std::string(id), .by = "user", .via = "api", .answer = answer};
}

TEST(AppServerRequestsTest, ACommandIsApproved) {
  AppConversation talk;
  talk.Begin().Item("started", kCommand).Receive(AskCommand());
  ASSERT_THAT(talk.All<Approval>(), SizeIs(1));
  const Approval asked = talk.All<Approval>()[0];
  EXPECT_EQ(asked.id, "request-1.1");
  EXPECT_EQ(asked.kind, Approval::Kind::kCommandLine);
  EXPECT_EQ(asked.command, "make");
  EXPECT_EQ(asked.cwd, "/w");
  EXPECT_EQ(asked.reason, "to build");
  EXPECT_EQ(asked.tool_name, "Bash");
  EXPECT_EQ(asked.tool_use_id, "c");
  EXPECT_EQ(asked.input_json, R"({"command":"make"})");
  EXPECT_THAT(asked.choices, ElementsAre("approve", "deny", "cancel"));
  talk.Note(Answer(asked.id, {.allow = true, .choice = "approve"}));
  EXPECT_THAT(talk.All<Approval>(), SizeIs(1));
  // A second answer changes nothing.
  talk.Note(Answer(asked.id, {.allow = false}));
  EXPECT_EQ(talk.Flush(), "{\"id\":0,\"result\":{\"decision\":\"accept\"}}\n");
  ASSERT_THAT(talk.All<Approval>(), SizeIs(2));
  const Approval settled = talk.All<Approval>()[1];
  EXPECT_EQ(settled.id, asked.id);
  EXPECT_EQ(settled.state, Approval::State::kAllowed);
  EXPECT_EQ(settled.choice, "approve");
  EXPECT_EQ(settled.by, "user");
  EXPECT_EQ(settled.via, "api");
  EXPECT_THAT(settled.choices, IsEmpty());
  talk.Receive(
      R"({"method":"serverRequest/resolved","params":{"requestId":0}})");
  EXPECT_THAT(talk.All<Approval>(), SizeIs(2));
  EXPECT_THAT(talk.All<Raw>(), IsEmpty());
}

TEST(AppServerRequestsTest, TheReasonOfADenialFollowsAsASteer) {
  AppConversation talk;
  talk.Begin().Receive(AskCommand());
  talk.Note(Answer("request-1.1", {.allow = false, .reason = "use ninja"}));
  EXPECT_EQ(talk.Flush(),
            "{\"id\":0,\"result\":{\"decision\":\"decline\"}}\n"
            "{\"id\":4,\"method\":\"turn/steer\",\"params\":{\"threadId\":"
            "\"t\",\"input\":[{\"type\":\"text\",\"text\":\"The user declined "
            "this request: use ninja\"}],\"expectedTurnId\":\"u1\"}}\n");
  EXPECT_EQ(talk.All<Approval>()[1].state, Approval::State::kDenied);
  EXPECT_EQ(talk.All<Approval>()[1].choice, "deny");
  EXPECT_EQ(talk.All<Approval>()[1].reason, "use ninja");
  // The turn has ended meanwhile: the next one is told.
  talk.Completed();
  talk.Receive(R"({"id":4,"error":{"message":"no active turn to steer"}})");
  EXPECT_THAT(talk.Flush(), IsEmpty());
  EXPECT_THAT(talk.Prompt("more").Flush(),
              HasSubstr("\"input\":[{\"type\":\"text\",\"text\":\"The user "
                        "declined this request: use ninja\"},{\"type\":"
                        "\"text\",\"text\":\"more\"}]"));
}

TEST(AppServerRequestsTest, ChoicesBecomeDecisions) {
  const struct {
    ApprovalAnswer answer;
    absl::string_view decision;
    Approval::State state;
  } kCases[] = {
      {{.allow = true, .choice = "approve_for_session"},
       "acceptForSession",
       Approval::State::kAllowed},
      {{.allow = false, .choice = "cancel"},
       "cancel",
       Approval::State::kDenied},
      {{.allow = false}, "decline", Approval::State::kDenied},
      // The wire takes no changed input.
      {{.allow = true, .input_json = "{}"},
       "decline",
       Approval::State::kDenied},
  };
  for (const auto& c : kCases) {
    AppConversation talk;
    talk.Begin().Receive(AskCommand(R"("x")"));
    talk.Note(Answer("request-1.1", c.answer));
    EXPECT_EQ(talk.Flush(), absl::StrCat("{\"id\":\"x\",\"result\":{"
                                         "\"decision\":\"",
                                         c.decision, "\"}}\n"));
    EXPECT_EQ(talk.All<Approval>().back().state, c.state);
  }
}

TEST(AppServerRequestsTest, OlderVersionsListNoDecisions) {
  AppConversation talk;
  talk.Begin().Receive(Ask("item/commandExecution/requestApproval",
                           R"("itemId":"c","command":"make")"));
  EXPECT_THAT(talk.All<Approval>()[0].choices,
              ElementsAre("approve", "approve_for_session", "deny", "cancel"));
}

TEST(AppServerRequestsTest, AnEditShowsTheDiffOfItsItem) {
  AppConversation talk;
  talk.Begin().Item(
      "started",
      R"({"type":"fileChange","id":"f","status":"inProgress","changes":[)"
      R"({"path":"/w/a","kind":{"type":"update","move_path":null},)"
      R"("diff":"@@ -1 +1 @@\n-a\n+b\n"},)"
      R"({"path":"/w/n","kind":{"type":"add"},"diff":"x\ny\n"},)"
      R"({"path":"/w/o","kind":{"type":"delete"},"diff":"z\n"}]})");
  EXPECT_EQ(talk.All<ToolUse>()[0].name, "Edit");
  talk.Receive(Ask("item/fileChange/requestApproval",
                   R"("itemId":"f","reason":null,"grantRoot":null)"));
  const Approval asked = talk.All<Approval>()[0];
  EXPECT_EQ(asked.kind, Approval::Kind::kEdit);
  EXPECT_EQ(asked.tool_name, "Edit");
  EXPECT_EQ(asked.diff,
            "--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-a\n+b\n"
            "--- /dev/null\n+++ /w/n\n@@ -0,0 +1,2 @@\n+x\n+y\n"
            "--- /w/o\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-z\n");
  EXPECT_THAT(asked.paths, ElementsAre("/w/a", "/w/n", "/w/o"));
  talk.Note(Answer(asked.id, {.allow = true}));
  EXPECT_EQ(talk.Flush(), "{\"id\":0,\"result\":{\"decision\":\"accept\"}}\n");
}

TEST(AppServerRequestsTest, PermissionsAreGrantedAsRequested) {
  const std::string ask =
      Ask("item/permissions/requestApproval",
          R"("itemId":"p","cwd":"/w","reason":"web","permissions":)"
          R"({"network":{"enabled":true},"fileSystem":null})");
  const struct {
    ApprovalAnswer answer;
    absl::string_view result;
  } kCases[] = {
      {{.allow = true},
       R"({"permissions":{"network":{"enabled":true}},"scope":"turn"})"},
      {{.allow = true, .choice = "approve_for_session"},
       R"({"permissions":{"network":{"enabled":true}},"scope":"session"})"},
      {{.allow = false}, R"({"permissions":{},"scope":"turn"})"},
  };
  for (const auto& c : kCases) {
    AppConversation talk;
    talk.Begin().Receive(ask);
    EXPECT_EQ(talk.All<Approval>()[0].kind, Approval::Kind::kPermission);
    EXPECT_EQ(talk.All<Approval>()[0].reason, "web");
    talk.Note(Answer("request-1.1", c.answer));
    EXPECT_EQ(talk.Flush(),
              absl::StrCat("{\"id\":0,\"result\":", c.result, "}\n"));
    EXPECT_EQ(talk.All<Approval>()[1].state, c.answer.allow
                                                 ? Approval::State::kAllowed
                                                 : Approval::State::kDenied);
  }
}

TEST(AppServerRequestsTest, QuestionsAreAnsweredUnderTheirIds) {
  AppConversation talk;
  talk.Begin().Receive(
      Ask("item/tool/requestUserInput",
          R"("itemId":"q","isBlocking":true,"autoResolutionMs":null,)"
          R"("questions":[{"id":"a","header":"H","question":"Which?",)"
          R"("isOther":true,"isSecret":false,"options":[{"label":"X",)"
          R"("description":"d"}]},{"id":"b","header":"","question":"Why?",)"
          R"("isOther":false,"isSecret":false,"options":null}])"));
  ASSERT_THAT(talk.All<Question>(), SizeIs(1));
  const Question asked = talk.All<Question>()[0];
  ASSERT_THAT(asked.items, SizeIs(2));
  EXPECT_EQ(asked.items[0].text, "Which?");
  EXPECT_THAT(asked.items[0].options, ElementsAre("X"));
  EXPECT_THAT(asked.items[0].descriptions, ElementsAre("d"));
  EXPECT_THAT(asked.items[1].descriptions, IsEmpty());
  talk.Note(AnswerGiven{
      .id = asked.id, .by = "user", .answer = QuestionAnswer{{{"X"}, {"so"}}}});
  EXPECT_EQ(talk.Flush(),
            "{\"id\":0,\"result\":{\"answers\":{\"a\":{\"answers\":[\"X\"]},"
            "\"b\":{\"answers\":[\"so\"]}}}}\n");
  const Question answered = talk.All<Question>()[1];
  EXPECT_EQ(answered.state, Question::State::kAnswered);
  EXPECT_THAT(answered.items[1].answers, ElementsAre("so"));
  EXPECT_THAT(talk.DriftSeen(), IsEmpty());
}

TEST(AppServerRequestsTest, SecretAnswersAreSentAndNotShown) {
  AppConversation talk;
  talk.Begin().Receive(
      Ask("item/tool/requestUserInput",
          R"("itemId":"q","questions":[{"id":"a","header":"","isSecret":true,)"
          R"("question":"Which password?","options":null}])"));
  const Question asked = talk.All<Question>()[0];
  EXPECT_TRUE(asked.items[0].secret);
  talk.Note(AnswerGiven{
      .id = asked.id, .by = "user", .answer = QuestionAnswer{{{"hunter2"}}}});
  EXPECT_THAT(talk.Flush(), HasSubstr("hunter2"));
  const Question answered = talk.All<Question>()[1];
  EXPECT_EQ(answered.state, Question::State::kAnswered);
  EXPECT_THAT(answered.items[0].answers, ElementsAre(kHiddenAnswer));
}

TEST(AppServerRequestsTest, WhatIsTooLongIsRefused) {
  AppConversation talk;
  talk.Begin().ReceiveLong(
      R"({"method":"item/fileChange/requestApproval","id":4,"params":{"x":)");
  EXPECT_EQ(talk.Flush(), "{\"id\":4,\"result\":{\"decision\":\"decline\"}}\n");
  EXPECT_THAT(talk.All<Notice>().back().text, HasSubstr("too long"));
  EXPECT_THAT(talk.All<Raw>(), SizeIs(1));
  // Nobody waits for a reply to these.
  talk.ReceiveLong(R"({"id":9,"result":{"thread":{"x":)");
  talk.ReceiveLong(R"({"method":"item/completed","params":{"x":)");
  EXPECT_EQ(talk.Flush(), "");
}

TEST(AppServerRequestsTest, WhatGrantsMoreIsNotExact) {
  struct Case {
    absl::string_view method, params;
    bool exact;
  };
  for (const Case& test :
       {Case{"item/commandExecution/requestApproval",
             R"("itemId":"c","command":"ls")", true},
        Case{"item/commandExecution/requestApproval",
             R"("itemId":"c","command":"ls","additionalPermissions":null)",
             true},
        Case{"item/commandExecution/requestApproval",
             R"("itemId":"c","command":"ls","additionalPermissions":{"x":1})",
             false},
        Case{"item/commandExecution/requestApproval",
             R"("itemId":"c","command":"ls",)"
             R"("networkApprovalContext":{"host":"h"})",
             false}}) {
    AppConversation talk;
    talk.Begin().Receive(Ask(test.method, test.params));
    ASSERT_THAT(talk.All<Approval>(), SizeIs(1)) << test.params;
    EXPECT_EQ(talk.All<Approval>()[0].exact, test.exact) << test.params;
  }
  AppConversation talk;
  talk.Begin()
      .Item("started",
            R"({"type":"fileChange","id":"f","status":"inProgress","changes":[)"
            R"({"path":"/w/a","kind":{"type":"update","move_path":"/w/b"},)"
            R"("diff":"x"}]})")
      .Receive(Ask("item/fileChange/requestApproval",
                   R"("itemId":"f","grantRoot":"/w")"));
  EXPECT_THAT(talk.All<Approval>()[0].paths, IsEmpty());
}

TEST(AppServerRequestsTest, AnMcpToolIsApproved) {
  const std::string ask =
      R"({"method":"mcpServer/elicitation/request","id":0,"params":)"
      R"({"threadId":"t","turnId":"u1","serverName":"mock","mode":"form",)"
      R"("_meta":{"codex_approval_kind":"mcp_tool_call","persist":["session"],)"
      R"("tool_params":{"n":7}},"message":"Allow poke?",)"
      R"("requestedSchema":{"type":"object","properties":{}}}})";
  AppConversation talk;
  talk.Begin()
      .Item("started",
            R"({"type":"mcpToolCall","id":"m","server":"mock","tool":"poke",)"
            R"("status":"inProgress","arguments":{"n":7}})")
      .Receive(ask);
  const Approval asked = talk.All<Approval>()[0];
  EXPECT_EQ(asked.kind, Approval::Kind::kTool);
  EXPECT_EQ(asked.tool_name, "poke");
  EXPECT_EQ(asked.tool_use_id, "m");
  EXPECT_EQ(asked.input_json, R"({"n":7})");
  EXPECT_THAT(asked.choices,
              ElementsAre("approve", "approve_for_session", "deny", "cancel"));
  talk.Note(Answer(asked.id, {.allow = true}));
  EXPECT_EQ(talk.Flush(),
            "{\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{},"
            "\"_meta\":null}}\n");
  EXPECT_EQ(talk.All<Approval>()[1].state, Approval::State::kAllowed);
}

TEST(AppServerRequestsTest, AFormIsAQuestion) {
  const std::string ask =
      R"({"method":"mcpServer/elicitation/request","id":0,"params":)"
      R"({"threadId":"t","serverName":"s","mode":"form","message":"Fill in",)"
      R"("requestedSchema":{"type":"object","properties":{)"
      R"("name":{"type":"string","title":"Name"},"age":{"type":"integer"},)"
      R"("ok":{"type":"boolean"},"kind":{"type":"string","enum":["a","b"]},)"
      R"("tags":{"type":"array","items":{"type":"string","enum":["x"]}}}}}})";
  AppConversation talk;
  talk.Begin().Receive(ask);
  const Question asked = talk.All<Question>()[0];
  ASSERT_THAT(asked.items, SizeIs(5));
  EXPECT_EQ(asked.items[0].text, "Fill in\nName");
  EXPECT_THAT(asked.items[2].options, ElementsAre("true", "false"));
  EXPECT_THAT(asked.items[3].options, ElementsAre("a", "b"));
  EXPECT_TRUE(asked.items[4].multi_select);
  talk.Note(AnswerGiven{
      .id = asked.id,
      .answer = QuestionAnswer{{{"Jo"}, {"7"}, {"true"}, {"b"}, {"x"}}}});
  EXPECT_EQ(talk.Flush(),
            "{\"id\":0,\"result\":{\"action\":\"accept\",\"content\":{"
            "\"name\":\"Jo\",\"age\":7,\"ok\":true,\"kind\":\"b\",\"tags\":["
            "\"x\"]},\"_meta\":null}}\n");
  EXPECT_THAT(talk.All<Question>()[1].items[1].answers, ElementsAre("7"));

  AppConversation wrong;
  wrong.Begin().Receive(ask);
  wrong.Note(AnswerGiven{.id = asked.id,
                         .answer = QuestionAnswer{{{"Jo"}, {"seven"}}}});
  EXPECT_THAT(wrong.Flush(), HasSubstr("\"action\":\"decline\""));
  EXPECT_EQ(wrong.All<Question>()[1].state, Question::State::kCancelled);
  EXPECT_THAT(wrong.All<Notice>().back().text, HasSubstr("can't be given"));
}

TEST(AppServerRequestsTest, WhatNobodyCanAnswerIsRefusedAtOnce) {
  const struct {
    std::string request;
    absl::string_view reply;
  } kCases[] = {
      {Ask("item/commandExecution/requestApproval", R"("itemId":"c")"),
       R"("result":{"decision":"decline"}})"},
      {R"({"method":"item/fileChange/requestApproval","id":0,"params":7})",
       R"("result":{"decision":"decline"}})"},
      {Ask("item/permissions/requestApproval", R"("itemId":"c")"),
       R"("result":{"permissions":{},"scope":"turn"}})"},
      {Ask("mcpServer/elicitation/request",
           R"("serverName":"s","mode":"url","url":"http://x")"),
       R"("result":{"action":"decline","content":null,"_meta":null}})"},
      {Ask("item/tool/requestUserInput", R"("itemId":"c","questions":[])"),
       R"("result":{"answers":{}})"},
      {Ask("item/tool/call", R"("itemId":"c")"), R"("error":{"code":-32601)"},
      {Ask("account/chatgptAuthTokens/refresh", R"("itemId":"c")"),
       R"("error":)"},
      {Ask("attestation/generate", R"("itemId":"c")"), R"("error":)"},
      {Ask("currentTime/read", R"("itemId":"c")"), R"("error":)"},
      {Ask("applyPatchApproval", R"("itemId":"c")"), R"("error":)"},
      {Ask("execCommandApproval", R"("itemId":"c")"), R"("error":)"},
      {Ask("no/such", R"("itemId":"c")"), R"("error":)"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.request);
    AppConversation talk;
    talk.Begin().Receive(c.request);
    EXPECT_THAT(talk.All<Approval>(), IsEmpty());
    EXPECT_THAT(talk.All<Question>(), IsEmpty());
    ASSERT_THAT(talk.All<Notice>(), SizeIs(1));
    EXPECT_EQ(talk.All<Notice>()[0].kind, Notice::Kind::kPermissionDenied);
    const std::string reply = talk.Flush();
    EXPECT_THAT(reply, HasSubstr(c.reply));
    EXPECT_THAT(reply, testing::StartsWith("{\"id\":0,"));
  }
}

TEST(AppServerRequestsTest, ARequestThatTheServerSettlesIsCancelled) {
  AppConversation talk;
  talk.Begin()
      .Receive(AskCommand())
      .Receive(R"({"method":"serverRequest/resolved","params":{"threadId":"t",)"
               R"("requestId":0}})");
  ASSERT_THAT(talk.All<Approval>(), SizeIs(2));
  EXPECT_EQ(talk.All<Approval>()[1].state, Approval::State::kCancelled);
  // The answer comes too late.
  talk.Note(Answer("request-1.1", {.allow = true}));
  EXPECT_THAT(talk.Flush(), IsEmpty());
}

TEST(AppServerRequestsTest, WhatIsKeptOfHugeDiffsIsBounded) {
  AppConversation talk;
  talk.Begin();
  const std::string kLong(size_t{9} << 20, 'x');
  for (int i = 0; i < 8; ++i) {
    talk.Item(
        "started",
        absl::StrCat(R"({"type":"fileChange","id":"f)", i,
                     R"(","status":"inProgress","changes":[{"path":"/w/a",)"
                     R"("kind":{"type":"add"},"diff":")",
                     kLong, R"("}]})"));
    talk.Receive(
        absl::StrCat(R"({"method":"item/fileChange/requestApproval","id":)", i,
                     R"(,"params":{"threadId":"t","turnId":"u1","itemId":"f)",
                     i, R"(","reason":null}})"));
  }
  const auto asked = talk.All<Approval>();
  ASSERT_THAT(asked, SizeIs(8));
  EXPECT_THAT(asked[6].diff.size(), testing::Gt(kLong.size()));
  EXPECT_THAT(asked[7].diff, HasSubstr("not shown"));
}

TEST(AppServerRequestsTest, WhatIsKeptOfOpenRequestsIsBounded) {
  AppConversation talk;
  talk.Begin();
  const std::string kLong(size_t{15} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    talk.Receive(absl::StrCat(
        R"({"method":"item/commandExecution/requestApproval","id":)", i,
        R"(,"params":{"threadId":"t","turnId":"u1","itemId":"c","command":")",
        kLong, R"("}})"));
  }
  EXPECT_THAT(talk.All<Approval>(), SizeIs(4));
  EXPECT_THAT(talk.Flush(),
              HasSubstr(R"("id":4,"result":{"decision":"decline")"));
}

// What was allowed is never taken as an answer to something else.
TEST(AppServerRequestsTest, AnAnswerThatIsLateCountsForNoOtherRequest) {
  AppConversation talk;
  talk.Begin().Receive(AskCommand());
  talk.Note(Answer("request-1.1", {.allow = true}));
  talk.Receive(R"({"method":"serverRequest/resolved","params":{"threadId":"t",)"
               R"("requestId":0}})");
  talk.Receive(AskCommand());
  EXPECT_THAT(talk.All<Approval>(), SizeIs(2));
  EXPECT_THAT(talk.All<Raw>(), SizeIs(1));
  EXPECT_THAT(talk.Flush(), HasSubstr("accept"));
  ASSERT_THAT(talk.All<Approval>(), SizeIs(2));
  EXPECT_EQ(talk.All<Approval>()[1].state, Approval::State::kCancelled);
  // Once it is written, the id is free.
  talk.Receive(AskCommand());
  EXPECT_THAT(talk.All<Approval>(), SizeIs(3));
}

TEST(AppServerRequestsTest, TheEndOfATurnCancelsWhatIsOpen) {
  for (const bool process_ends : {false, true}) {
    AppConversation talk;
    talk.Begin().Receive(AskCommand("0")).Receive(AskCommand("1"));
    // The id of an open request is not taken twice.
    talk.Receive(AskCommand("1"));
    EXPECT_THAT(talk.All<Raw>(), SizeIs(1));
    if (process_ends) {
      talk.Note(ProcessEnded{});
    } else {
      talk.Completed();
    }
    ASSERT_THAT(talk.All<Approval>(), SizeIs(4));
    EXPECT_EQ(talk.All<Approval>()[3].state, Approval::State::kCancelled);
    EXPECT_EQ(talk.All<Approval>()[3].id, "request-1.2");
  }
}

}  // namespace
}  // namespace troika::codex
