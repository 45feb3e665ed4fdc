// What timelines show of whole conversations, and of hostile output. Recorded
// streams have goldens: goldens/NAME.txt. To rewrite them:
// bazel run //cli/timeline:timeline_test -- --update
#include "testdata/streams.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "cli/testing.h"
#include "cli/timeline/terminal_text.h"
#include "cli/timeline/timeline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "task/replay.h"
#include "task/testing.h"

namespace troika::cli {
namespace {

using ::testing::HasSubstr;

constexpr Timeline::Options kPipe = {};
constexpr Timeline::Options kTerminal = {
    .color = Timeline::Color::kAlways, .width = 80, .height = 24};

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

// Escape characters are ours alone, and only to colour.
void ExpectHarmless(const std::string& text) {
  const std::string plain = absl::StrReplaceAll(text, {{"\x1b[0m", ""},
                                                       {"\x1b[1m", ""},
                                                       {"\x1b[2m", ""},
                                                       {"\x1b[3m", ""},
                                                       {"\x1b[4m", ""},
                                                       {"\x1b[9m", ""},
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

// The output for a pipe, and for terminals of three widths; for the second of
// them with its escapes made visible.
std::string GoldenOf(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/", name, ".jsonl");
  for (const Stream& stream : AllStreams()) {
    if (stream.path != path) continue;
    return absl::StrCat(
        ShowStream(stream, kPipe), "\n===== 40 columns =====\n",
        ShowStream(stream, {.width = 40, .height = 24}),
        "\n===== coloured, 80 columns =====\n",
        absl::StrReplaceAll(ShowStream(stream, kTerminal), {{"\x1b", "␛"}}),
        "\n===== 200 columns =====\n",
        ShowStream(stream, {.width = 200, .height = 50}));
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

TEST(TimelineGoldensTest, FitTerminalsOfAnyWidth) {
  for (const Stream& stream : AllStreams()) {
    if (!absl::StrContains(stream.path, "every_event")) continue;
    for (const size_t width : {40, 80, 200}) {
      const std::string shown =
          ShowStream(stream, {.width = width, .height = 24});
      for (const absl::string_view line : absl::StrSplit(shown, '\n')) {
        EXPECT_LE(DisplayWidth(line), width) << stream.path;
      }
    }
  }
}

TEST(TimelineGoldensTest, Match) { ExpectGoldens(AllGoldens()); }

}  // namespace
}  // namespace troika::cli

int main(int argc, char** argv) {
  return troika::cli::GoldenMain(argc, argv, troika::cli::AllGoldens);
}
