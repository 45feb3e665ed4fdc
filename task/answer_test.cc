#include "task/answer.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

TaskState Asking() {
  TaskState state;
  state.task = "t1";
  state.process_alive = true;
  state.approvals["a"] = {
      .asked = {3, 0},
      .request = {.id = "a",
                  .tool_name = "Bash",
                  .command = "make",
                  .choices = {"approve", "deny", "cancel"}}};
  state.questions["q"] = {.asked = {4, 0},
                          .request = {.id = "q", .items = {{.text = "?"}}}};
  return state;
}

AnswerGiven Choose(absl::string_view choice, absl::string_view reason = "") {
  return {.id = "a",
          .by = "user",
          .via = "terminal",
          .answer = ApprovalAnswer{.allow = choice == kApprove,
                                   .reason = std::string(reason),
                                   .choice = std::string(choice)}};
}

std::string Error(const absl::Status& status) {
  return std::string(status.message());
}

TEST(AnswerTest, ChoicesThatAreNotOfferedAreListed) {
  TaskState state = Asking();
  EXPECT_TRUE(CheckAnswer(state, Choose("cancel")).ok());
  const absl::Status error = CheckAnswer(state, Choose("approve_for_session"));
  EXPECT_TRUE(absl::IsInvalidArgument(error));
  EXPECT_EQ(Error(error),
            "a does not offer the choice approve_for_session: it offers "
            "approve, deny, cancel");
  state.approvals["a"].request.choices.clear();
  EXPECT_TRUE(CheckAnswer(state, Choose("deny")).ok());
  EXPECT_THAT(Error(CheckAnswer(state, Choose("cancel"))),
              HasSubstr("it offers approve, deny"));
}

TEST(AnswerTest, TheSecondIsToldOfTheFirst) {
  TaskState state = Asking();
  Pending<Approval>& pending = state.approvals["a"];
  pending.request = Accepted(pending.request, Choose("deny", "not today"));
  pending.answered = true;
  const absl::Status error = CheckAnswer(state, Choose("approve"));
  EXPECT_TRUE(absl::IsFailedPrecondition(error));
  EXPECT_EQ(Error(error),
            "a was answered already, by user (terminal): deny, not today; that "
            "answer counts");
  EXPECT_EQ(std::string(*error.GetPayload(kAnsweredPayload)),
            R"({"id":"a","choice":"deny","text":"not today","by":"user",)"
            R"("via":"terminal","delivery":"accepted"})");
  // The same after the agent got it.
  Approval delivered = pending.request;
  delivered.delivery = Delivery::kDelivered;
  state.settled.push_back(SettledOf(delivered));
  state.approvals.clear();
  EXPECT_EQ(Error(CheckAnswer(state, Choose("approve"))), Error(error));
}

TEST(AnswerTest, SaysWhatBecameOfAStaleId) {
  TaskState state = Asking();
  state.settled.push_back({.id = "old", .text = "withdrawn by the agent"});
  AnswerGiven answer = Choose("approve");
  answer.id = "old";
  EXPECT_EQ(Error(CheckAnswer(state, answer)),
            "old can't be answered any more: withdrawn by the agent");
  state.process_alive = false;
  EXPECT_THAT(Error(CheckAnswer(state, answer)), HasSubstr("another turn"));
  answer.id = "never";
  EXPECT_TRUE(absl::IsFailedPrecondition(CheckAnswer(state, answer)));
  state.process_alive = true;
  EXPECT_TRUE(absl::IsNotFound(CheckAnswer(state, answer)));
}

TEST(AnswerTest, OnlyTheAnswerInTheLogWasTaken) {
  TaskState state = Asking();
  EXPECT_THAT(Error(CheckTaken(state, Choose("approve"))),
              HasSubstr("came too late"));
  Pending<Approval>& pending = state.approvals["a"];
  pending.request = Accepted(pending.request, Choose("deny"));
  pending.answered = true;
  EXPECT_TRUE(CheckTaken(state, Choose("deny")).ok());
  EXPECT_THAT(Error(CheckTaken(state, Choose("approve"))),
              HasSubstr("was answered already"));
  // The agent asks under the same id again, after it got our answer.
  state.settled.push_back(SettledOf(Choose("approve")));
  pending.answered = false;
  EXPECT_TRUE(CheckTaken(state, Choose("approve")).ok());
}

TEST(AnswerTest, AnAnswerThatDoesNotFitDenies) {
  const Approval asked = Asking().approvals.at("a").request;
  for (const AnswerGiven& answer :
       {AnswerGiven{.id = "a", .by = "user"},
        AnswerGiven{.id = "a", .by = "user", .answer = QuestionAnswer{}}}) {
    const Approval accepted = Accepted(asked, answer);
    EXPECT_EQ(accepted.state, Approval::State::kDenied);
    EXPECT_EQ(accepted.choice, "deny");
    EXPECT_THAT(accepted.reason, HasSubstr("none to this request"));
  }
}

TEST(AnswerTest, AnAnswerOfAQuestionIsKept) {
  const Question accepted =
      Accepted(Asking().questions.at("q").request,
               {.id = "q",
                .by = "user",
                .via = "api",
                .answer = QuestionAnswer{.answers = {{"x", "y"}, {"z"}}}});
  EXPECT_EQ(accepted.delivery, Delivery::kAccepted);
  EXPECT_EQ(SettledOf(accepted), (Settled{.id = "q",
                                          .choice = "answer",
                                          .text = "x, y",
                                          .by = "user",
                                          .via = "api",
                                          .delivery = Delivery::kAccepted}));
}

TEST(AnswerTest, ATimeoutTakesTheDenialThatIsOffered) {
  Approval asked = Asking().approvals.at("a").request;
  const AnswerGiven denied = TimedOut(asked, absl::Minutes(5));
  EXPECT_EQ(denied.by, "timeout");
  EXPECT_EQ(std::get<ApprovalAnswer>(denied.answer).choice, "deny");
  EXPECT_EQ(std::get<ApprovalAnswer>(denied.answer).reason,
            "nobody answered within 5m");
  asked.choices = {"approve", "cancel"};
  const AnswerGiven cancelled = TimedOut(asked, absl::Minutes(5));
  EXPECT_EQ(std::get<ApprovalAnswer>(cancelled.answer).choice, "cancel");
}

TEST(AnswerTest, AReasonIsToldWhenTheAgentCanHearIt) {
  const Capabilities steers = {.follow_up = true, .steer = true};
  const Capabilities follows = {.follow_up = true};
  TaskState state = Asking();
  state.turn_open = true;
  EXPECT_EQ(NextReason(state, steers), nullptr);
  state.owed_reasons.push_back(
      {.key = "denial-7",
       .approval = "a",
       .prompt = DenialPrompt(state.approvals.at("a").request,
                              {.reason = "not now"})});
  EXPECT_EQ(state.owed_reasons[0].prompt,
            "I did not allow Bash `make`: not now");
  EXPECT_EQ(NextReason(state, steers), nullptr) << "before the denial itself";
  state.approvals.clear();
  ASSERT_NE(NextReason(state, steers), nullptr);
  EXPECT_EQ(NextReason(state, steers)->key, "denial-7");
  EXPECT_EQ(NextReason(state, follows), nullptr) << "not within the turn";
  state.turn_open = false;
  EXPECT_NE(NextReason(state, follows), nullptr);
  state.ending = {.kind = Ending::Kind::kInterrupt};
  EXPECT_EQ(NextReason(state, steers), nullptr);
}

}  // namespace
}  // namespace troika
