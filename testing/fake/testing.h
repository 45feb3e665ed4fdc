// Runs fake CLIs in tests.
//
//   EXPECT_EQ(RunFake({.harness = Harness::kCodex, .script = "exit 3"})
//                 .exit_code, 3);
#ifndef TROIKA_TESTING_FAKE_TESTING_H_
#define TROIKA_TESTING_FAKE_TESTING_H_

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/harness.h"

namespace troika::fake {

struct FakeOptions {
  Harness harness = Harness::kCodex;
  std::string script;             // The script's text; empty: no script.
  std::vector<std::string> args;  // Empty: UsualArgs.
  std::map<std::string, std::string> env;
  std::string version;  // Empty: the newest.
  std::string state;    // A path; empty: no state file.
  std::string folder;   // Working folder; empty: a new one.
};

// Returns the arguments that Troika would use: a prompt on stdin, or for Claude
// a conversation.
std::vector<std::string> UsualArgs(Harness harness);

// Returns the path of a file or folder that does not exist yet.
std::string NewPath(absl::string_view name);

// Returns the text of a script in scripts/.
std::string ReadyScript(absl::string_view name);

// Returns a prompt in the form in which it is written to the CLI.
std::string PromptBytes(Harness harness, absl::string_view prompt);

struct Ended {
  std::string out;
  std::string err;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// A running fake. The destructor waits for its end, or causes it.
class RunningFake {
 public:
  explicit RunningFake(const FakeOptions& options);
  ~RunningFake();
  RunningFake(const RunningFake&) = delete;
  RunningFake& operator=(const RunningFake&) = delete;

  pid_t pid() const { return pid_; }
  void Write(absl::string_view bytes);
  void CloseStdin();
  void Signal(int signal);
  // Returns the next line that contains `text`; empty if none comes.
  std::string WaitForLine(absl::string_view text);
  // Closes stdin and waits until stdout is closed or, if another process holds
  // it open, until the fake exits. `out` is everything that it printed.
  Ended Finish();

 private:
  bool ReadSome();
  bool HasEnded();

  pid_t pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  std::string stderr_path_;
  std::string out_;
  size_t seen_ = 0;
  bool out_ended_ = false;
  std::optional<int> status_;
};

// Runs a fake from its prompt to its exit.
Ended RunFake(const FakeOptions& options, absl::string_view prompt = "go");

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_TESTING_H_
