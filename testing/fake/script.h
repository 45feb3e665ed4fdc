// What a fake shall do, as docs/testing.md describes it for people.
//
//   version 0.166.0
//   say Hello.
//   run ls => README.md
//   ok
//   == turn 2
//   fail I am tired.
#ifndef TROIKA_TESTING_FAKE_SCRIPT_H_
#define TROIKA_TESTING_FAKE_SCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/fake/wire.h"

namespace troika::fake {

enum class Op {
  kPrint,
  kSay,
  kThink,
  kRun,
  kStartRun,
  kEndRun,
  kWrite,
  kAsk,
  kQuestion,
  kTodo,
  kUsage,
  kOk,
  kFail,
  kStderr,
  kPartial,
  kLongLine,
  kFlood,
  kFloodStderr,
  kGarbage,
  kSleep,
  kHang,
  kExpect,
  kExpectPrompt,
  kWaitStdin,
  kCloseStdin,
  kCloseStdout,
  kExit,
  kKillSelf,
  kIgnore,
  kOn,
  kForkSleeper,
  kDumpArgs,
  kDumpEnv,
  kDumpStdin,
};

// One line of a script. Which fields count depends on `op`.
struct Instruction {
  Op op = Op::kOk;
  int line = 0;
  std::string text;  // The argument, or its first part.
  std::string rest;  // What a file holds, or a tool's input.
  CommandOutcome outcome;
  std::vector<TodoEntry> todos;
  std::vector<int64_t> numbers;
  int signal = 0;
  std::vector<std::string> options;  // Of fork-sleeper and question.
  std::vector<Instruction> block;    // Of `on`.
};

using Instructions = std::vector<Instruction>;

// Whether a process began its session or took it up again.
enum class Begun { kNew, kResumed };

struct Script {
  std::string version;  // Empty: not said.
  std::string session;  // The id of a new session; empty: not said.
  bool wrapper = false;
  Instructions start;  // Before anything is read or printed.
  std::optional<Instructions> any_turn;
  std::optional<Instructions> resumed_turn;
  std::vector<std::pair<int, Instructions>> turns;
  // By a word that the prompt has to hold, in lower case.
  std::vector<std::pair<std::string, Instructions>> prompts;

  // What a session's n-th turn plays: the first section whose word its prompt
  // holds, else its own, else `resume` where the process was resumed for it,
  // else the one for any turn. Null: none of them.
  const Instructions* /*nullable*/ Turn(int number, Begun begun,
                                        absl::string_view prompt) const;
};

// InvalidArgument names the line and what is wrong with it.
absl::StatusOr<Script> ParseScript(absl::string_view text);

// "INT", "SIGINT" or "2".
std::optional<int> ParseSignal(absl::string_view name);

// Whether an `expect`'s pattern is in a line: /…/ is an extended regular
// expression, anything else stands for itself. InvalidArgument where the
// expression is bad.
absl::StatusOr<bool> Matches(absl::string_view pattern, absl::string_view line);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_SCRIPT_H_
