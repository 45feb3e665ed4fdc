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
  std::string script;             // Its text; empty: none.
  std::vector<std::string> args;  // None: UsualArgs.
  std::map<std::string, std::string> env;
  std::string version;  // Empty: the newest.
  std::string state;    // A path; empty: no memory.
  std::string folder;   // To run in; empty: a new one.
};

// As Troika would start it: a prompt on stdin, for Claude a conversation.
std::vector<std::string> UsualArgs(Harness harness);

// A path of a file or folder that does not exist yet.
std::string NewPath(absl::string_view name);

// The text of a script in scripts/.
std::string ReadyScript(absl::string_view name);

// A prompt as it is written to that CLI.
std::string PromptBytes(Harness harness, absl::string_view prompt);

struct Ended {
  std::string out;
  std::string err;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

// One that runs. Its end is waited for, or made, when it is destroyed.
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
  // The first line from now on that holds `text`; empty where none comes.
  std::string WaitForLine(absl::string_view text);
  // Closes stdin and waits. `out` is everything it printed. Until its stdout
  // ends, or, should somebody hold that open, until it ends itself.
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

// Runs one from its prompt to its end.
Ended RunFake(const FakeOptions& options, absl::string_view prompt = "go");

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_TESTING_H_
