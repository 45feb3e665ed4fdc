#include "task/decisions.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using State = Approval::State;

class DecisionsTest : public testing::Test {
 protected:
  void Add(Payload payload) {
    ++record_;
    decisions_.Add(Message{.id = {.record = record_},
                           .time = absl::FromUnixSeconds(record_),
                           .payload = std::move(payload)});
  }
  const Decision& at(size_t i) const { return decisions_.decisions()[i]; }

  int64_t record_ = 0;
  Decisions decisions_;
};

TEST_F(DecisionsTest, TellsWhoDecidedAndWhen) {
  Add(Approval{.id = "a",
               .tool_use_id = "t",
               .tool_name = "Bash",
               .kind = Approval::Kind::kCommandLine,
               .command = "make"});
  Add(Approval{.id = "a",
               .rules = {{.file = "user.rules", .line = 3}},
               .explanation = "it redirects output"});
  ASSERT_THAT(decisions_.decisions(), SizeIs(1));
  EXPECT_FALSE(at(0).decided.has_value());
  EXPECT_EQ(at(0).explanation, "it redirects output");
  Approval answered = {.id = "a",
                       .state = State::kDenied,
                       .tool_use_id = "t",
                       .reason = "no",
                       .choice = "deny",
                       .by = "user",
                       .via = "terminal",
                       .delivery = Delivery::kAccepted,
                       .user = "ann",
                       .client = "troika"};
  Add(answered);
  answered.delivery = Delivery::kDelivered;
  Add(answered);
  // The CLI tells of the same denial in its own ways.
  Add(ToolResult{.tool_use_id = "t", .output = "denied", .denied = true});
  ASSERT_THAT(decisions_.decisions(), SizeIs(1));
  const Decision& decision = at(0);
  EXPECT_EQ(decision.event, (EventId{.record = 1}));
  EXPECT_EQ(decision.subject, "make");
  EXPECT_EQ(decision.asked, absl::FromUnixSeconds(1));
  EXPECT_EQ(decision.decided, absl::FromUnixSeconds(3));
  EXPECT_EQ(decision.answer.user, "ann");
  EXPECT_EQ(decision.answer.text, "no");
  EXPECT_EQ(decision.answer.delivery, Delivery::kDelivered);
  EXPECT_THAT(decision.answer.rules, SizeIs(1));
}

TEST_F(DecisionsTest, AnIdMayBeUsedAgain) {
  for (int i = 0; i < 2; ++i) {
    Add(Approval{.id = "a", .command = absl::StrCat("make ", i)});
    Add(Approval{.id = "a",
                 .state = State::kAllowed,
                 .choice = "approve",
                 .by = "rule",
                 .delivery = Delivery::kDelivered,
                 .rules = {{.file = "f", .line = i}}});
  }
  ASSERT_THAT(decisions_.decisions(), SizeIs(2));
  EXPECT_EQ(at(0).subject, "make 0");
  EXPECT_EQ(at(1).answer.rules[0].line, 1);
  Add(Approval{.id = "a", .state = State::kDenied});
  Add(Approval{.id = "never asked", .state = State::kDenied});
  EXPECT_THAT(decisions_.decisions(), SizeIs(2));
  EXPECT_EQ(at(1).answer.choice, "approve");
}

TEST_F(DecisionsTest, TellsOfDenialsThatNobodyWasAskedAbout) {
  Add(ToolUse{.id = "t", .name = "Bash"});
  Add(ToolResult{.tool_use_id = "t", .output = "not allowed", .denied = true});
  Add(Notice{.kind = Notice::Kind::kPermissionDenied,
             .text = "refused the agent's request x",
             .by = "default"});
  Add(Result{.denials = {{.tool_use_id = "t", .tool_name = "Bash"},
                         {.tool_use_id = "u", .tool_name = "Write"},
                         {.reason = "the notice's"}}});
  ASSERT_THAT(decisions_.decisions(), SizeIs(3));
  EXPECT_EQ(at(0).about, Decision::About::kDenial);
  EXPECT_EQ(at(0).tool_name, "Bash");
  EXPECT_EQ(at(0).answer.by, "cli");
  EXPECT_EQ(at(1).answer.by, "default");
  EXPECT_EQ(at(2).tool_name, "Write");
}

TEST_F(DecisionsTest, QuestionsAndWithdrawals) {
  Add(Question{.id = "q", .items = {{.text = "Which?"}, {.header = "Why"}}});
  Add(Question{.id = "q",
               .state = Question::State::kAnswered,
               .items = {{.answers = {"red", "blue"}}, {.answers = {"so"}}},
               .by = "user",
               .delivery = Delivery::kDelivered});
  Add(Approval{.id = "a", .command = "x"});
  Add(Approval{.id = "a", .state = State::kCancelled, .reason = "withdrawn"});
  EXPECT_EQ(at(0).subject, "Which?; Why");
  EXPECT_EQ(at(0).answer.text, "red, blue; so");
  EXPECT_THAT(at(1).answer.choice, IsEmpty());
  EXPECT_EQ(at(1).answer.text, "withdrawn");
  EXPECT_TRUE(at(1).decided.has_value());
}

TEST_F(DecisionsTest, OldOnesAreLeftOut) {
  for (size_t i = 0; i < kMaxDecisions + 7; ++i) {
    Add(Approval{.id = absl::StrCat(i), .command = std::string(9000, 'x')});
  }
  EXPECT_THAT(decisions_.decisions(), SizeIs(kMaxDecisions));
  EXPECT_EQ(decisions_.left_out(), 7);
  EXPECT_LT(at(0).subject.size(), 600u);
}

}  // namespace
}  // namespace troika
