// Runs `codex exec --json` around the script.
#include <unistd.h>

#include <csignal>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "testing/fake/io.h"
#include "testing/fake/player.h"
#include "testing/fake/process.h"
#include "testing/fake/signals.h"

namespace troika::fake {
namespace {

// An unknown UUID is an error; an unknown name silently starts a new thread.
Work Resolve(const Process& process) {
  const CommandLine& line = process.line;
  if (line.subcommand != Subcommand::kResume) return NewWork(process);
  const std::string id = line.positionals.empty() ? "" : line.positionals[0];
  absl::StatusOr<std::optional<Session>> session =
      line.Has("--last") ? process.state.Latest() : process.state.Find(id);
  DieIfBad(session.status());
  if (*session) return {.session = **session, .begun = Begun::kResumed};
  if (!line.Has("--last") && IsUuid(id)) {
    Die(1, absl::StrCat("Error: thread/resume: thread/resume failed: no "
                        "rollout found for thread id ",
                        id, " (code -32600)"));
  }
  return NewWork(process, id.empty() ? "latest" : id);
}

std::string ReadPrompt(const Process& process, Inbox& inbox) {
  const CommandLine& line = process.line;
  const bool by_id =
      line.subcommand == Subcommand::kResume && !line.Has("--last");
  const size_t at = by_id ? 1 : 0;
  const std::string given =
      at < line.positionals.size() ? line.positionals[at] : "";
  const bool from_stdin = given.empty() || given == "-";
  if (given.empty()) {
    DieIfBad(WriteAll(STDERR_FILENO, "Reading prompt from stdin...\n"));
  } else if (!from_stdin && line.subcommand == Subcommand::kMain &&
             !isatty(0)) {
    DieIfBad(
        WriteAll(STDERR_FILENO, "Reading additional input from stdin...\n"));
  }
  if (!from_stdin && line.subcommand == Subcommand::kResume) return given;
  inbox.ReadToEnd();
  const std::string& piped = inbox.all();
  if (!json::IsValidUtf8(piped)) {
    Die(1, "Failed to read prompt from stdin: it is not valid UTF-8");
  }
  if (!from_stdin) {
    return piped.empty()
               ? given
               : absl::StrCat(given, "\n\n<stdin>\n", piped, "\n</stdin>");
  }
  if (piped.empty()) Die(1, "No prompt provided via stdin.");
  return piped;
}

}  // namespace

int RunCodex(const Process& process) {
  Inbox inbox;
  Player player(&process, &inbox);
  ExitOn(SIGINT, 1);  // SIGTERM keeps its default action.
  player.Play(process.script.start);
  if (!process.line.Has("--json") && !process.line.Has("--experimental-json")) {
    Die(kBadScript, "fake: only codex exec --json is played");
  }
  const std::string prompt = ReadPrompt(process, inbox);
  Work work = Resolve(process);
  WireOptions options = WireOptionsOf(process, work);
  options.permission_mode = process.line.Value("--sandbox");
  const std::unique_ptr<Wire> wire = NewWire(options);
  player.set_wire(wire.get());
  player.PlayTurn(work, prompt);
  return player.exit_code();
}

}  // namespace troika::fake
