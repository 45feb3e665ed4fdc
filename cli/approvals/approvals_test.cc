#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/approvals/asker.h"
#include "cli/approvals/pager.h"
#include "cli/approvals/respond.h"
#include "cli/testing.h"
#include "dto/task.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TaskState Asking() {
  TaskState state;
  state.task = "t1";
  state.approvals["b"] = {.asked = {4, 0}, .request = {.tool_name = "Bash"}};
  state.approvals["a"] = {.asked = {5, 0}, .request = {.tool_name = "Edit"}};
  state.questions["q"] = {
      .asked = {6, 0},
      .request = {.items = {{.text = "Which?", .options = {"red", "blue"}},
                            {.text = "Any?",
                             .options = {"x", "y", "z"},
                             .multi_select = true}}}};
  return state;
}

// The answer that `line` completes.
v1::RespondRequest Typed(Asker& asker, absl::string_view line) {
  const auto answer = asker.Type(line);
  EXPECT_TRUE(answer.ok() && answer->has_value()) << answer.status();
  return answer.ok() && answer->has_value() ? **answer : v1::RespondRequest();
}

TEST(AskerTest, AsksForTheReasonOfEachDenial) {
  TaskState state = Asking();
  Asker asker;
  asker.Update(state);
  EXPECT_EQ(asker.prompt(), "y(es), or n(o): ");
  EXPECT_FALSE(asker.Type("r").ok());
  EXPECT_FALSE(asker.GoBack());
  EXPECT_FALSE(asker.Type("n")->has_value());
  EXPECT_THAT(asker.prompt(), HasSubstr("why not?"));
  EXPECT_TRUE(asker.GoBack());
  EXPECT_FALSE(asker.Type("no")->has_value());
  EXPECT_EQ(Typed(asker, "use make").approval().reason(), "use make");
  asker.Update(state);
  EXPECT_FALSE(asker.Type("n")->has_value());
  const v1::RespondRequest answer = Typed(asker, "");
  EXPECT_EQ(answer.id(), "a");
  EXPECT_FALSE(answer.approval().allow());
}

TEST(AskerTest, AsksOneAfterTheOther) {
  TaskState state = Asking();
  Asker asker;
  asker.Update(state);
  EXPECT_EQ(asker.id(), "b");
  asker.Describe("allow Bash (1 line, 2 bytes)? ls", Asker::Seen::kAll);
  EXPECT_EQ(asker.prompt(),
            "allow Bash (1 line, 2 bytes)? ls\n"
            "y(es), or n(o): ");
  v1::RespondRequest answer = Typed(asker, "Yes\n");
  EXPECT_EQ(answer.id(), "b");
  EXPECT_TRUE(answer.approval().allow());
  // The answer is under way, and its event has not come.
  asker.Update(state);
  EXPECT_EQ(asker.id(), "a");
  EXPECT_FALSE(asker.Type(" NO ")->has_value());
  EXPECT_FALSE(Typed(asker, "").approval().allow());
  state.approvals.clear();
  asker.Update(state);
  EXPECT_EQ(asker.id(), "q");
  EXPECT_EQ(asker.prompt(), "Which? 1-2, or your own words: ");
  EXPECT_FALSE(asker.Type("3").ok());
  EXPECT_FALSE(asker.Type("1,2").ok());
  EXPECT_FALSE(asker.Type("2")->has_value());
  EXPECT_EQ(asker.prompt(),
            "Any? 1-3, several with commas, or your own words: ");
  answer = Typed(asker, "1, 3");
  EXPECT_THAT(answer.question().items(0).answers(), ElementsAre("blue"));
  EXPECT_THAT(answer.question().items(1).answers(), ElementsAre("x", "z"));
  asker.Update(state);
  EXPECT_FALSE(asker.asks());
  // It did not arrive.
  asker.AskAgain();
  asker.Update(state);
  EXPECT_EQ(asker.id(), "q");
  // Somebody else has answered.
  state.questions.clear();
  asker.Update(state);
  EXPECT_FALSE(asker.asks());
}

TEST(AskerTest, OnlyOfferedWordsAnswerAnApproval) {
  TaskState state = Asking();
  Asker asker;
  asker.Update(state);
  for (const char* word : {"", " ", "sure", "ok", "ye", "yes!", "nope", "allow",
                           "deny", "1", "y y", "not this file"}) {
    EXPECT_THAT(std::string(asker.Type(word).status().message()),
                HasSubstr("type y to allow it"))
        << word;
    EXPECT_EQ(asker.id(), "b");
  }
  EXPECT_FALSE(asker.Type("N")->has_value());
  const v1::RespondRequest denied = Typed(asker, "yes\xff");
  EXPECT_FALSE(denied.approval().allow());
  EXPECT_EQ(denied.approval().reason(), "yes\xEF\xBF\xBD");
}

TEST(AskerTest, OffersAKeyForEachChoice) {
  TaskState state = Asking();
  state.approvals["b"].request.choices = {"approve", "approve_for_session",
                                          "deny", "cancel"};
  Asker asker;
  asker.Update(state);
  EXPECT_EQ(asker.prompt(), "y(es), n(o), s(ession), or c(ancel the turn): ");
  const v1::RespondRequest allowed = Typed(asker, "S");
  EXPECT_TRUE(allowed.approval().allow());
  EXPECT_EQ(allowed.approval().choice(), "approve_for_session");
  EXPECT_EQ(allowed.via(), "terminal");
  asker.AskAgain();
  asker.AskOnly("b");
  asker.Update(state);
  const v1::RespondRequest cancelled = Typed(asker, "cancel");
  EXPECT_FALSE(cancelled.approval().allow());
  EXPECT_EQ(cancelled.approval().choice(), "cancel");
  state.approvals["b"].request.choices = {"newer"};
  Asker later;
  later.Update(state);
  EXPECT_EQ(later.prompt(), "newer: ");
  EXPECT_FALSE(later.Type("y").ok());
  EXPECT_EQ(Typed(later, "newer").approval().choice(), "newer");
  // An answer that is on its way is not asked for again.
  asker.AskAgain();
  state.approvals["b"].answered = true;
  asker.Update(state);
  EXPECT_FALSE(asker.asks());
}

TEST(AskerTest, AnAnswerCanBecomeARule) {
  TaskState state = Asking();
  state.approvals["b"].request.proposed_rules = {"narrow()", "wide()"};
  Asker asker;
  asker.Update(state);
  EXPECT_THAT(asker.prompt(), HasSubstr("a to make it a rule"));
  EXPECT_FALSE(asker.Type("a")->has_value());
  EXPECT_THAT(asker.prompt(), HasSubstr("  1  narrow()\n  2  wide()\n"));
  for (const char* word : {"y", "0", "3", "yes"}) {
    EXPECT_THAT(std::string(asker.Type(word).status().message()),
                HasSubstr("type 1 to 2"));
  }
  EXPECT_FALSE(asker.Type("")->has_value());
  EXPECT_THAT(asker.prompt(), HasSubstr("y(es)"));
  EXPECT_FALSE(asker.Type("always")->has_value());
  const v1::RespondRequest answer = Typed(asker, "2");
  EXPECT_EQ(answer.id(), "b");
  EXPECT_TRUE(answer.approval().allow());
  EXPECT_EQ(answer.approval().always(), "wide()");
  // What was not seen whole becomes no rule.
  asker.AskAgain();
  asker.AskOnly("b");
  asker.Update(state);
  asker.Describe("allow it?", Asker::Seen::kPart);
  EXPECT_FALSE(asker.Type("a").ok());
}

TEST(AskerTest, WhatWasNotSeenTakesAWord) {
  TaskState state = Asking();
  Asker asker;
  asker.Update(state);
  asker.Describe("allow it?", Asker::Seen::kPart);
  EXPECT_THAT(asker.prompt(), HasSubstr("the word allow"));
  for (const char* word : {"y", "yes", "sure"}) {
    EXPECT_THAT(std::string(asker.Type(word).status().message()),
                HasSubstr("not all of it was shown"));
  }
  EXPECT_TRUE(Typed(asker, "allow").approval().allow());
  // The next one is not affected.
  asker.Update(state);
  EXPECT_TRUE(Typed(asker, "y").approval().allow());
}

TEST(AskerTest, AsksForOneAlone) {
  const TaskState state = Asking();
  Asker asker;
  asker.AskOnly("q");
  asker.Update(state);
  EXPECT_EQ(asker.id(), "q");
}

TEST(AskerTest, OwnWordsAreAnAnswer) {
  const Question::Item item = {.options = {"a", "b"}};
  EXPECT_THAT(*ReadChoice(item, "the 2nd one, please"),
              ElementsAre("the 2nd one, please"));
  EXPECT_THAT(*ReadChoice(item, " B "), ElementsAre("b"));
  EXPECT_THAT(*ReadChoice({}, "7"), ElementsAre("7"));
  EXPECT_FALSE(ReadChoice(item, "  ").ok());
}

TEST(PagerTest, ShowsEverythingPageByPage) {
  std::vector<std::string> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(absl::StrCat(i));
  Pager pager(rows, 5);
  EXPECT_THAT(pager.FirstPage(), ElementsAre("0", "1", "2", "3"));
  EXPECT_FALSE(pager.done());
  EXPECT_THAT(pager.prompt(), HasSubstr("4 of 10 rows"));
  EXPECT_THAT(pager.OnKey('y'), IsEmpty());
  EXPECT_THAT(pager.OnKey('\n'), ElementsAre("4"));
  EXPECT_THAT(pager.OnKey('b'), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(pager.OnKey(' '), ElementsAre("4", "5", "6", "7"));
  EXPECT_FALSE(pager.has_shown_all());
  EXPECT_THAT(pager.OnKey(' '), ElementsAre("8", "9"));
  EXPECT_TRUE(pager.done() && pager.has_shown_all());
  Pager quits(rows, 5);
  quits.FirstPage();
  quits.OnKey('q');
  EXPECT_TRUE(quits.done());
  EXPECT_FALSE(quits.has_shown_all());
}

TEST(RespondTest, FindsWhatWaits) {
  TaskState task = ToTaskState(WaitingTask());
  EXPECT_EQ(MakeResponse(task, {})->id(), "a1");
  EXPECT_TRUE(MakeResponse(task, {})->approval().allow());
  const auto denied =
      MakeResponse(task, {.id = "a1", .choice = "deny", .reason = "no"});
  EXPECT_FALSE(denied->approval().allow());
  EXPECT_EQ(denied->approval().reason(), "no");
  const auto answered =
      MakeResponse(task, {.kind = Reply::Kind::kAnswer, .answers = {"1"}});
  EXPECT_THAT(answered->question().items(0).answers(), ElementsAre("red"));
  EXPECT_THAT(std::string(MakeResponse(task, {.id = "x"}).status().message()),
              HasSubstr("no approval x waits, there are: a1"));
  EXPECT_THAT(std::string(MakeResponse(task, {.kind = Reply::Kind::kAnswer,
                                              .answers = {"1", "2"}})
                              .status()
                              .message()),
              HasSubstr("1 answer is needed, and 2 were given"));
  EXPECT_EQ(denied->via(), "terminal");
  // Without an id it is the one that has waited longest.
  task.approvals["a1"].asked = {5, 0};
  task.approvals["a2"] = {.asked = {4, 0}, .request = {.id = "a2"}};
  EXPECT_EQ(MakeResponse(task, {})->id(), "a2");
  task.approvals["a2"].answered = true;
  EXPECT_EQ(MakeResponse(task, {})->id(), "a1");
  task.approvals["a1"].request.choices = {"approve", "deny"};
  EXPECT_THAT(
      std::string(MakeResponse(task, {.choice = "cancel"}).status().message()),
      HasSubstr("does not offer the choice cancel: it offers approve, deny"));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(MakeResponse(TaskState(), {}).status()));
  EXPECT_THAT(std::string(MakeResponse(task, {.always = 1}).status().message()),
              HasSubstr("no rule can allow a1"));
  task.approvals["a1"].request.proposed_rules = {"narrow()"};
  EXPECT_EQ(MakeResponse(task, {.always = 1})->approval().always(), "narrow()");
  EXPECT_THAT(std::string(MakeResponse(task, {.always = 2}).status().message()),
              HasSubstr("  1  narrow()"));
}

}  // namespace
}  // namespace troika::cli
