// What the commands that ask the server share.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/approvals/asker.h"
#include "cli/approvals/pager.h"
#include "cli/approvals/respond.h"
#include "cli/commands/doctor_checks.h"
#include "cli/commands/task_fold.h"
#include "cli/commands/task_text.h"
#include "cli/commands/turn_flags.h"
#include "cli/timeline/table.h"
#include "dto/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TableTest, LinesUpAndCutsTheLastColumn) {
  Table table({"ID", "TITLE"});
  EXPECT_TRUE(table.empty());
  table.Add({"t1", "a\nb \x1b[2J"});
  table.Add({"longer", std::string(50, 'x')});
  EXPECT_EQ(table.Text(20),
            "ID      TITLE\n"
            "t1      a b ␛[2J\n"
            "longer  xxxxxxxxxxx…\n");
  EXPECT_THAT(table.Text(0), HasSubstr(std::string(50, 'x')));
  // A terminal that is too narrow for anything.
  EXPECT_THAT(table.Text(1), HasSubstr("longer  xxxxxxxxx…"));
}

TaskState Asking() {
  TaskState state;
  state.task = "t1";
  state.approvals["b"] = {.asked = {4, 0}, .tool_name = "Bash"};
  state.approvals["a"] = {.asked = {5, 0}, .tool_name = "Edit"};
  state.questions["q"] = {
      .asked = {6, 0},
      .items = {
          {.text = "Which?", .options = {"red", "blue"}},
          {.text = "Any?", .options = {"x", "y", "z"}, .multi_select = true}}};
  return state;
}

// The answer that `line` completes.
v1::RespondRequest Typed(Asker& asker, absl::string_view line) {
  const auto answer = asker.Type(line);
  EXPECT_TRUE(answer.ok() && answer->has_value()) << answer.status();
  return answer.ok() && answer->has_value() ? **answer : v1::RespondRequest();
}

TEST(AskerTest, AsksOneAfterTheOther) {
  TaskState state = Asking();
  Asker asker;
  asker.Update(state);
  EXPECT_EQ(asker.id(), "b");
  asker.Describe("allow Bash (1 line, 2 bytes)? ls", Asker::Seen::kAll);
  EXPECT_EQ(asker.prompt(),
            "allow Bash (1 line, 2 bytes)? ls\n"
            "y(es), n(o), or r to deny it with a reason: ");
  v1::RespondRequest answer = Typed(asker, "Yes\n");
  EXPECT_EQ(answer.id(), "b");
  EXPECT_TRUE(answer.approval().allow());
  // The answer is under way, and its event has not come.
  asker.Update(state);
  EXPECT_EQ(asker.id(), "a");
  EXPECT_FALSE(Typed(asker, " NO ").approval().allow());
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
  // A reason comes after a choice of its own, and can be taken back.
  EXPECT_FALSE(asker.Type("r")->has_value());
  EXPECT_THAT(asker.prompt(), HasSubstr("why not?"));
  EXPECT_FALSE(asker.Type("")->has_value());
  EXPECT_THAT(asker.prompt(), HasSubstr("y(es)"));
  EXPECT_FALSE(asker.Type("R")->has_value());
  const v1::RespondRequest denied = Typed(asker, "yes\xff");
  EXPECT_FALSE(denied.approval().allow());
  EXPECT_EQ(denied.approval().reason(), "yes\xEF\xBF\xBD");
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

TEST(AskerTest, OwnWordsAreAnAnswer) {
  const PendingQuestion::Item item = {.options = {"a", "b"}};
  EXPECT_THAT(*ReadChoice(item, "the 2nd one, please"),
              ElementsAre("the 2nd one, please"));
  EXPECT_THAT(*ReadChoice(item, " B "), ElementsAre("b"));
  EXPECT_THAT(*ReadChoice({}, "7"), ElementsAre("7"));
  EXPECT_FALSE(ReadChoice(item, "  ").ok());
}

v1::Task Waiting() {
  v1::Task task;
  task.set_id("t1");
  task.set_state(v1::Task::awaiting_approval);
  task.set_cwd("/w");
  v1::Approval& approval = *task.add_approvals();
  approval.set_id("a1");
  approval.set_tool_name("Bash");
  (*approval.mutable_input()
        ->mutable_struct_value()
        ->mutable_fields())["command"]
      .set_string_value("rm -r build");
  v1::Question& question = *task.add_questions();
  question.set_id("q1");
  question.add_items()->set_text("Which?");
  question.mutable_items(0)->add_options("red");
  return task;
}

TEST(RespondTest, FindsWhatWaits) {
  v1::Task task = Waiting();
  EXPECT_EQ(MakeResponse(task, {})->id(), "a1");
  EXPECT_TRUE(MakeResponse(task, {})->approval().allow());
  const auto denied = MakeResponse(
      task, {.id = "a1", .kind = Reply::Kind::kDeny, .reason = "no"});
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
              HasSubstr("1 answers are asked for, and 2 were given"));
  task.add_approvals()->set_id("a2");
  EXPECT_THAT(std::string(MakeResponse(task, {}).status().message()),
              HasSubstr("give the id of one: a1, a2"));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(MakeResponse(v1::Task(), {}).status()));
}

TEST(TaskTextTest, SaysWhatWaitsAndHowToAnswer) {
  v1::Task task = Waiting();
  task.mutable_approvals(0)->set_reason("it is\nold");
  const std::string text = Describe(task, {.now = absl::UnixEpoch()});
  EXPECT_THAT(text, HasSubstr("state      awaiting approval\n"));
  EXPECT_THAT(text, HasSubstr("? approval needed: Bash (1 line, 11 bytes)\n"
                              "  it is\n  old\n  │ rm -r build\n"));
  EXPECT_THAT(text, HasSubstr("can't be read"));
  const std::string exact = Describe(
      task, {.now = absl::UnixEpoch(),
             .columns = 40,
             .inputs = {{"a1", R"({"command":"a\nb","n":9007199254740993})"}}});
  EXPECT_THAT(exact, HasSubstr("  │ a\n  │ b\n  n: 9007199254740993\n"));
  EXPECT_THAT(exact, Not(HasSubstr("can't be read")));
  EXPECT_THAT(text, HasSubstr("  troika respond t1 a1 --allow, or --deny\n"));
  EXPECT_THAT(text, HasSubstr("? Which?\n    1. red\n"));
  EXPECT_THAT(text, HasSubstr("  troika respond t1 q1 --answer TEXT\n"));
  EXPECT_THAT(text, Not(HasSubstr("session")));
}

TEST(TaskTextTest, LinesAreHarmless) {
  v1::Task task;
  task.set_id("t1");
  task.set_title("a\x1b]0;x\n b");
  task.set_state(v1::Task::queued);
  task.set_queue_position(3);
  EXPECT_EQ(TaskLine(task), "t1  queued (3)  a␛]0;x b\n");
  EXPECT_EQ(AgeText(absl::Seconds(-5)), "0s");
  EXPECT_EQ(AgeText(absl::Minutes(90)), "1h");
  EXPECT_EQ(AgeText(absl::Hours(49)), "2d");
}

TEST(TaskFoldTest, CountsEventsIn) {
  v1::Task task;
  task.set_id("t1");
  task.set_harness("codex");
  task.set_turns(2);
  task.set_state(v1::Task::idle);
  TaskFold fresh(task, TaskFold::From::kStart);
  EXPECT_EQ(fresh.state().turns, 0);
  EXPECT_EQ(fresh.state().harness, Harness::kCodex);
  TaskFold later(task, TaskFold::From::kTask);
  EXPECT_EQ(later.state().status, TaskStatus::kIdle);
  const auto asked = later.Take(
      R"({"id":"9.0","lifecycle":{"kind":"turn_asked","generation":1}})");
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(asked->id, (EventId{9, 0}));
  EXPECT_EQ(later.state().turns, 3);
  EXPECT_EQ(later.state().status, TaskStatus::kRunning);
  EXPECT_FALSE(later.was_cut());
  ASSERT_TRUE(later
                  .Take(R"({"id":"9.1","text":{"text":"a"},)"
                        R"("cut":[{"field":"text","size":"9"}]})")
                  .ok());
  EXPECT_TRUE(later.was_cut());
  later.Restart();
  EXPECT_EQ(later.state().turns, 0);
  // What waits already is known from the task.
  v1::Task waiting = Waiting();
  waiting.mutable_approvals(0)->set_event_id("7.2");
  const TaskFold asked_before(waiting, TaskFold::From::kTask);
  EXPECT_EQ(asked_before.state().approvals.at("a1").asked, (EventId{7, 2}));
  EXPECT_EQ(asked_before.state().questions.at("q1").items[0].text, "Which?");
  EXPECT_FALSE(later.Take("no event").ok());
}

TEST(DoctorTest, ReadsLogindAsSystemdDoes) {
  EXPECT_FALSE(KillsUserProcesses({"", "#KillUserProcesses=yes\n"}));
  EXPECT_TRUE(KillsUserProcesses({"[Login]\n KillUserProcesses = Yes \n"}));
  EXPECT_FALSE(
      KillsUserProcesses({"KillUserProcesses=yes\n", "KillUserProcesses=no"}));
}

TEST(DoctorTest, WarnsWhereALogoutEndsAgents) {
  namespace fs = std::filesystem;
  const std::string root =
      absl::StrCat(getenv("TEST_TMPDIR"), "/root", getpid());
  const Environment me({{"USER", "me"}, {"HOME", "/home/me"}});
  EXPECT_THAT(CheckLogout(root, me), IsEmpty());
  fs::create_directories(root + "/run/systemd/system");
  fs::create_directories(root + "/etc/systemd");
  EXPECT_EQ(CheckLogout(root, me)[0].level, Check::Level::kOk);
  std::ofstream(root + "/etc/systemd/logind.conf") << "KillUserProcesses=yes";
  EXPECT_THAT(CheckLogout(root, me)[0].text, HasSubstr("KillUserProcesses"));
  fs::create_directories(root + "/home/me/.config/systemd/user");
  std::ofstream(root + "/home/me/.config/systemd/user/troika.service") << "x";
  EXPECT_THAT(CheckLogout(root, me)[0].text, HasSubstr("enable-linger"));
  fs::create_directories(root + "/var/lib/systemd/linger");
  std::ofstream(root + "/var/lib/systemd/linger/me") << "";
  EXPECT_EQ(CheckLogout(root, me)[0].level, Check::Level::kOk);
}

TEST(DoctorTest, OneUsableHarnessIsEnough) {
  v1::ListHarnessesResponse list;
  v1::HarnessInfo& codex = *list.add_harnesses();
  codex.set_id("codex");
  codex.set_hint("npm install it");
  auto checks = CheckHarnesses(list);
  EXPECT_EQ(checks.back().level, Check::Level::kBad);
  EXPECT_THAT(checks[0].text, HasSubstr("not found; npm install it"));
  codex.set_path("/bin/codex");
  codex.set_logged_in(false);
  EXPECT_EQ(CheckHarnesses(list).back().level, Check::Level::kBad);
  codex.set_logged_in(true);
  EXPECT_EQ(CheckHarnesses(list).back().level, Check::Level::kOk);
}

TEST(DoctorTest, ASandboxThatCantWorkIsAWarning) {
  v1::ListHarnessesResponse list;
  v1::HarnessInfo& codex = *list.add_harnesses();
  codex.set_id("codex");
  codex.set_path("/bin/codex");
  codex.set_logged_in(true);
  codex.set_sandbox_error("it can't set up its sandbox; do this");
  const auto checks = CheckHarnesses(list);
  ASSERT_EQ(checks.size(), 2);
  EXPECT_EQ(checks[0].level, Check::Level::kOk);
  EXPECT_EQ(checks[1].level, Check::Level::kWarning);
  EXPECT_EQ(checks[1].name, "codex");
  EXPECT_EQ(checks[1].text, "it can't set up its sandbox; do this");
}

TEST(DoctorTest, TheFolderIsTheOwnersAlone) {
  const std::string home =
      absl::StrCat(getenv("TEST_TMPDIR"), "/state", getpid());
  std::filesystem::create_directories(home);
  chmod(home.c_str(), 0700);
  EXPECT_EQ(CheckHome(home)[0].level, Check::Level::kOk);
  chmod(home.c_str(), 0755);
  EXPECT_THAT(CheckHome(home)[0].text, HasSubstr("chmod 700"));
  EXPECT_EQ(CheckHome(home + "/none")[0].level, Check::Level::kBad);
}

TEST(TurnFlagsTest, ExcludeEachOther) {
  for (const char* other : {"--json", "--detach"}) {
    TurnFlags turn;
    Flags flags;
    turn.AddTo(&flags);
    ASSERT_TRUE(flags.Parse({"--quiet", other}).ok());
    EXPECT_THAT(std::string(turn.Options().status().message()),
                HasSubstr("exclude each other"));
  }
}

}  // namespace
}  // namespace troika::cli
