#include "cli/attach/dialog.h"

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = UserAction::Kind;

UserAction Read(absl::string_view line) {
  const auto action = ReadUserLine(line);
  EXPECT_TRUE(action.ok()) << action.status();
  return action.value_or(UserAction());
}

TEST(UserLineTest, ASlashBeginsACommand) {
  EXPECT_EQ(Read("hello").kind, Kind::kSend);
  EXPECT_EQ(Read("hello").mode, v1::InputRequest::auto_);
  EXPECT_EQ(Read(" /no command").text, " /no command");
  EXPECT_EQ(Read("//usr is full").text, "/usr is full");
  EXPECT_EQ(Read("/steer  left\nnow ").text, "left\nnow");
  EXPECT_EQ(Read("/steer left").mode, v1::InputRequest::steer);
  EXPECT_EQ(Read("/queue later").mode, v1::InputRequest::queue);
  EXPECT_EQ(Read("/queue").kind, Kind::kShowQueue);
  EXPECT_EQ(Read("/interrupt").kind, Kind::kInterrupt);
  EXPECT_EQ(Read("/interrupt go").mode, v1::InputRequest::interrupt);
  EXPECT_EQ(Read("/stop ").kind, Kind::kStop);
  EXPECT_EQ(Read("/detach").kind, Kind::kDetach);
  EXPECT_EQ(Read("/help").kind, Kind::kShowHelp);
  EXPECT_THAT(std::string(ReadUserLine("/usr/bin").status().message()),
              HasSubstr("no command /usr/bin: /help"));
  EXPECT_FALSE(ReadUserLine("/steer").ok());
  EXPECT_FALSE(ReadUserLine("/stop it").ok());
}

class DialogTest : public ::testing::Test {
 protected:
  // An event comes, and the editor gets what the dialog wants.
  void Update() { Take(dialog_.Update(state_, line_, now_)); }
  void Enter() { Take(dialog_.OnEnter(line_, now_)); }
  void CtrlC(Dialog::Agent agent = Dialog::Agent::kWorks) {
    Take(dialog_.OnCtrlC(line_, agent, now_));
  }
  void Tab() { Take(dialog_.OnTab(line_)); }
  void Pass(absl::Duration time) { now_ += time; }

  void AskApproval(const std::string& id) {
    state_.approvals[id] = {.asked = {++events_, 0},
                            .request = {.id = id, .tool_name = "Bash"}};
    Update();
  }
  void Settle(const std::string& id) {
    state_.approvals.erase(id);
    state_.questions.erase(id);
    Update();
  }
  std::string Explanation() {
    return absl::StrJoin(dialog_.Explanation(), "|");
  }

  Dialog dialog_;
  TaskState state_;
  std::string line_;
  absl::Time now_ = absl::UnixEpoch();
  UserAction action_;
  std::string said_;

 private:
  void Take(const Dialog::Step& step) {
    if (step.line) line_ = *step.line;
    action_ = step.action;
    said_ = step.say;
  }

  int events_ = 0;
};

TEST_F(DialogTest, EnterSendsTheLine) {
  line_ = "fix it";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kSend);
  EXPECT_EQ(action_.text, "fix it");
  EXPECT_EQ(line_, "");
  line_ = "  \n";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  // What can't be sent stays.
  line_ = "/nonsense";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_THAT(said_, HasSubstr("no command"));
  EXPECT_EQ(line_, "/nonsense");
}

TEST_F(DialogTest, ABackslashContinuesTheLine) {
  line_ = "one\\";
  Enter();
  EXPECT_EQ(line_, "one\n");
  EXPECT_EQ(action_.kind, Kind::kNone);
  line_ = "ends in two\\\\";
  Enter();
  EXPECT_EQ(action_.text, "ends in two\\\\");
}

TEST_F(DialogTest, CtrlCClearsThenInterruptsThenDetaches) {
  line_ = "text";
  CtrlC();
  EXPECT_EQ(line_, "");
  EXPECT_EQ(action_.kind, Kind::kNone);
  CtrlC();
  EXPECT_EQ(action_.kind, Kind::kInterrupt);
  EXPECT_THAT(said_, HasSubstr("interrupting"));
  Pass(Dialog::kDoubleCtrlC);
  CtrlC();
  EXPECT_EQ(action_.kind, Kind::kInterrupt);
  Pass(absl::Seconds(1));
  CtrlC();
  EXPECT_EQ(action_.kind, Kind::kDetach);
  Pass(absl::Minutes(1));
  CtrlC(Dialog::Agent::kRests);
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_THAT(said_, HasSubstr("Ctrl-C again detaches"));
}

TEST_F(DialogTest, AnApprovalGetsAnEmptyLine) {
  AskApproval("a");
  EXPECT_TRUE(dialog_.answers());
  dialog_.Describe("allow Bash? ls", Asker::Seen::kAll);
  EXPECT_EQ(Explanation(), "allow Bash? ls|y(es), or n(o)");
  Pass(Dialog::kSettling);
  line_ = "yes please";
  Enter();
  EXPECT_THAT(said_, HasSubstr("type y to allow it"));
  EXPECT_EQ(line_, "");
  line_ = "y";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kRespond);
  EXPECT_EQ(action_.response.id(), "a");
  EXPECT_TRUE(action_.response.approval().allow());
  EXPECT_FALSE(dialog_.answers());
  // The user's answer is under way.
  Update();
  EXPECT_FALSE(dialog_.answers());
  dialog_.AnswerRefused();
  Update();
  EXPECT_TRUE(dialog_.answers());
}

TEST_F(DialogTest, ADenialAsksForItsReason) {
  AskApproval("a");
  Pass(Dialog::kSettling);
  line_ = "n";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_THAT(Explanation(), HasSubstr("why not?"));
  CtrlC();
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_THAT(Explanation(), HasSubstr("n(o)"));
  line_ = "n";
  Enter();
  line_ = "use make";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kRespond);
  EXPECT_FALSE(action_.response.approval().allow());
  EXPECT_EQ(action_.response.approval().reason(), "use make");
  AskApproval("b");
  Pass(Dialog::kSettling);
  line_ = "n";
  Enter();
  Enter();
  EXPECT_EQ(action_.kind, Kind::kRespond);
  EXPECT_EQ(action_.response.approval().reason(), "");
}

TEST_F(DialogTest, AMessageThatWasBegunKeepsTheLine) {
  line_ = "apply it, and ";
  AskApproval("a");
  EXPECT_FALSE(dialog_.answers());
  EXPECT_EQ(line_, "apply it, and ");
  EXPECT_THAT(Explanation(), HasSubstr("Tab answers it"));
  Tab();
  EXPECT_TRUE(dialog_.answers());
  EXPECT_EQ(line_, "");
  line_ = "y";
  EXPECT_EQ(dialog_.MessageIn(line_), "apply it, and ");
  Tab();
  EXPECT_EQ(line_, "apply it, and ");
  Tab();
  EXPECT_EQ(line_, "y");
  Enter();
  EXPECT_EQ(action_.kind, Kind::kRespond);
  EXPECT_EQ(line_, "apply it, and ");
}

TEST_F(DialogTest, TheLineIsForTheAnswerOnceTheMessageIsSent) {
  line_ = "message";
  AskApproval("a");
  Enter();
  EXPECT_EQ(action_.kind, Kind::kSend);
  EXPECT_TRUE(dialog_.answers());
  // Typed for the message that came before.
  line_ = "y";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_THAT(said_, HasSubstr("Enter again"));
  EXPECT_EQ(line_, "y");
}

TEST_F(DialogTest, WhatIsAnsweredElsewhereIsNoLongerAsked) {
  line_ = "draft";
  AskApproval("a");
  state_.settled.push_back(
      {.id = "a", .choice = "approve", .by = "ann", .via = "page"});
  Settle("a");
  EXPECT_EQ(said_, "it was answered elsewhere, by ann (page)");
  EXPECT_EQ(line_, "draft");
  EXPECT_THAT(dialog_.Explanation(), IsEmpty());
  // Half an answer becomes part of the message, and is not sent by accident.
  AskApproval("b");
  Tab();
  line_ = "because of";
  Settle("b");
  EXPECT_EQ(said_, "");
  EXPECT_FALSE(dialog_.answers());
  EXPECT_EQ(line_, "draft\nbecause of");
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  EXPECT_EQ(line_, "draft\nbecause of");
  Pass(Dialog::kSettling);
  Enter();
  EXPECT_EQ(action_.text, "draft\nbecause of");
}

TEST_F(DialogTest, HalfAnAnswerIsNoneToTheNextQuestion) {
  AskApproval("a");
  AskApproval("b");
  line_ = "y";
  Settle("a");
  EXPECT_EQ(dialog_.asked(), "b");
  EXPECT_FALSE(dialog_.answers());
  EXPECT_EQ(line_, "y");
}

TEST_F(DialogTest, QuestionsTakeNumbersAndWords) {
  state_.questions["q"] = {
      .asked = {1, 0},
      .request = {.id = "q",
                  .items = {{.text = "Which?", .options = {"red", "blue"}},
                            {.text = "Why?"}}}};
  Update();
  Pass(Dialog::kSettling);
  EXPECT_EQ(Explanation(), "Which? 1-2, or your own words");
  line_ = "2";
  Enter();
  EXPECT_EQ(action_.kind, Kind::kNone);
  line_ = "because\nof that";
  Enter();
  ASSERT_EQ(action_.kind, Kind::kRespond);
  EXPECT_THAT(action_.response.question().items(0).answers(),
              ElementsAre("blue"));
  EXPECT_THAT(action_.response.question().items(1).answers(),
              ElementsAre("because\nof that"));
}

}  // namespace
}  // namespace troika::cli
