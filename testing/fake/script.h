// Defines a fake's script, whose syntax docs/testing.md describes.
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

// One line of a script. `op` decides which fields are used.
struct Instruction {
  Op op = Op::kOk;
  int line = 0;
  std::string text;  // The argument, or its first part.
  std::string rest;  // Content of a file, or input of a tool.
  CommandOutcome outcome;
  std::vector<TodoEntry> todos;
  std::vector<int64_t> numbers;
  int signal = 0;
  std::vector<std::string> options;  // For fork-sleeper and question.
  std::vector<Instruction> block;    // For `on`.
};

using Instructions = std::vector<Instruction>;

// Whether a process started its session or resumed it.
enum class Begun { kNew, kResumed };

struct Script {
  std::string version;  // Empty if not given.
  std::string session;  // Id of a new session; empty if not given.
  bool wrapper = false;
  int64_t deaf = 0;    // Number of a line on stdin that is not heard; 0: none.
  Instructions start;  // Played before anything is read or printed.
  std::optional<Instructions> any_turn;
  std::optional<Instructions> resumed_turn;
  std::vector<std::pair<int, Instructions>> turns;
  // Keyed by a lower-case word that the prompt must contain.
  std::vector<std::pair<std::string, Instructions>> prompts;

  // Returns what a session's n-th turn plays: the first section whose word the
  // prompt contains, else the turn's own section, else `resume` if the process
  // resumed the session for it, else the section for any turn. Null if none.
  const Instructions* /*nullable*/ Turn(int number, Begun begun,
                                        absl::string_view prompt) const;
};

// InvalidArgument names the line and describes the error.
absl::StatusOr<Script> ParseScript(absl::string_view text);

// Parses "INT", "SIGINT" or "2".
std::optional<int> ParseSignal(absl::string_view name);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_SCRIPT_H_
