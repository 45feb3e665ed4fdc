// Approvals that rules answer, on the fake CLIs of all wires that ask, through
// the real relay.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/policy_files.h"
#include "task/runner.h"
#include "task/runner_testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kRules =
    "prefix_rule(pattern = [\"git\", [\"status\", \"diff\"]])\n"
    "prefix_rule(pattern = [\"git\", \"push\"], decision = \"forbidden\",\n"
    "            justification = \"a person pushes\")\n"
    "prefix_rule(pattern = [\"make\"], decision = \"prompt\")\n"
    "edit_rule(paths = [\"docs/**\"], decision = \"allow\")\n"
    "edit_rule(paths = [\"**/.troika/**\", \".troika/**\"], decision = "
    "\"allow\")\n";

class RunnerPolicyTest : public ::testing::TestWithParam<Harness> {
 protected:
  RunnerPolicyTest() { Write("my.rules", kRules); }

  void Write(absl::string_view name, absl::string_view text) {
    const std::string folder = home_.home().policy_path();
    std::filesystem::create_directory(folder);
    std::ofstream(absl::StrCat(folder, "/", name)) << text;
  }
  TestTask::Options Script(absl::string_view script) {
    TestTask::Options options = {.harness = GetParam(),
                                 .script = std::string(script)};
    options.request.options.edit_mode = EditMode::kAsk;
    options.request.options.skip_git_check = GetParam() == Harness::kCodex;
    return options;
  }
  TestTask::Options Asks(absl::string_view command) {
    return Script(absl::StrCat("ask Bash {\"command\":\"", command,
                               "\"}\nsay Did it.\nok"));
  }
  TestTask::Options Edits(absl::string_view path) {
    return Script(absl::StrCat("ask Write {\"file_path\":\"", home_.cwd(), "/",
                               path, "\",\"content\":\"x\"}\nsay Did it.\nok"));
  }
  static AnswerGiven Allow(const TestTask& task) {
    return {.id = task.state().approvals.begin()->first,
            .by = "user",
            .answer =
                ApprovalAnswer{.allow = true, .choice = std::string(kApprove)}};
  }

  TestHome home_;
};

TEST_P(RunnerPolicyTest, AllowedNeedsNobody) {
  TestTask task(&home_, Asks("git status -s && git diff"));
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle)) << task.created();
  EXPECT_EQ(task.Answer(), "Did it.");
  ASSERT_THAT(task.state().settled, SizeIs(1));
  const Settled& settled = task.state().settled[0];
  EXPECT_EQ(settled.by, "rule");
  EXPECT_EQ(settled.choice, kApprove);
  EXPECT_EQ(settled.delivery, Delivery::kDelivered);
  ASSERT_THAT(settled.rules, SizeIs(1));
  EXPECT_THAT(settled.rules[0].file, HasSubstr("/policy/my.rules"));
  EXPECT_EQ(settled.rules[0].line, 1);
  EXPECT_THAT(settled.rules[0].text, HasSubstr("prefix_rule("));
}

TEST_P(RunnerPolicyTest, ForbiddenIsDeniedWithItsJustification) {
  for (const char* command : {"git push", "git status && git push"}) {
    TestTask task(&home_, Asks(command));
    ASSERT_TRUE(task.Until([&] { return !task.state().settled.empty(); }))
        << task.created();
    EXPECT_EQ(task.state().settled[0].by, "rule");
    EXPECT_EQ(task.state().settled[0].text, "a person pushes");
    EXPECT_NE(task.state().settled[0].choice, kApprove);
    // On all wires the agent is told, with the denial or by a prompt.
    ASSERT_TRUE(task.Until([&] {
      std::string written;
      for (const auto& record :
           relay::ReadLog(task.runner().folder().fd.get()).records) {
        if (record.stream == relay::Stream::kStdin) written += record.payload;
      }
      return written.find("a person pushes") != std::string::npos;
    }));
    ASSERT_TRUE(task.UntilEnd());
  }
}

TEST_P(RunnerPolicyTest, TheRestIsForAPerson) {
  struct {
    absl::string_view command, why;
  } kCases[] = {
      {"make", "a rule says so"}, {"git status > out", ""}, {"curl x", ""}};
  for (const auto& one : kCases) {
    TestTask task(&home_, Asks(one.command));
    ASSERT_TRUE(task.Until([&] {
      return !task.state().approvals.empty() &&
             task.state().approvals.begin()->second.consulted;
    })) << one.command;
    const Pending<Approval>& pending = task.state().approvals.begin()->second;
    EXPECT_FALSE(pending.answered);
    EXPECT_THAT(pending.request.explanation, HasSubstr(std::string(one.why)));
    EXPECT_FALSE(pending.request.explanation.empty());
    // The event that asked first is the one that is answered.
    EXPECT_EQ(pending.asked.record < task.state().last_record, true);
    ASSERT_TRUE(task.runner().Respond(Allow(task)).ok());
    ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
    EXPECT_EQ(task.state().settled[0].by, "user");
  }
}

TEST_P(RunnerPolicyTest, EditsOfRulesAlwaysAsk) {
  TestTask allowed(&home_, Edits("docs/a.md"));
  ASSERT_TRUE(allowed.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(allowed.state().settled[0].by, "rule");
  std::filesystem::create_directory(home_.cwd() + "/.troika");
  std::filesystem::create_directory_symlink(".troika", home_.cwd() + "/docs");
  for (const char* path : {".troika/a.rules", "docs/a.rules"}) {
    TestTask task(&home_, Edits(path));
    ASSERT_TRUE(task.Until([&] {
      return !task.state().approvals.empty() &&
             task.state().approvals.begin()->second.consulted;
    })) << path;
    EXPECT_THAT(task.state().approvals.begin()->second.request.explanation,
                HasSubstr("files with rules"));
    ASSERT_TRUE(task.runner().Stop("user", "").ok());
    ASSERT_TRUE(task.UntilRest());
  }
}

TEST_P(RunnerPolicyTest, ADecisionOutlivesItsRunner) {
  std::string id;
  {
    TestTask task(&home_, Asks("git status"));
    id = task.runner().folder().id;
    // The runner is gone as soon as the agent has asked, whatever is decided.
    ASSERT_TRUE(task.Until([&] { return !task.state().approvals.empty(); }));
  }
  // The copied rules still count.
  std::filesystem::remove(home_.home().policy_path() + "/my.rules");
  Write("my.rules", kRules);
  TestTask task(&home_, id);
  ASSERT_TRUE(task.UntilStatus(TaskStatus::kIdle));
  EXPECT_EQ(task.Answer(), "Did it.");
  EXPECT_EQ(task.state().settled[0].by, "rule");
  int answers = 0;
  for (const auto& record :
       relay::ReadLog(task.runner().folder().fd.get()).records) {
    answers += record.stream == relay::Stream::kNote &&
               record.payload.find("\"note\":\"answer\"") != std::string::npos;
  }
  EXPECT_EQ(answers, 1);
}

TEST_P(RunnerPolicyTest, ChangesCountOnlyWhereTheyAreStricter) {
  const std::string twice =
      "ask Bash {\"command\":\"make\"}\nask Bash {\"command\":\"git "
      "diff\"}\nsay Did it.\nok";
  for (const absl::string_view change :
       {"prefix_rule(pattern = [\"git\"], decision = \"prompt\")\n"
        "prefix_rule(pattern = [\"make\"])\n",
        "this is broken(", ""}) {
    Write("my.rules", kRules);
    TestTask task(&home_, Script(twice));
    ASSERT_TRUE(task.Until([&] {
      return !task.state().approvals.empty() &&
             task.state().approvals.begin()->second.consulted;
    }));
    Write("my.rules", change);
    ASSERT_TRUE(task.runner().Respond(Allow(task)).ok());
    ASSERT_TRUE(task.Until([&] {
      return task.state().settled.size() == 1 &&
             !task.state().approvals.empty() &&
             task.state().approvals.begin()->second.consulted;
    })) << change;
    EXPECT_EQ(task.state().status, TaskStatus::kAwaitingApproval);
    ASSERT_TRUE(task.runner().Stop("user", "").ok());
    ASSERT_TRUE(task.UntilRest());
  }
}

INSTANTIATE_TEST_SUITE_P(Wires, RunnerPolicyTest,
                         ::testing::Values(Harness::kClaude, Harness::kCodex,
                                           Harness::kGemini),
                         [](const auto& info) {
                           return std::string(HarnessId(info.param));
                         });

}  // namespace
}  // namespace troika
