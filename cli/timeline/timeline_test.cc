#include "cli/timeline/timeline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "cli/testing.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/testing.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;

constexpr Timeline::Options kPipe = {};

// Shows single messages.
class TimelineTest : public ::testing::Test {
 protected:
  std::string Add(Payload payload, absl::string_view block = "",
                  absl::string_view parent = "") {
    Message message = {.parent_tool_use_id = std::string(parent),
                       .block_id = std::string(block),
                       .payload = std::move(payload)};
    return timeline_.Add(message, state_);
  }

  Timeline timeline_{kPipe};
  TaskState state_;
};

TEST_F(TimelineTest, StreamsTextOnce) {
  EXPECT_EQ(Add(TextDelta{"\n"}, "b"), "");
  EXPECT_EQ(Add(TextDelta{"Hel"}, "b"), "Hel");
  EXPECT_TRUE(timeline_.line_open());
  EXPECT_EQ(Add(TextDelta{"lo\nyou"}, "b"), "lo\nyou");
  EXPECT_EQ(Add(Text{"Hello\nyou"}, "b"), "\n");
  EXPECT_FALSE(timeline_.line_open());
  EXPECT_EQ(Add(Text{"next"}, "c"), "\nnext\n");
}

TEST_F(TimelineTest, KeepsTwoStreamsApart) {
  EXPECT_EQ(Add(TextDelta{"one"}, "a"), "one");
  EXPECT_EQ(Add(TextDelta{"two"}, "b", "tool"), "\n\n  │ two");
  EXPECT_EQ(Add(TextDelta{" more"}, "a"), "\n\n more");
  EXPECT_EQ(Add(Text{"two"}, "b", "tool"), "");
  EXPECT_EQ(Add(Text{"one more"}, "a"), "\n");
}

TEST_F(TimelineTest, FoldsLongOutputToAPartOfTheScreen) {
  std::string output;
  for (int i = 1; i <= 123; ++i) absl::StrAppend(&output, "line ", i, "\n");
  const ToolUse use = {.id = "t", .name = "Bash", .input_json = "{}"};
  const ToolResult result = {.tool_use_id = "t",
                             .output = output,
                             .is_error = true,
                             .exit_code = 1,
                             .duration = absl::Seconds(75)};
  timeline_.set_width(60);
  timeline_.set_height(16);
  state_.task = "t1";
  EXPECT_EQ(Add(use), "● Bash\n");
  EXPECT_EQ(Add(result),
            "  ⎿ exit 1 · 1m 15s\n"
            "    … 119 lines more: troika show t1 0.0\n"
            "    line 120\n    line 121\n    line 122\n    line 123\n");
  // A pipe gets all of it.
  timeline_.set_width(0);
  Add(use);
  const std::string all = Add(result);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 124);
  EXPECT_THAT(all, HasSubstr("    line 1\n    line 2\n"));
}

TEST_F(TimelineTest, NothingIsCutInAPipe) {
  const std::string x(1000, 'x');
  state_.task = "t1";
  EXPECT_EQ(
      Add(ToolUse{.id = "t",
                  .name = "Bash",
                  .input_json = absl::StrCat(R"({"command":")", x, R"("})")}),
      absl::StrCat("● Bash  ", x, "\n"));
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "t", .output = x}),
            absl::StrCat("  ⎿ ", x, "\n"));
  EXPECT_EQ(Add(Thinking{x}), absl::StrCat("✻ ", x, "\n"));
  const std::string markdown = "# A\n\n- **b**\n  indented `c`";
  EXPECT_EQ(Add(Text{markdown}), absl::StrCat("\n", markdown, "\n"));
}

TEST_F(TimelineTest, RendersMarkdownByBlocks) {
  timeline_.set_width(40);
  EXPECT_EQ(Add(TextDelta{"# He"}, "b"), "");
  EXPECT_EQ(Add(TextDelta{"ad\n\nsome *te"}, "b"), "Head\n");
  EXPECT_EQ(Add(TextDelta{"xt*\n\n1. one\n\n"}, "b"), "\nsome text\n");
  EXPECT_FALSE(timeline_.line_open());
  EXPECT_EQ(Add(Text{"# Head\n\nsome *text*\n\n1. one\n\n"}, "b"),
            "\n1. one\n");
}

TEST_F(TimelineTest, MeasuresToolsByTheLog) {
  const auto at = [&](int seconds, Payload payload) {
    Message message = {.time = absl::FromUnixSeconds(seconds),
                       .payload = std::move(payload)};
    return timeline_.Add(message, state_);
  };
  at(100, ToolUse{.id = "t", .name = "Bash", .input_json = "{}"});
  at(101, Approval{.id = "a", .tool_use_id = "t", .tool_name = "Bash"});
  at(161, Approval{.id = "a",
                   .state = Approval::State::kAllowed,
                   .tool_use_id = "t",
                   .tool_name = "Bash"});
  // The wait for the answer does not count, nor does what the harness says.
  EXPECT_EQ(at(165, ToolResult{.tool_use_id = "t",
                               .output = "x",
                               .duration = absl::Seconds(1)}),
            "  ⎿ Bash · 5s · x\n");
  state_.turn_started = absl::FromUnixSeconds(100);
  EXPECT_EQ(at(166, Result{.duration = absl::ZeroDuration()}),
            "\n✔ done · 1m 06s\n");
}

TEST_F(TimelineTest, ShowsEditsAsDiffsAndCountsThem) {
  timeline_.set_width(60);
  timeline_.set_height(24);
  state_.cwd = "/w";
  state_.task = "t1";
  EXPECT_EQ(Add(ToolUse{.id = "t",
                        .name = "Edit",
                        .input_json = R"({"file_path":"/w/a.cc",)"
                                      R"("old_string":"a\nb\nc\nd\ne",)"
                                      R"("new_string":"a\nb\nc\nd\nE\nf"})"}),
            "● Edit  a.cc  +2 −1\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "t", .output = "The file …"}),
            "  │   c\n  │   d\n  │ - e\n  │ + E\n  │ + f\n");
  Add(ToolUse{.id = "u",
              .name = "Write",
              .input_json = R"({"file_path":"/w/b","content":"1\n"})"});
  Add(ToolResult{.tool_use_id = "u"});
  // One that fails changes nothing.
  Add(ToolUse{.id = "v",
              .name = "Write",
              .input_json = R"({"file_path":"/w/c","content":"1\n"})"});
  Add(ToolResult{.tool_use_id = "v", .is_error = true});
  EXPECT_EQ(Add(Result{}), "\n✔ done\n  2 files changed, +3 −1: a.cc, b\n");
  EXPECT_EQ(Add(Result{}), "\n✔ done\n");
}

TEST_F(TimelineTest, SaysWhatWouldHaveAllowedIt) {
  Result result = {.denial_count = 1, .denials = {{.tool_name = "Write"}}};
  state_.task = "t1";
  state_.edit_mode = EditMode::kResearch;
  EXPECT_EQ(Add(result),
            "▲ done, but 1 denied: Write\n"
            "  --edit-mode auto_edit would have allowed it: troika resume t1 "
            "--edit-mode auto_edit\n");
  result.denials[0].tool_name = "Bash";
  EXPECT_THAT(Add(result), HasSubstr("--edit-mode full_auto would have"));
  result.denials[0].by = "user";
  EXPECT_EQ(Add(result), "\n▲ done, but 1 denied: Bash\n");
  result.denials[0] = {.tool_name = "AskUser"};
  EXPECT_EQ(Add(result), "\n▲ done, but 1 denied: AskUser\n");
}

TEST_F(TimelineTest, NamesTheToolOfALateResult) {
  Add(ToolUse{.id = "1", .name = "Bash", .input_json = R"({"command":"a"})"});
  Add(ToolUse{.id = "2", .name = "Bash", .input_json = R"({"command":"b"})"});
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "1", .output = "x"}),
            "  ⎿ Bash a · x\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "2"}), "  ⎿ Bash b\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "none", .output = "x"}), "  ⎿ x\n");
}

TEST_F(TimelineTest, DrawsAPlanOnceAndThenItsChanges) {
  Todo todo = {{{.text = "look", .status = Todo::Status::kCompleted},
                {.text = "edit", .status = Todo::Status::kInProgress},
                {.text = "test"}}};
  EXPECT_EQ(Add(todo), "  ☒ look\n  ◐ edit\n  ☐ test\n");
  EXPECT_EQ(Add(todo), "");
  todo.items[1].status = Todo::Status::kCompleted;
  EXPECT_EQ(Add(todo), "\n  ☒ edit\n");
  todo.items.push_back({.text = "ship"});
  EXPECT_EQ(Add(todo), "  ☐ ship\n");
  EXPECT_EQ(Add(Todo{{{.text = "another"}}}), "\n  ☐ another\n");
}

TEST_F(TimelineTest, HidesHarmlessStderr) {
  EXPECT_EQ(Add(Raw{.type = "stderr", .line = "Loaded cached credentials."}),
            "");
  EXPECT_EQ(Add(Raw{.type = "stderr", .line = "boom"}), "stderr: boom\n");
}

TEST_F(TimelineTest, ShowsEveryLineOfABatch) {
  EXPECT_EQ(Add(Raw{.type = "stdout",
                    .line = "one\n\ntwo",
                    .reason = "lines that are no JSON objects",
                    .lines = 3,
                    .first_record = 7}),
            "stdout: one\nstdout: two\n");
}

TEST_F(TimelineTest, AnAnswerIsShownOnce) {
  Approval approval = {.state = Approval::State::kAllowed,
                       .tool_name = "Bash",
                       .choice = "approve_for_session",
                       .by = "user",
                       .via = "page",
                       .delivery = Delivery::kAccepted};
  EXPECT_THAT(Add(approval),
              HasSubstr("✔ allowed for the session: Bash (by user, page)\n"));
  approval.delivery = Delivery::kDelivered;
  EXPECT_EQ(Add(approval), "");
  approval.by.clear();
  EXPECT_THAT(Add(approval), HasSubstr("✔ allowed for the session: Bash\n"))
      << "in a stream, which tells only what was written";
}

TEST_F(TimelineTest, ShowsApprovalsAndQuestions) {
  EXPECT_EQ(Add(Approval{.tool_name = "Bash",
                         .input_json = R"({"command":"rm x"})",
                         .reason = "outside"}),
            "? approval needed: Bash (1 line, 4 bytes)\n  outside\n"
            "  │ rm x\n");
  EXPECT_EQ(Add(Approval{.state = Approval::State::kDenied,
                         .tool_name = "Bash",
                         .reason = "no"}),
            "\n✘ denied: Bash: no\n");
  Question question = {
      .items = {
          {.header = "Colour", .text = "Which?", .options = {"red", "blue"}}}};
  EXPECT_EQ(Add(question), "\n? Colour: Which?\n    1. red\n    2. blue\n");
  question.state = Question::State::kAnswered;
  question.items[0].answers = {"red"};
  EXPECT_EQ(Add(question), "\n✔ Colour: Which? → red\n");
}

TEST_F(TimelineTest, WhatIsApprovedIsNeverCut) {
  timeline_.set_width(40);
  const std::string rows = Add(Approval{
      .id = "a",
      .tool_name = "Bash",
      .input_json = absl::StrCat(R"({"command":"set -e\n)",
                                 std::string(100, 'x'), R"( && touch y"})"),
      .reason = std::string(500, 'r')});
  EXPECT_THAT(rows, HasSubstr("  │ set -e\n  │ xxx"));
  EXPECT_THAT(rows, HasSubstr("touch y"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), 'r'), 501);
  for (const absl::string_view row : absl::StrSplit(rows, '\n')) {
    EXPECT_LE(DisplayWidth(row), 40u);
  }
  EXPECT_EQ(timeline_.last_asked(), "a");
  Add(Text{"more"});
  EXPECT_EQ(timeline_.last_asked(), "");
}

TEST_F(TimelineTest, SaysHowToSeeWhatIsTooLong) {
  timeline_.set_most_rows(5);
  state_.task = "t1";
  EXPECT_EQ(Add(Approval{.id = "a",
                         .tool_name = "Bash",
                         .input_json = R"({"command":"1\n2\n3\n4\n5"})"}),
            "? approval needed: Bash (5 lines, 9 bytes)\n"
            "  … 5 lines more: troika show t1 0.0\n");
  EXPECT_EQ(timeline_.last_asked(), "");
}

TEST_F(TimelineTest, WarningsAreNeverCut) {
  timeline_.set_width(40);
  const std::string text = absl::StrCat(std::string(1000, 'w'), "\nend");
  for (const Notice::Kind kind :
       {Notice::Kind::kError, Notice::Kind::kConfigWarning,
        Notice::Kind::kPermissionDenied, Notice::Kind::kRetrying,
        Notice::Kind::kModelRerouted}) {
    const std::string shown = Add(Notice{.kind = kind, .text = text});
    EXPECT_EQ(std::count(shown.begin(), shown.end(), 'w'), 1000);
    EXPECT_THAT(shown, HasSubstr("\n  end\n"));
  }
  for (const Lifecycle::Kind kind :
       {Lifecycle::Kind::kDeadline, Lifecycle::Kind::kTrouble,
        Lifecycle::Kind::kStartFailed, Lifecycle::Kind::kLeftover}) {
    const std::string shown = Add(Lifecycle{.kind = kind, .text = text});
    EXPECT_EQ(std::count(shown.begin(), shown.end(), 'w'), 1000);
  }
  EXPECT_THAT(Add(Result{.is_error = true, .error = "e", .hint = text}),
              HasSubstr("end\n"));
}

TEST_F(TimelineTest, SaysHowItEnded) {
  Result result = {.text = "42", .duration = absl::Seconds(12)};
  result.usage.turn = TokenCounts{.input = 3610, .cached = 400, .output = 90};
  result.usage.turn_cost = {.usd = 0.0066, .source = CostSource::kReported};
  EXPECT_EQ(Add(result),
            "42\n\n✔ done · 12s · 3.6k in, 400 cached, 90 out · $0.0066\n");
  EXPECT_EQ(Add(Result{.hint = "allow it"}), "\n✔ done\n  hint: allow it\n");
  result = {.is_error = true, .error = "no\nway", .hint = "log in"};
  EXPECT_EQ(Add(result), "\n✘ failed: no\n          way\n  hint: log in\n");
  state_.ending = {.kind = Ending::Kind::kInterrupt,
                   .text = "interrupted by user"};
  EXPECT_EQ(Add(result), "\n■ interrupted by user\n");
}

TEST_F(TimelineTest, TellsLifecyclesThatMatter) {
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kCreated}), "");
  state_.cwd = "/src";
  const Lifecycle spawned = {.kind = Lifecycle::Kind::kSpawned,
                             .text = "codex 0.166.0 · research"};
  EXPECT_EQ(Add(spawned), "");
  EXPECT_EQ(Add(UserInput{"go"}), "❯ go\n");
  EXPECT_EQ(Add(Init{.model = "gpt-5"}),
            "\ncodex 0.166.0 · gpt-5 · /src · research (read only)\n");
  // It is shown again only if it is another.
  Add(spawned);
  EXPECT_EQ(Add(Init{.model = "gpt-5"}), "");
  Add(Lifecycle{.kind = Lifecycle::Kind::kSpawned,
                .text = "codex 0.166.0 · auto_edit"});
  EXPECT_EQ(Add(Thinking{"hm"}),
            "codex 0.166.0 · default model · /src · auto_edit\n✻ hm\n");
  EXPECT_EQ(Add(Init{.model = "gpt-6"}), "model gpt-6\n");
  timeline_.HidePrompt("typed");
  EXPECT_EQ(Add(UserInput{"typed"}), "");
  EXPECT_EQ(Add(UserInput{"typed"}), "\n❯ typed\n");
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kExited,
                          .text = "exited with code 0",
                          .exit_code = 0}),
            "");
  const Lifecycle killed = {.kind = Lifecycle::Kind::kExited,
                            .text = "killed by signal 9",
                            .signal = 9};
  EXPECT_THAT(Add(killed), HasSubstr("the agent was killed by signal 9\n"));
  Add(Result{.is_error = true, .error = "killed by signal 9"});
  EXPECT_EQ(Add(killed), "") << "the result has said it";
}

TEST_F(TimelineTest, AnInterruptIsOneLine) {
  Add(ToolUse{.id = "t", .name = "Bash", .input_json = "{}"});
  state_.turn_open = true;
  state_.status = TaskStatus::kRunning;
  state_.ending = {.kind = Ending::Kind::kInterrupt,
                   .text = "interrupted by user: Ctrl-C"};
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kInterruptAsked,
                          .by = "user",
                          .text = "Ctrl-C"}),
            "");
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kSignalled, .signal = 2}),
            "");
  EXPECT_EQ(Add(Notice{.text = "the agent's work was interrupted"}), "");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "t",
                           .output = "no result",
                           .is_error = true,
                           .synthetic = true}),
            "");
  EXPECT_EQ(Add(Approval{.state = Approval::State::kCancelled}), "");
  EXPECT_THAT(timeline_.StatusLine(state_, absl::UnixEpoch(), 0),
              HasSubstr("ending"));
  EXPECT_EQ(Add(Result{.is_error = true}), "\n■ interrupted by user: Ctrl-C\n");
}

TEST_F(TimelineTest, ADeadlineIsOneLine) {
  const std::string text = "the turn deadline of 1s passed (timeout)";
  state_.turn_open = true;
  state_.ending = {.kind = Ending::Kind::kFailure, .text = text};
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kDeadline, .text = text}),
            "");
  EXPECT_EQ(Add(Notice{.text = "the agent's work was interrupted"}), "");
  EXPECT_EQ(Add(Result{.is_error = true, .error = "interrupted"}),
            absl::StrCat("✘ failed: ", text, "\n"));
  EXPECT_EQ(Add(Result{.is_error = true, .error = text}),
            absl::StrCat("\n✘ failed: ", text, "\n"));
  EXPECT_EQ(Add(Result{.is_error = true, .error = "no disk"}),
            absl::StrCat("\n✘ failed: ", text, "\n          no disk\n"));
}

TEST_F(TimelineTest, ACancelledTaskHasNotFailed) {
  state_.status = TaskStatus::kCancelled;
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kCancelled,
                          .by = "user",
                          .text = "not now"}),
            "■ cancelled by user: not now\n");
  EXPECT_EQ(Add(Result{.is_error = true, .error = "cancelled: not now"}), "");
}

TEST_F(TimelineTest, ShowsWhatTheAgentDoes) {
  const absl::Time now = absl::UnixEpoch() + absl::Hours(1);
  state_.status = TaskStatus::kRunning;
  state_.turn_started = now - absl::Seconds(12);
  EXPECT_EQ(timeline_.StatusLine(state_, now, 0), "⠋ running · 12s");
  state_.usage = {.input = 3000, .cached = 400};
  Add(ToolUse{
      .id = "t", .name = "Bash", .input_json = R"({"command":"npm test"})"});
  EXPECT_EQ(timeline_.StatusLine(state_, now, 11),
            "⠙ running · Bash npm test · 12s · 3.4k tokens");
  timeline_.set_width(24);
  const std::string line = timeline_.StatusLine(state_, now, 1);
  EXPECT_LT(DisplayWidth(line), 24u);
  Add(ToolResult{.tool_use_id = "t"});
  Add(ThinkingDelta{"hm"});
  timeline_.set_width(80);
  EXPECT_THAT(timeline_.StatusLine(state_, now, -1), HasSubstr("thinking"));
}

}  // namespace
}  // namespace troika::cli
