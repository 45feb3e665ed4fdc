// Handles the stdin of `claude --input-format stream-json`.
#ifndef TROIKA_TESTING_FAKE_CLAUDE_INBOX_H_
#define TROIKA_TESTING_FAKE_CLAUDE_INBOX_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "testing/fake/inbox.h"
#include "testing/fake/process.h"

namespace troika::fake {

// Responds to control requests at once, keeps prompts and answers until they
// are taken, and ends the process at a line that is not JSON.
class ClaudeInbox final : public Inbox {
 public:
  // `process` must outlive the inbox.
  explicit ClaudeInbox(const Process* process)
      : Inbox(process->script.deaf), process_(*process) {}

  void set_session(absl::string_view id) { session_id_ = std::string(id); }

  // The model that was last set by a request; empty if none was.
  const std::string& model() const { return model_; }

  // Returns the text of a prompt's line, or nullopt for other lines.
  static std::optional<std::string> PromptOf(absl::string_view line);

 private:
  bool listens() const override { return true; }
  Flow OnLine(std::string line) override;
  Flow OnRequest(json::Value request);
  void Replay(json::Value line);

  const Process& process_;
  std::string session_id_;
  std::string model_;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_CLAUDE_INBOX_H_
