#include "cli/dashboard/model.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/dashboard/testing.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Kind = DashboardAction::Kind;

constexpr absl::string_view kHelp =
    "usage: troika dashboard\n\nShows.\n\n  j, k   moves\n  q      leaves\n\n"
    "Exit code: 0\n";

class ModelTest : public testing::Test {
 protected:
  ModelTest()
      : editor_(*LineEditor::Open()),
        model_({.home = "/home/me",
                .help = kHelp,
                .defaults = {.prompt = "",
                             .harness = "claude",
                             .cwd = "/home/me",
                             .edit_mode = "ask"},
                .choices = {.harnesses = {{.id = "claude"}, {.id = "codex"}},
                            .edit_modes = {{.id = "ask"}, {.id = "native"}}}},
               editor_.get()) {}

  void List(std::vector<v1::Task> tasks) {
    model_.book().TakeList(std::move(tasks), TaskBook::More::kNo, now_);
    model_.Update(Now());
  }

  Moment Now() const { return {.now = now_, .awake = now_}; }

  // Types the keys with a second between them.
  std::vector<DashboardAction> Press(absl::string_view bytes) {
    std::vector<DashboardAction> actions;
    KeyDecoder decoder;
    std::vector<Key> keys = decoder.Feed(bytes);
    for (Key& key : decoder.Expire()) keys.push_back(std::move(key));
    for (const Key& key : keys) {
      now_ += absl::Seconds(1);
      model_.Draw(size_, Now());
      for (DashboardAction& action : model_.OnKey(key, Now())) {
        actions.push_back(std::move(action));
      }
      model_.Update(Now());
      PresentAsked();
    }
    return actions;
  }

  std::string Screen() {
    const Frame frame = model_.Draw(size_, Now());
    EXPECT_LE(frame.rows.size(), size_.rows);
    std::string text;
    for (const std::string& row : frame.rows) {
      EXPECT_LE(DisplayWidth(row), size_.columns) << row;
      absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(row), "\n");
    }
    return text;
  }

  // The watched task asks for a command.
  void Ask(const std::string& id, absl::string_view input) {
    Approval approval;
    approval.id = id;
    approval.tool_name = "Bash";
    approval.input_json = std::string(input);
    state_.approvals[id] = {.asked = {++asked_, 0}, .request = approval};
    Watch();
  }
  void Watch() {
    model_.SetWatched({.id = model_.selected(), .state = &state_});
    model_.Update(Now());
  }
  void PresentAsked() {
    const std::string wanted = model_.TakeWanted();
    if (wanted.empty()) return;
    Asked asked;
    if (state_.approvals.contains(wanted)) {
      asked.payload = state_.approvals.at(wanted).request;
    } else {
      asked.payload = state_.questions.at(wanted).request;
    }
    model_.Present(wanted, asked);
  }

  absl::Time now_ = kNoon;
  ScreenSize size_ = {.columns = 80, .rows = 24};
  std::unique_ptr<LineEditor> editor_;
  Model model_;
  TaskState state_;
  int64_t asked_ = 0;
};

TEST_F(ModelTest, ShowsTheListAndTheTimeline) {
  EXPECT_THAT(Screen(), HasSubstr("connecting"));
  List({});
  EXPECT_THAT(Screen(), HasSubstr("There are no tasks yet: n makes one."));
  List({MakeTask("t1", v1::Task::running),
        MakeTask("t2", v1::Task::awaiting_approval)});
  model_.transcript().Add("one row\n");
  Watch();
  EXPECT_THAT(Screen(), HasSubstr("troika  1 needs you · 1 running\n"
                                  "needs you 1\n"
                                  "▸ ? title of t2"));
  EXPECT_THAT(Screen(),
              HasSubstr("── title of t2  awaiting approval · claude · "
                        "~/app ─"));
  EXPECT_THAT(Screen(), HasSubstr("\none row\n"));
  EXPECT_THAT(Screen(), HasSubstr("\na answer  i write  Enter attach"));
  // A wide screen has both beside each other.
  size_ = {.columns = 120, .rows = 24};
  EXPECT_THAT(Screen(), HasSubstr(" │ one row\n"));
}

TEST_F(ModelTest, SaysHowToGetToTheEndFromWhereTheUserIs) {
  List({MakeTask("t1", v1::Task::running)});
  for (int i = 0; i < 50; ++i) model_.transcript().Add("a row\n");
  Watch();
  Press("\tg");
  EXPECT_THAT(Screen(), HasSubstr("scrolled up: G shows the end"));
  Press("\t");
  EXPECT_THAT(Screen(), HasSubstr("scrolled up: Tab, then G shows the end"));
  Press("\tG");
  EXPECT_THAT(Screen(), Not(HasSubstr("scrolled up")));
}

TEST_F(ModelTest, TheSelectionStaysWithItsTask) {
  List({MakeTask("t1", v1::Task::running), MakeTask("t2", v1::Task::running),
        MakeTask("t3", v1::Task::running)});
  EXPECT_EQ(model_.selected(), "t3");
  Press("j");
  EXPECT_EQ(model_.selected(), "t2");
  model_.book().Put(MakeTask("t1", v1::Task::awaiting_answer), kNoon);
  model_.book().Put(MakeTask("t2", v1::Task::done), kNoon);
  model_.Update(Now());
  EXPECT_EQ(model_.selected(), "t2");
  Press("g");
  EXPECT_EQ(model_.selected(), "t1");
  Press("G\x1b[A\x1b[5~");
  EXPECT_EQ(model_.selected(), "t1");
  // A task that is gone is followed by the one at its place.
  Press("j");
  model_.book().Remove("t3");
  model_.Update(Now());
  EXPECT_EQ(model_.selected(), "t2");
}

TEST_F(ModelTest, AnApprovalIsAnsweredAfterItWasSeen) {
  List({MakeTask("t1", v1::Task::done),
        MakeTask("t2", v1::Task::awaiting_approval)});
  Press("G");
  EXPECT_EQ(model_.selected(), "t1");
  // Goes to the task that asks.
  EXPECT_THAT(Press("a"), IsEmpty());
  EXPECT_EQ(model_.selected(), "t2");
  Ask("p1", R"({"command":"rm -r build"})");
  PresentAsked();
  EXPECT_THAT(Screen(), HasSubstr("  │ rm -r build"));
  EXPECT_THAT(Screen(), HasSubstr("allow Bash (1 line, 11 bytes)? rm -r build\n"
                                  "y(es), or n(o)\n"
                                  "?\n"));
  const auto actions = Press("y\r");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kRespond);
  EXPECT_EQ(actions[0].task, "t2");
  EXPECT_EQ(actions[0].response.id(), "p1");
  // A second Enter right after it does not attach.
  EXPECT_THAT(model_.OnKey({.kind = Key::Kind::kEnter}, Now()), IsEmpty());
  // It is not asked again, unless the server refuses.
  Press("a");
  EXPECT_THAT(Screen(), HasSubstr("no agent asks anything"));
  model_.AnswerRefused();
  model_.Update(Now());
  Press("a");
  EXPECT_THAT(Screen(), HasSubstr("rm -r build"));
}

TEST_F(ModelTest, ALongApprovalIsSeenByScrolling) {
  List({MakeTask("t2", v1::Task::awaiting_approval)});
  std::string script;
  for (int i = 0; i < 40; ++i) absl::StrAppend(&script, "echo ", i, "\\n");
  Ask("p1", absl::StrCat("{\"command\":\"", script, "\"}"));
  Press("a");
  EXPECT_THAT(Screen(), HasSubstr(": PgDn shows the rest"));
  EXPECT_THAT(Screen(), HasSubstr("the word allow"));
  EXPECT_THAT(Press("y\r"), IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("not all of it was shown"));
  Press("\x1b[6~\x1b[6~\x1b[6~\x1b[6~");
  EXPECT_THAT(Screen(), HasSubstr("echo 39"));
  EXPECT_THAT(Screen(), HasSubstr("y(es), or n(o)"));
  EXPECT_EQ(Press("y\r").size(), 1u);
}

TEST_F(ModelTest, ADenialHasAReason) {
  List({MakeTask("t2", v1::Task::awaiting_approval)});
  Ask("p1", R"({"command":"make"})");
  Press("an\r");
  EXPECT_THAT(Screen(), HasSubstr("why not?"));
  const auto actions = Press("use ninja\r");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_THAT(actions[0].response.ShortDebugString(), HasSubstr("use ninja"));
}

TEST_F(ModelTest, AMessageThatWasBegunIsNoAnswerAndIsKept) {
  List({MakeTask("t1", v1::Task::running), MakeTask("t2", v1::Task::running)});
  Watch();
  Press("ihalf a ");
  Ask("p1", R"({"command":"ls"})");
  EXPECT_THAT(Screen(), HasSubstr("\n❯ half a\n"));
  EXPECT_THAT(Press("y"), IsEmpty());
  // Tab answers; the message waits.
  Press("\t");
  EXPECT_THAT(Screen(), HasSubstr("\n?\n"));
  Press("\t\x1b");
  EXPECT_THAT(Screen(), HasSubstr("your message is kept"));
  Press("jk");
  Watch();
  EXPECT_THAT(Press("i"), IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("\n❯ half a y\n"));
  const auto actions = Press("\r");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kSend);
  EXPECT_EQ(actions[0].text, "half a y");
  // A message that the server refuses comes back.
  model_.KeepDraft("t2", "half a y");
  Press("i");
  EXPECT_THAT(Screen(), HasSubstr("\n❯ half a y\n"));
}

TEST_F(ModelTest, AnEnterRightAfterAnotherQuestionIsNotTaken) {
  List({MakeTask("t2", v1::Task::awaiting_approval)});
  Ask("p1", R"({"command":"ls"})");
  Press("a");
  // Somebody else answers, and the agent asks for more.
  state_.approvals.clear();
  Ask("p2", R"({"command":"rm"})");
  PresentAsked();
  Screen();
  model_.OnKey({.text = "y"}, Now());
  EXPECT_THAT(model_.OnKey({.kind = Key::Kind::kEnter}, Now()), IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("Enter again"));
  EXPECT_EQ(Press("\r").size(), 1u);
}

TEST_F(ModelTest, AQuestionTakesANumber) {
  List({MakeTask("t2", v1::Task::awaiting_answer)});
  Question question;
  question.id = "q1";
  Question::Item& item = question.items.emplace_back();
  item.text = "Which?";
  item.options = {"red", "green"};
  state_.questions["q1"] = {.asked = {1, 0}, .request = question};
  Watch();
  Press("a");
  EXPECT_THAT(Screen(), HasSubstr("2. green"));
  const auto actions = Press("2\r");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_THAT(actions[0].response.ShortDebugString(), HasSubstr("green"));
}

TEST_F(ModelTest, StopAndInterruptAreConfirmed) {
  List({MakeTask("t2", v1::Task::running)});
  EXPECT_THAT(Press("s"), IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("stop the agent of \"title of t2\"?"));
  EXPECT_THAT(Press("n"), IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("nothing was done"));
  Press("s");
  auto actions = Press("y");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kStop);
  Press("x");
  actions = Press("y");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kInterrupt);
}

TEST_F(ModelTest, FiltersWhileTheUserTypes) {
  List({MakeTask("t1", v1::Task::running), MakeTask("t2", v1::Task::running)});
  Press("/of t1");
  EXPECT_THAT(Screen(), Not(HasSubstr("title of t2")));
  EXPECT_EQ(model_.selected(), "t1");
  const auto actions = Press("\r");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kSearch);
  EXPECT_EQ(actions[0].text, "of t1");
  Press("\x1b");
  EXPECT_THAT(Screen(), HasSubstr("title of t2"));
  Press("/nothing\x1b");
  EXPECT_THAT(Screen(), HasSubstr("title of t2"));
}

TEST_F(ModelTest, ANewTaskIsDescribedInAForm) {
  List({});
  auto actions = Press("n");
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::kReadHarnesses);
  Press("do it");
  EXPECT_THAT(Screen(), HasSubstr("Enter starts it"));
  Press("\t");
  EXPECT_THAT(Screen(), HasSubstr("▸ harness   ‹ claude ›"));
  EXPECT_THAT(Screen(), HasSubstr("Enter back to the prompt"));
  Press("\x1b[C\t/x\t");
  // Left by Escape, it has the same when it is opened again.
  Press("\x1b");
  actions = Press("n\r");
  ASSERT_EQ(actions.size(), 2u);
  EXPECT_EQ(actions[1].kind, Kind::kCreate);
  EXPECT_EQ(actions[1].new_task.prompt, "do it");
  EXPECT_EQ(actions[1].new_task.harness, "codex");
  EXPECT_EQ(actions[1].new_task.cwd, "/home/me/x");
  EXPECT_EQ(actions[1].new_task.edit_mode, "ask");
}

TEST_F(ModelTest, ATaskThatWasNotMadeReplacesNoOtherPrompt) {
  List({});
  NewTask task = Press("nfirst\r")[1].new_task;
  Press("nsecond");
  EXPECT_FALSE(model_.RestoreForm(task));
  EXPECT_THAT(Screen(), HasSubstr("▸ prompt    second\n"));
  Press("\x1b");
  EXPECT_FALSE(model_.RestoreForm(task));
  EXPECT_EQ(Press("n\r")[1].new_task.prompt, "second");
  // An empty form takes it, open or not.
  Press("n");
  EXPECT_TRUE(model_.RestoreForm(task));
  EXPECT_EQ(Press("\r")[0].new_task.prompt, "first");
  EXPECT_TRUE(model_.RestoreForm(task));
  EXPECT_EQ(Press("n\r")[1].new_task.prompt, "first");
}

TEST_F(ModelTest, ATaskIsNotMadeOfAPromptThatWasCut) {
  List({});
  Press("n");
  const std::string paste(LineEditor::kMaxCharacters + 1, 'x');
  EXPECT_THAT(Press(absl::StrCat("\x1b[200~", paste, "\x1b[201~\r")),
              IsEmpty());
  EXPECT_THAT(Screen(), HasSubstr("the text is too long: put it into a file"));
  // The user has seen what is left of it.
  EXPECT_EQ(Press("\x15short\r").at(0).new_task.prompt, "short");
}

TEST_F(ModelTest, WhatWasTypedIsNotLost) {
  List({MakeTask("t1", v1::Task::running), MakeTask("t2", v1::Task::running)});
  Watch();
  Press("ifor a task that goes");
  model_.book().Remove("t2");
  model_.Update(Now());
  EXPECT_THAT(Screen(), HasSubstr("the task was deleted: Up in another"));
  EXPECT_THAT(model_.TakeOrphans(), ElementsAre("for a task that goes"));
  EXPECT_THAT(model_.TakeOrphans(), IsEmpty());
  Watch();
  Press("ihalf a message\x1b");
  Press("nhalf a prompt");
  EXPECT_THAT(model_.TakeDrafts(),
              ElementsAre("half a message", "half a prompt"));
  EXPECT_THAT(model_.TakeDrafts(), IsEmpty());
}

TEST_F(ModelTest, ATaskWaitsUntilTheHarnessesAreKnown) {
  NewTaskForm form({.prompt = "do it"}, {.harnesses = {{.id = "codex"}}});
  form.Open(editor_.get());
  const Key enter = {.kind = Key::Kind::kEnter};
  EXPECT_EQ(form.OnKey(enter, editor_.get()), NewTaskForm::Result::kNotRead);
  form.SetHarnesses({{.id = "codex", .usable = false}, {.id = "claude"}});
  EXPECT_EQ(form.OnKey(enter, editor_.get()), NewTaskForm::Result::kCreate);
  EXPECT_EQ(form.task().harness, "claude");
  // One that was found is better than none.
  NewTaskForm found({}, {});
  found.SetHarnesses({{.id = "codex", .found = false, .usable = false},
                      {.id = "claude", .usable = false},
                      {.id = "gemini", .usable = false}});
  EXPECT_EQ(found.task().harness, "claude");
  // A server that can't say is not waited for.
  NewTaskForm unknown({.prompt = "do it"}, {.harnesses = {{.id = "codex"}}});
  unknown.Open(editor_.get());
  unknown.SetHarnesses({});
  EXPECT_EQ(unknown.OnKey(enter, editor_.get()), NewTaskForm::Result::kCreate);
}

TEST_F(ModelTest, AnyTextIsHarmless) {
  v1::Task task = MakeTask("t1", v1::Task::running);
  task.set_title(
      "a\x1b[2Jb\u202e"
      "c\xff\n\t漢字漢字 e\u0301");
  task.set_harness("\x1b]0;x\a");
  task.set_cwd("/\x1b[31m");
  List({task});
  model_.Say("\x1b[2J");
  model_.SetServerProblem("\x1b[2J");
  const std::string screen = Screen();
  for (const char c : screen) {
    EXPECT_FALSE(c != '\n' &&
                 absl::ascii_iscntrl(static_cast<unsigned char>(c)))
        << static_cast<int>(c);
  }
  EXPECT_FALSE(absl::StrContains(screen, "\u202e"));
}

TEST_F(ModelTest, TheKeysAreScrolledIfTheyDoNotFit) {
  std::string help = "usage: troika dashboard\n\nShows.\n\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&help, "  k", i, "  does\n");
  absl::StrAppend(&help, "\nExit code: 0\n");
  Model model({.help = help}, editor_.get());
  const auto shown = [&] {
    return absl::StrJoin(model.Draw({.columns = 50, .rows = 12}, Now()).rows,
                         "\n");
  };
  model.OnKey({.text = "?"}, Now());
  EXPECT_THAT(shown(), HasSubstr("k0  does"));
  EXPECT_THAT(shown(), HasSubstr("PgUp/PgDn scroll  any other key goes back"));
  for (int i = 0; i < 3; ++i)
    model.OnKey({.kind = Key::Kind::kPageDown}, Now());
  EXPECT_THAT(shown(), HasSubstr("k19  does"));
  EXPECT_THAT(shown(), Not(HasSubstr("k0  does")));
  model.OnKey({.text = "q"}, Now());
  EXPECT_THAT(shown(), HasSubstr("q quit"));
}

TEST_F(ModelTest, SmallScreensAndTheKeys) {
  List({MakeTask("t2", v1::Task::awaiting_approval)});
  Ask("p1", R"({"command":"ls"})");
  for (size_t columns = 1; columns < 140; columns += 20) {
    for (size_t rows = 1; rows < 40; rows += 8) {
      size_ = {.columns = columns, .rows = rows};
      for (const char* key : {"", "?", "?", "a", "\x1b", "/", "\x1b", "n",
                              "\x1b", "s", "n", "\t", "\t"}) {
        Press(key);
        Screen();
      }
    }
  }
  size_ = {.columns = 39, .rows = 24};
  EXPECT_THAT(Screen(), HasSubstr("too small: 40×10"));
  // Keys whose effect can't be seen have none.
  EXPECT_THAT(Press("sy"), IsEmpty());
  EXPECT_THAT(Press("s"), IsEmpty());
  EXPECT_THAT(Press("y"), IsEmpty());
  EXPECT_EQ(Press("q").at(0).kind, Kind::kQuit);
  EXPECT_EQ(Press("\x03").at(0).kind, Kind::kQuit);
  size_ = {.columns = 40, .rows = 10};
  Press("?");
  EXPECT_THAT(Screen(), HasSubstr("  j, k   moves\n  q      leaves\n"));
  Press("?");
  EXPECT_EQ(Press("q")[0].kind, Kind::kQuit);
}

}  // namespace
}  // namespace troika::cli
