// Runs `claude -p --output-format stream-json` around the script.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "testing/fake/claude_inbox.h"
#include "testing/fake/claude_lines.h"
#include "testing/fake/io.h"
#include "testing/fake/player.h"
#include "testing/fake/process.h"
#include "testing/fake/signals.h"

namespace troika::fake {
namespace {

constexpr Version kSameIdOnResume = {2, 0, 0};
constexpr Version kHonoursSandbox = {1, 0, 60};
// Versions that changed how an unknown session is refused.
constexpr Version kRefusalOnStdout = {2, 1, 10};
constexpr Version kRefusalOnBoth = {2, 1, 112};

void CheckCommandLine(const Process& process) {
  const CommandLine& line = process.line;
  if (!line.Has("--print") || line.Value("--output-format") != "stream-json") {
    Die(kBadScript,
        "fake: only claude -p --output-format stream-json is played");
  }
  if (!line.Has("--verbose")) {
    Die(1,
        "Error: When using --print, --output-format=stream-json requires "
        "--verbose");
  }
  const char* const sandbox = getenv("IS_SANDBOX");
  const bool allowed = process.version >= kHonoursSandbox && sandbox &&
                       absl::string_view(sandbox) == "1";
  if (line.Has("--dangerously-skip-permissions") && geteuid() == 0 &&
      !allowed) {
    Die(1,
        "--dangerously-skip-permissions cannot be used with root/sudo "
        "privileges for security reasons");
  }
}

[[noreturn]] void RefuseResume(const Process& process, Player& player,
                               const std::string& id) {
  const std::string why =
      absl::StrCat("No conversation found with session ID: ", id);
  if (process.version >= kRefusalOnStdout) {
    const Work work = {.session = {.id = id}};
    ClaudeLines lines(WireOptionsOf(process, work));
    player.Print(lines.ResultLine({.subtype = "error_during_execution",
                                   .is_error = ClaudeLines::IsError::kYes,
                                   .error = why,
                                   .stop_reason = "",
                                   .terminal_reason = "completed"}));
    if (process.version < kRefusalOnBoth) _exit(1);
  }
  Die(1, why);
}

Work Resolve(const Process& process, Player& player) {
  const CommandLine& line = process.line;
  const std::string asked = line.Value("--session-id");
  if (!line.Has("--resume") && !line.Has("--continue")) {
    Work work = NewWork(process);
    if (asked.empty()) return work;
    absl::StatusOr<std::vector<Session>> sessions = process.state.Sessions();
    DieIfBad(sessions.status());
    for (const Session& session : *sessions) {
      if (session.id != asked) continue;
      Die(1, absl::StrCat("Error: Session ID ", asked, " is already in use."));
    }
    work.session.id = asked;
    return work;
  }
  const std::string id = line.Value("--resume");
  absl::StatusOr<std::optional<Session>> session =
      id.empty() ? process.state.Latest() : process.state.Find(id);
  DieIfBad(session.status());
  if (!*session) RefuseResume(process, player, id);
  Work work = {.session = **session, .begun = Begun::kResumed};
  if (!asked.empty()) {
    work.session.id = asked;
  } else if (line.Has("--fork-session") || process.version < kSameIdOnResume) {
    work.session.id = NewWork(process, work.session.id).session.id;
  }
  return work;
}

// Runs one turn and writes its end, even if its user interrupts it.
void RunTurn(Player& player, Wire& wire, Work& work,
             const std::string& prompt) {
  if (!player.Scripts(SIGINT)) NoteOn(SIGINT);
  const Flow flow = player.PlayTurn(work, prompt);
  if (flow == Flow::kStop) {
    player.Print(wire.Interrupt());
    if (player.stopped_by_signal()) _exit(1);
  }
  if (!player.Scripts(SIGINT)) ExitOn(SIGINT, 1);
}

std::string ReadPrompt(const Process& process, Inbox& inbox) {
  inbox.ReadToEnd();
  const std::string given = absl::StrJoin(process.line.positionals, " ");
  const std::string& piped = inbox.all();
  if (given.empty() && piped.empty()) {
    Die(1,
        "Error: Input must be provided either through stdin or as a prompt "
        "argument when using --print");
  }
  if (given.empty() || piped.empty()) return given + piped;
  return absl::StrCat(given, "\n", piped);
}

void Converse(ClaudeInbox& inbox, Player& player, Wire& wire, Work& work) {
  while (true) {
    // No turn is running, so there is nothing to interrupt.
    while (player.WaitForLine() == Flow::kStop) {
    }
    if (!inbox.has_line()) return;
    const std::optional<std::string> prompt =
        ClaudeInbox::PromptOf(inbox.TakeLine());
    if (!inbox.model().empty()) wire.SetModel(inbox.model());
    if (prompt) RunTurn(player, wire, work, *prompt);
  }
}

}  // namespace

int RunClaude(const Process& process) {
  const CommandLine& line = process.line;
  const bool converses = line.Value("--input-format") == "stream-json";
  Inbox one_prompt;
  ClaudeInbox conversation(&process);
  Inbox& inbox = converses ? conversation : one_prompt;
  Player player(&process, &inbox);
  ExitOn(SIGINT, 1);
  ExitOn(SIGTERM, 143);
  player.Play(process.script.start);
  CheckCommandLine(process);
  Work work = Resolve(process, player);
  WireOptions options = WireOptionsOf(process, work);
  options.permission_mode =
      line.Has("--dangerously-skip-permissions") ? "bypassPermissions"
      : line.Has("--permission-mode") ? line.Value("--permission-mode")
                                      : "default";
  options.asks = converses && line.Value("--permission-prompt-tool") == "stdio";
  conversation.set_session(work.session.id);
  const std::unique_ptr<Wire> wire = NewWire(options);
  player.set_wire(wire.get());
  if (converses) {
    Converse(conversation, player, *wire, work);
  } else {
    RunTurn(player, *wire, work, ReadPrompt(process, inbox));
  }
  return player.exit_code();
}

}  // namespace troika::fake
