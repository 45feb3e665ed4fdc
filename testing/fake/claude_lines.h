// Writes the lines of `claude -p --output-format stream-json`, by version.
#ifndef TROIKA_TESTING_FAKE_CLAUDE_LINES_H_
#define TROIKA_TESTING_FAKE_CLAUDE_LINES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "base/json_writer.h"
#include "testing/fake/wire.h"

namespace troika::fake {

// Versions that changed the content of lines.
inline constexpr Version kClaudeUsageInResult = {1, 0, 24};
inline constexpr Version kClaudeUuids = {1, 0, 86};
inline constexpr Version kClaudeModelUsage = {2, 0, 0};
inline constexpr Version kClaudeToolUseResult = {2, 0, 50};
inline constexpr Version kClaudeTaskTools = {2, 1, 197};
inline constexpr Version kClaudeTypeComesLate = {2, 1, 325};

class ClaudeLines {
 public:
  enum class IsError { kNo, kYes };

  // The message to which an assistant line belongs.
  struct Author {
    std::string message_id;
    std::string model;
    Tokens tokens;
  };

  struct Result {
    absl::string_view subtype;
    IsError is_error = IsError::kNo;
    absl::string_view text;   // Left out if empty.
    absl::string_view error;  // Left out if empty.
    absl::string_view stop_reason;
    absl::string_view terminal_reason;
    Tokens turn;
    Tokens process;  // Sum of all turns of the process.
  };

  explicit ClaudeLines(const WireOptions& options) : options_(options) {}

  std::string Init();
  std::string Assistant(const Author& author, json::ObjectWriter block);
  // `details` is the JSON of tool_use_result; empty: none.
  std::string User(json::ObjectWriter block, absl::string_view details);
  std::string ResultLine(const Result& result);

  std::string model() const;
  void set_model(absl::string_view model) {
    options_.model = std::string(model);
  }
  bool Since(const Version& version) const {
    return options_.version >= version;
  }

 private:
  void AddUsage(const Result& result, json::ObjectWriter& line) const;
  std::string Finish(json::ObjectWriter line);

  WireOptions options_;
  int lines_ = 0;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_CLAUDE_LINES_H_
