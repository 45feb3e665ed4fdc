// Writes what a CLI prints for the actions of an agent.
//
// A wire returns lines and prints nothing. A script means the same on all
// wires; what a real CLI does not report (Gemini's thoughts and exit codes) is
// missing on its wire too.
#ifndef TROIKA_TESTING_FAKE_WIRE_H_
#define TROIKA_TESTING_FAKE_WIRE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/harness.h"
#include "testing/fake/version.h"
#include "testing/script_text.h"

namespace troika::fake {

// Tokens of one turn or of several turns. `input` excludes cached tokens.
struct Tokens {
  int64_t input = 0;
  int64_t cached = 0;
  int64_t output = 0;

  Tokens& operator+=(const Tokens& other);
};

inline constexpr Tokens kDefaultTokens = {
    .input = 100, .cached = 20, .output = 30};

using script::TodoEntry;

struct CommandOutcome {
  std::string output;
  int exit_code = 0;
};

struct FileWritten {
  std::string path;  // Absolute.
  std::string content;
  bool existed = false;
};

// A tool that the agent asks its user to allow.
struct Asked {
  std::string tool;
  std::string input_json;
};

struct AskAnswer {
  bool allowed = false;
  std::string message;     // Reason of a denial.
  std::string input_json;  // Input to use; for a question, with the answers.
};

struct WireOptions {
  Harness harness = Harness::kCodex;
  Version version = {};
  std::string version_text;
  std::string session_id;
  std::string cwd;
  std::string model;  // Empty for the CLI's default.
  std::string permission_mode;
  bool asks = false;  // Whether somebody answers the agent's requests.
  Tokens total;       // Sum of the session's turns before this process.
};

class Wire {
 public:
  virtual ~Wire() = default;

  // Each returns whole lines, or an empty string if this wire prints nothing.
  virtual std::string StartTurn(absl::string_view prompt) = 0;
  std::string Say(absl::string_view text);
  virtual std::string Think(absl::string_view text) = 0;
  std::string StartRun(absl::string_view command);
  // Ends the command that was started first. Requires AnyRunning().
  std::string EndRun(const CommandOutcome& outcome);
  virtual std::string WriteFile(const FileWritten& file) = 0;
  // Returns an empty string on wires that can't ask.
  virtual std::string Ask(const Asked&) { return ""; }
  // Returns the answer to the last request if the line contains it.
  virtual std::optional<AskAnswer> AnswerIn(absl::string_view) const {
    return std::nullopt;
  }
  virtual std::string EndAsk(const AskAnswer&) { return ""; }
  // Called if the turn is ended while the agent waits for an answer.
  virtual std::string CancelAsk() { return ""; }
  // Called before a turn if the user has changed the model.
  virtual void SetModel(absl::string_view) {}
  virtual std::string Todo(absl::Span<const TodoEntry> entries) = 0;
  // Called when the turn's tokens are known, on wires that tell them then.
  virtual std::string TellTokens() { return ""; }
  virtual std::string Succeed() = 0;
  virtual std::string Fail(absl::string_view message) = 0;
  // Called if the user ends the turn; some wires print nothing then.
  virtual std::string Interrupt() { return ""; }

  // Returns one line with `text`, whatever its length.
  virtual std::string TextLine(absl::string_view text) = 0;

  bool AnyRunning() const { return !running_.empty(); }
  // Sets the tokens that the turn will have used.
  void set_tokens(const Tokens& tokens) { tokens_ = tokens; }
  // Returns the tokens of the whole session so far.
  const Tokens& total() const { return options_.total; }
  const std::string& last_text() const { return last_text_; }

 protected:
  struct Running {
    std::string id;
    std::string command;
  };

  explicit Wire(const WireOptions& options) : options_(options) {}

  // Returns the text in the fragments that this wire uses.
  virtual std::string SayLines(absl::string_view text) {
    return TextLine(text);
  }
  virtual std::string StartRunLines(const Running& run) = 0;
  virtual std::string EndRunLines(const Running& run,
                                  const CommandOutcome& outcome) = 0;
  virtual std::string NewToolId(absl::string_view native_name) = 0;
  virtual absl::string_view shell_tool() const { return ""; }

  const WireOptions& options() const { return options_; }
  bool Since(const Version& version) const {
    return options_.version >= version;
  }
  const Tokens& tokens() const { return tokens_; }
  // Adds the turn's tokens to the total, resets and returns them.
  Tokens TakeTokens();
  void ForgetTurn();
  const std::deque<Running>& running() const { return running_; }

 private:
  WireOptions options_;
  Tokens tokens_ = kDefaultTokens;
  std::deque<Running> running_;
  std::string last_text_;
};

// Creates the wire of the harness in this version.
std::unique_ptr<Wire> NewWire(const WireOptions& options);

std::unique_ptr<Wire> NewCodexWire(const WireOptions& options);
std::unique_ptr<Wire> NewCodexMsgWire(const WireOptions& options);
std::unique_ptr<Wire> NewClaudeWire(const WireOptions& options);
std::unique_ptr<Wire> NewGeminiWire(const WireOptions& options);

// Makes a JSON array of elements that are JSON already.
std::string JsonArray(absl::Span<const std::string> elements);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_WIRE_H_
