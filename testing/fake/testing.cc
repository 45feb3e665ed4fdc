#include "testing/fake/testing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "base/json_writer.h"
#include "testing/fake/io.h"

namespace troika::fake {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

std::string ProgramOf(Harness harness) {
  return std::filesystem::absolute(
             absl::StrCat("testing/fake/fake_", HarnessId(harness)))
      .string();
}

std::vector<std::string> EnvironmentOf(const FakeOptions& options) {
  std::map<std::string, std::string> env = {{"PATH", "/usr/bin:/bin"},
                                            {"IS_SANDBOX", "1"}};
  if (!options.script.empty()) {
    env["TROIKA_FAKE_SCRIPT"] = NewPath("script");
    CHECK(WriteFile(env["TROIKA_FAKE_SCRIPT"], options.script).ok());
  }
  if (!options.version.empty()) env["TROIKA_FAKE_VERSION"] = options.version;
  if (!options.state.empty()) env["TROIKA_FAKE_STATE"] = options.state;
  for (const auto& [name, value] : options.env) env[name] = value;
  std::vector<std::string> variables;
  for (const auto& [name, value] : env) {
    variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::vector<std::string> UsualArgs(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return {"exec", "--json", "-"};
    case Harness::kClaude:
    case Harness::kDemo:
      return {"-p",        "--output-format", "stream-json",
              "--verbose", "--input-format",  "stream-json"};
    case Harness::kAcp:
    case Harness::kGemini:
      return {"-o", "stream-json"};
  }
  return {};
}

std::string NewPath(absl::string_view name) {
  static int count = 0;
  const char* const folder = getenv("TEST_TMPDIR");
  CHECK(folder);
  return absl::StrCat(folder, "/", getpid(), "-", ++count, "-", name);
}

std::string ReadyScript(absl::string_view name) {
  absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat("testing/fake/scripts/", name));
  CHECK(text.ok());
  return *text;
}

std::string PromptBytes(Harness harness, absl::string_view prompt) {
  if (harness != Harness::kClaude) return std::string(prompt);
  const std::string message = json::ObjectWriter()
                                  .String("role", "user")
                                  .String("content", prompt)
                                  .Take();
  return json::ObjectWriter()
             .String("type", "user")
             .Json("message", message)
             .Take() +
         "\n";
}

RunningFake::RunningFake(const FakeOptions& options)
    : stderr_path_(NewPath("stderr")) {
  std::vector<std::string> args =
      options.args.empty() ? UsualArgs(options.harness) : options.args;
  const std::string program = ProgramOf(options.harness);
  args.insert(args.begin(), program);
  std::vector<std::string> variables = EnvironmentOf(options);
  std::string folder = options.folder;
  if (folder.empty()) {
    folder = NewPath("folder");
    std::filesystem::create_directories(folder);
  }
  std::vector<char*> argv = Pointers(args);
  std::vector<char*> envp = Pointers(variables);
  int in[2];
  int out[2];
  CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
  const int err =
      open(stderr_path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  CHECK(err >= 0);
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    setpgid(0, 0);
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    if (chdir(folder.c_str()) == 0) {
      execve(program.c_str(), argv.data(), envp.data());
    }
    _exit(127);
  }
  setpgid(pid_, pid_);
  close(in[0]);
  close(out[1]);
  close(err);
  stdin_ = in[1];
  stdout_ = out[0];
  signal(SIGPIPE, SIG_IGN);
}

RunningFake::~RunningFake() {
  CloseStdin();
  if (!status_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(stdout_);
}

void RunningFake::Write(absl::string_view bytes) {
  (void)WriteAll(stdin_, bytes);  // Fails if the fake has already exited.
}

void RunningFake::CloseStdin() {
  if (stdin_ >= 0) close(stdin_);
  stdin_ = -1;
}

void RunningFake::Signal(int signal) { kill(pid_, signal); }

bool RunningFake::ReadSome() {
  pollfd ready = {.fd = stdout_, .events = POLLIN, .revents = 0};
  if (out_ended_ || poll(&ready, 1, 100) <= 0) return false;
  char bytes[65536];
  const ssize_t got = read(stdout_, bytes, sizeof(bytes));
  if (got <= 0) {
    out_ended_ = true;
    return false;
  }
  out_.append(bytes, static_cast<size_t>(got));
  return true;
}

bool RunningFake::HasEnded() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_.has_value();
}

std::string RunningFake::WaitForLine(absl::string_view text) {
  const absl::Time end = absl::Now() + kPatience;
  while (absl::Now() < end) {
    for (size_t newline = out_.find('\n', seen_); newline != std::string::npos;
         newline = out_.find('\n', seen_)) {
      const std::string line = out_.substr(seen_, newline - seen_);
      seen_ = newline + 1;
      if (absl::StrContains(line, text)) return line;
    }
    if (!ReadSome() && out_ended_) return "";
  }
  return "";
}

Ended RunningFake::Finish() {
  CloseStdin();
  const absl::Time end = absl::Now() + kPatience;
  while (absl::Now() < end) {
    if (ReadSome()) continue;
    if (HasEnded()) break;
    if (out_ended_) absl::SleepFor(absl::Milliseconds(1));
  }
  Ended ended = {.out = out_, .err = *ReadFile(stderr_path_)};
  if (!status_) return ended;
  if (WIFEXITED(*status_)) ended.exit_code = WEXITSTATUS(*status_);
  if (WIFSIGNALED(*status_)) ended.signal = WTERMSIG(*status_);
  return ended;
}

Ended RunFake(const FakeOptions& options, absl::string_view prompt) {
  RunningFake fake(options);
  fake.Write(PromptBytes(options.harness, prompt));
  return fake.Finish();
}

}  // namespace troika::fake
