// Describes how a process of a fake CLI was started.
#ifndef TROIKA_TESTING_FAKE_PROCESS_H_
#define TROIKA_TESTING_FAKE_PROCESS_H_

#include <string>
#include <vector>

#include "agent/harness.h"
#include "testing/fake/command_line.h"
#include "testing/fake/script.h"
#include "testing/fake/state.h"
#include "testing/fake/version.h"
#include "testing/fake/wire.h"

namespace troika::fake {

struct Process {
  Harness harness = Harness::kCodex;
  std::string version_text;
  Version version = {};
  std::vector<std::string> args;  // Without the program's name.
  CommandLine line;
  Script script;
  State state{""};
};

// The session that the process continues or starts.
struct Work {
  Session session;
  Begun begun = Begun::kNew;
};

// Starts a new session; `asked` is an id that was requested but does not exist.
Work NewWork(const Process& process, absl::string_view asked = "");

std::string CurrentFolder();

// Returns the options of a wire for this session and command line.
WireOptions WireOptionsOf(const Process& process, const Work& work);

// Play their CLI with the parsed command line and return the exit code.
int RunCodex(const Process& process);
int RunCodexAppServer(const Process& process);
int RunClaude(const Process& process);
int RunGemini(const Process& process);
// Plays `gemini --acp`.
int RunAcp(const Process& process);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_PROCESS_H_
