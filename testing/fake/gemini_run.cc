// Runs `gemini -o stream-json` around the script, or leaves it to `--acp`.
#include <unistd.h>

#include <csignal>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "testing/fake/io.h"
#include "testing/fake/player.h"
#include "testing/fake/process.h"
#include "testing/fake/signals.h"

namespace troika::fake {
namespace {

constexpr Version kRefusesUnknownResume = {0, 35, 0};

// Finds a session by its id, by its number in the list, or as the latest.
absl::StatusOr<std::optional<Session>> FindSession(const Process& process,
                                                   const std::string& name) {
  if (name.empty() || name == "latest") return process.state.Latest();
  int number = 0;
  if (!absl::SimpleAtoi(name, &number)) return process.state.Find(name);
  absl::StatusOr<std::vector<Session>> sessions = process.state.Sessions();
  if (!sessions.ok()) return sessions.status();
  const size_t index = static_cast<size_t>(number) - 1;
  if (index >= sessions->size()) return std::optional<Session>();
  return std::optional<Session>((*sessions)[index]);
}

Work Resolve(const Process& process, Player& player) {
  const CommandLine& line = process.line;
  if (!line.Has("--resume")) {
    Work work = NewWork(process);
    if (line.Has("--session-id")) work.session.id = line.Value("--session-id");
    return work;
  }
  const std::string name = line.Value("--resume");
  absl::StatusOr<std::optional<Session>> session = FindSession(process, name);
  DieIfBad(session.status());
  if (*session) return {.session = **session, .begun = Begun::kResumed};
  if (process.version < kRefusesUnknownResume) {
    player.Play({Instruction{.op = Op::kHang}});
  }
  Die(42, absl::StrCat("Error resuming session: Invalid session identifier \"",
                       name, "\"."));
}

std::string ReadPrompt(const Process& process, Inbox& inbox) {
  inbox.ReadToEnd();
  const std::string given = process.line.Has("--prompt")
                                ? process.line.Value("--prompt")
                                : absl::StrJoin(process.line.positionals, " ");
  const std::string& piped = inbox.all();
  if (piped.empty() && given.empty()) {
    Die(42,
        "No input provided via stdin. Input can be provided by piping "
        "data into gemini or using the --prompt option.");
  }
  if (piped.empty() || given.empty()) return given + piped;
  return absl::StrCat(piped, "\n\n", given);
}

}  // namespace

int RunGemini(const Process& process) {
  if (process.line.Has("--acp") || process.line.Has("--experimental-acp")) {
    return RunAcp(process);
  }
  Inbox inbox;
  Player player(&process, &inbox);
  ExitOn(SIGINT, 0);
  ExitOn(SIGTERM, 0);
  player.Play(process.script.start);
  const CommandLine& line = process.line;
  if (line.Value("--output-format") != "stream-json") {
    Die(kBadScript, "fake: only gemini -o stream-json and --acp are played");
  }
  if (line.Has("--yolo") || line.Value("--approval-mode") == "yolo") {
    DieIfBad(WriteAll(STDERR_FILENO,
                      "YOLO mode is enabled. All tool calls will be "
                      "automatically approved.\n"));
  }
  Work work = Resolve(process, player);
  const std::string prompt = ReadPrompt(process, inbox);
  const std::unique_ptr<Wire> wire = NewWire(WireOptionsOf(process, work));
  player.set_wire(wire.get());
  player.PlayTurn(work, prompt);
  return player.exit_code();
}

}  // namespace troika::fake
