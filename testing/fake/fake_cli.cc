#include "testing/fake/fake_cli.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "testing/fake/command_line.h"
#include "testing/fake/io.h"
#include "testing/fake/process.h"
#include "testing/fake/processes.h"
#include "testing/fake/script.h"
#include "testing/fake/usage.h"

namespace troika::fake {
namespace {

std::string Env(const char* name) {
  const char* const value = getenv(name);
  return value ? value : "";
}

// `name` is used in errors.
Script ReadScript(absl::string_view name, absl::string_view text) {
  absl::StatusOr<Script> script = ParseScript(text);
  if (!script.ok()) {
    Die(kBadScript,
        absl::StrCat("fake: ", name, ": ", script.status().message()));
  }
  return *std::move(script);
}

void ChooseVersion(Process& process) {
  process.version_text = Env("TROIKA_FAKE_VERSION");
  if (process.version_text.empty()) {
    process.version_text = process.script.version;
  }
  if (process.version_text.empty()) {
    process.version_text = std::string(NewestVersion(process.harness));
  }
  const std::optional<Version> version = ParseVersion(process.version_text);
  if (!version) {
    Die(kBadScript, absl::StrCat("fake: TROIKA_FAKE_VERSION is no version: ",
                                 process.version_text));
  }
  process.version = *version;
}

int Run(const Process& process) {
  switch (process.harness) {
    case Harness::kCodex:
      return process.line.subcommand == Subcommand::kAppServer
                 ? RunCodexAppServer(process)
                 : RunCodex(process);
    case Harness::kClaude:
    case Harness::kDemo:
      return RunClaude(process);
    case Harness::kAcp:
    case Harness::kGemini:
      return RunGemini(process);
  }
  return kBadScript;
}

// Gemini restarts itself, unless it is told not to.
bool NeedsWrapper(const Process& process) {
  return process.script.wrapper && !IsWrapped() &&
         !(process.harness == Harness::kGemini &&
           Env("GEMINI_CLI_NO_RELAUNCH") == "true");
}

int Main(Harness harness, std::optional<Script> script, int argc, char** argv) {
  Process process;
  process.harness = harness;
  if (script) process.script = *script;
  if (NeedsWrapper(process)) RunWrapper(harness, argv);
  ForgetWrapper();
  process.state = State(Env("TROIKA_FAKE_STATE"));
  ChooseVersion(process);
  process.args.assign(argv + 1, argv + argc);
  std::variant<CommandLine, Refusal> read =
      ReadCommandLine(harness, process.version, process.args);
  if (const Refusal* const refusal = std::get_if<Refusal>(&read)) {
    DieIfBad(WriteAll(STDERR_FILENO, refusal->text));
    return refusal->exit_code;
  }
  process.line = std::get<CommandLine>(std::move(read));
  if (process.line.Has("--version")) {
    DieIfBad(
        WriteAll(STDOUT_FILENO, VersionLine(harness, process.version_text)));
    return 0;
  }
  if (process.line.Has("--help")) {
    DieIfBad(WriteAll(STDOUT_FILENO,
                      HelpText({.harness = harness,
                                .version = process.version,
                                .subcommand = process.line.subcommand})));
    return 0;
  }
  if (!script) {
    Die(kBadScript, "fake: set TROIKA_FAKE_SCRIPT to a script's path");
  }
  return Run(process);
}

}  // namespace

int FakeCliMain(Harness harness, int argc, char** argv) {
  SleepIfSleeper(argv);
  const std::string path = Env("TROIKA_FAKE_SCRIPT");
  if (path.empty()) return Main(harness, std::nullopt, argc, argv);
  const absl::StatusOr<std::string> text = ReadFile(path);
  DieIfBad(text.status());
  return Main(harness, ReadScript(path, *text), argc, argv);
}

int PlayCliMain(Harness harness, absl::string_view script, int argc,
                char** argv) {
  return Main(harness, ReadScript("its own script", script), argc, argv);
}

}  // namespace troika::fake
