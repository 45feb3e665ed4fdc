// Timelines of whole conversations have goldens: goldens/NAME.txt. To rewrite
// them: bazel run //cli/timeline:timeline_test -- --update
#include "cli/timeline/timeline.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "cli/testing.h"
#include "cli/timeline/terminal_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/testing.h"
#include "testdata/streams.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;

constexpr Timeline::Options kPipe = {};
constexpr Timeline::Options kTerminal = {.color = Timeline::Color::kAlways,
                                         .width = 60};

// A stream as a task: asked for, started, ended.
std::string Show(const LogMaker& log, const Timeline::Options& look) {
  Timeline timeline(look);
  Replay replay;
  std::string text;
  for (const LogMaker::Entry& entry : log.entries()) {
    Feed(replay, entry, [&](Message&& m) {
      absl::StrAppend(&text, timeline.Add(m, replay.state()));
    });
  }
  return absl::StrCat(text, timeline.EndLine());
}

std::string ShowStream(const Stream& stream, const Timeline::Options& look) {
  LogMaker log;
  log.Begin(HarnessId(stream.harness)).Spawn(1, 1);
  log.StdoutLines(ReadFileOrDie(stream.path));
  log.Note(notes::Exited{.code = 0});
  return Show(log, look);
}

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

TEST_F(TimelineTest, FoldsLongOutput) {
  std::string output;
  for (int i = 1; i <= 123; ++i) absl::StrAppend(&output, "line ", i, "\n");
  EXPECT_EQ(Add(ToolUse{.id = "t", .name = "Bash", .input_json = "{}"}),
            "● Bash\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "t",
                           .output = output,
                           .is_error = true,
                           .exit_code = 1,
                           .duration = absl::Seconds(75)}),
            "  ⎿ exit 1 · 1m 15s · … 120 more lines\n"
            "    line 121\n    line 122\n    line 123\n");
}

TEST_F(TimelineTest, NamesTheToolOfALateResult) {
  Add(ToolUse{.id = "1", .name = "Bash", .input_json = R"({"command":"a"})"});
  Add(ToolUse{.id = "2", .name = "Bash", .input_json = R"({"command":"b"})"});
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "1", .output = "x"}),
            "  ⎿ Bash a · x\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "2"}), "  ⎿ Bash b\n");
  EXPECT_EQ(Add(ToolResult{.tool_use_id = "none", .output = "x"}), "  ⎿ x\n");
}

TEST_F(TimelineTest, ShowsATodoListWhenItChanges) {
  Todo todo = {{{.text = "look", .status = Todo::Status::kCompleted},
                {.text = "edit", .status = Todo::Status::kInProgress},
                {.text = "test"}}};
  EXPECT_EQ(Add(todo), "  ☒ look\n  ◐ edit\n  ☐ test\n");
  EXPECT_EQ(Add(todo), "");
  todo.items[1].status = Todo::Status::kCompleted;
  EXPECT_EQ(Add(todo), "\n  ☒ look\n  ☒ edit\n  ☐ test\n");
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
            "  … 5 more lines: troika show t1 --event 0.0\n");
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
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kSpawned,
                          .text = "codex 0.166.0"}),
            "codex 0.166.0 started\n");
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kInterruptAsked,
                          .by = "user",
                          .text = "Ctrl-C"}),
            "interrupt asked by user: Ctrl-C\n");
  EXPECT_EQ(Add(Lifecycle{.kind = Lifecycle::Kind::kExited,
                          .text = "exited with code 0",
                          .exit_code = 0}),
            "");
  const Lifecycle killed = {.kind = Lifecycle::Kind::kExited,
                            .text = "killed by signal 9",
                            .signal = 9};
  EXPECT_EQ(Add(killed), "the agent was killed by signal 9\n");
  Add(Result{.is_error = true, .error = "killed by signal 9"});
  EXPECT_EQ(Add(killed), "") << "the result has said it";
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

// Escape characters are ours alone, and only to colour.
void ExpectHarmless(const std::string& text) {
  const std::string plain = absl::StrReplaceAll(text, {{"\x1b[0m", ""},
                                                       {"\x1b[1m", ""},
                                                       {"\x1b[2m", ""},
                                                       {"\x1b[31m", ""},
                                                       {"\x1b[32m", ""},
                                                       {"\x1b[33m", ""},
                                                       {"\x1b[36m", ""}});
  EXPECT_TRUE(json::IsValidUtf8(plain));
  for (const unsigned char c : plain) {
    ASSERT_TRUE(c >= 0x20 || c == '\n' || c == '\t') << Escaped(plain);
  }
}

// Every kind of message, with the same text in all its places.
std::vector<Payload> AllWith(const std::string& x) {
  const std::string json = absl::StrCat(
      "{\"command\":",
      [&] {
        std::string quoted;
        json::AppendQuoted(x, &quoted);
        return quoted;
      }(),
      "}");
  std::vector<Payload> all = {
      Init{.session_id = x, .model = x},
      UserInput{.text = x},
      Text{x},
      Thinking{x},
      ToolUse{.id = "t", .name = x, .server = x, .input_json = json},
      ToolResult{.tool_use_id = "t", .output = x},
      ToolUse{.id = "u", .name = "Bash", .input_json = x},
      ToolResult{.tool_use_id = "u", .output = x, .is_error = true},
      Todo{{{.text = x}}},
      RateLimit{.status = x, .window = x},
      Subagent{.kind = x, .description = x},
      Subagent{.phase = Subagent::Phase::kEnded, .description = x, .status = x},
      Diff{x},
      Notice{.text = x},
      Result{.text = x, .reason = x},
      Result{.is_error = true, .error = x, .hint = x},
      Raw{.type = "stderr", .line = x},
      Raw{.type = x, .line = x, .reason = x},
      ParseError{.error = x, .snippet = x},
      TextDelta{x},
      ThinkingDelta{x},
      ToolOutputDelta{.text = x}};
  for (int i = 0; i <= static_cast<int>(Lifecycle::Kind::kCancelled); ++i) {
    all.push_back(
        Lifecycle{.kind = static_cast<Lifecycle::Kind>(i), .by = x, .text = x});
  }
  for (const auto state : {Approval::State::kAsked, Approval::State::kAllowed,
                           Approval::State::kDenied}) {
    all.push_back(Approval{
        .state = state, .tool_name = x, .input_json = json, .reason = x});
  }
  for (const auto state :
       {Question::State::kAsked, Question::State::kAnswered}) {
    all.push_back(Question{
        .state = state,
        .items = {{.header = x, .text = x, .options = {x}, .answers = {x}}}});
  }
  return all;
}

TEST(TimelineHostileTest, OutputIsHarmless) {
  const std::string texts[] = {"\x1b]0;pwned\x07\x1b[2J\x1b[1;1Hx",
                               "\x1b[31mred\x1b[0m\r\noverwritten\rnew\b\b\x7f",
                               "\xc2\x9b"
                               "2J\xe2\x80\xae",
                               "\xff\xfe\xc0\xaf cut \xe2\x9c",
                               std::string("\0\1\2", 3),
                               std::string(1 << 12, 'x'),
                               std::string(1 << 12, '\n'),
                               absl::StrCat(std::string(200, ' '), "\x1b[",
                                            std::string(1 << 12, ';'), "m"),
                               ""};
  for (const std::string& text : texts) {
    for (const Timeline::Options& look : {kPipe, kTerminal}) {
      Timeline timeline(look);
      TaskState state = {.cwd = text, .status = TaskStatus::kRunning};
      state.ending.text = text;
      std::string shown;
      for (const absl::string_view parent : {"", "t", "nobody"}) {
        for (const Payload& payload : AllWith(text)) {
          absl::StrAppend(
              &shown,
              timeline.Add({.parent_tool_use_id = std::string(parent),
                            .block_id = text,
                            .payload = payload},
                           state),
              timeline.StatusLine(state, absl::UnixEpoch(), 0), "\n");
        }
      }
      ExpectHarmless(shown);
    }
  }
}

TEST(TimelineHostileTest, LongLinesAreCutToTheTerminal) {
  Timeline timeline({.width = 60});
  const TaskState state;
  const std::string long_line(100000, 'x');
  for (const Payload& payload : AllWith(long_line)) {
    if (std::holds_alternative<Text>(payload) ||
        std::holds_alternative<TextDelta>(payload) ||
        std::holds_alternative<Result>(payload)) {
      continue;
    }
    const std::string shown = timeline.Add({.payload = payload}, state);
    for (const absl::string_view line : absl::StrSplit(shown, '\n')) {
      EXPECT_LE(DisplayWidth(line), 60u) << line;
    }
  }
}

TEST(TimelineStreamsTest, EveryStreamIsHarmlessInEveryLook) {
  for (const Stream& stream : AllStreams()) {
    SCOPED_TRACE(stream.path);
    ExpectHarmless(ShowStream(stream, kPipe));
    ExpectHarmless(ShowStream(stream, kTerminal));
  }
}

constexpr absl::string_view kGoldens[] = {
    "claude/control_requests",
    "claude/every_event",
    "claude/simple_partial",
    "claude/subagent",
    "claude/todowrite",
    "claude/tools",
    "codex/commands",
    "codex/error_http401",
    "codex/every_event",
    "codex/file_change",
    "codex/todo_list",
    "gemini/every_event",
    "gemini/tools",
};

std::string GoldenPath(absl::string_view name) {
  return absl::StrCat("cli/timeline/goldens/",
                      absl::StrReplaceAll(name, {{"/", "_"}}), ".txt");
}

// The output for a pipe, then for a terminal with its escapes made visible.
std::string GoldenOf(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/", name, ".jsonl");
  for (const Stream& stream : AllStreams()) {
    if (stream.path != path) continue;
    return absl::StrCat(
        ShowStream(stream, kPipe), "\n===== coloured, 60 columns =====\n",
        absl::StrReplaceAll(ShowStream(stream, kTerminal), {{"\x1b", "␛"}}));
  }
  return absl::StrCat("no ", path);
}

Goldens AllGoldens() {
  Goldens goldens;
  for (const absl::string_view name : kGoldens) {
    goldens[GoldenPath(name)] = GoldenOf(name);
  }
  return goldens;
}

TEST(TimelineGoldensTest, Match) { ExpectGoldens(AllGoldens()); }

}  // namespace
}  // namespace troika::cli

int main(int argc, char** argv) {
  return troika::cli::GoldenMain(argc, argv, troika::cli::AllGoldens);
}
