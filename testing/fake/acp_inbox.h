// Handles the stdin of `gemini --acp`.
#ifndef TROIKA_TESTING_FAKE_ACP_INBOX_H_
#define TROIKA_TESTING_FAKE_ACP_INBOX_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/json.h"
#include "testing/fake/inbox.h"
#include "testing/fake/process.h"

namespace troika::fake {

// Opens the session, answers other requests at once, and keeps prompts and
// answers until they are taken. Ignores lines that are not JSON.
class AcpInbox final : public Inbox {
 public:
  struct Prompt {
    std::string id;  // As JSON.
    std::string text;
  };

  // `process` must outlive the inbox.
  explicit AcpInbox(const Process* process)
      : Inbox(process->script.deaf), process_(*process) {}

  // Returns nullopt for lines that are no prompts.
  static std::optional<Prompt> PromptOf(absl::string_view line);
  // Unset until a session was opened.
  std::optional<Work>& work() { return work_; }
  // Whether prompts that were not taken were cancelled; then forgets it.
  bool TakeCancelled() { return std::exchange(cancelled_, false); }

 private:
  bool listens() const override { return true; }
  Flow OnLine(std::string line) override;
  void OnRequest(json::Value request);
  void OnLoad(json::Value request);
  bool loads() const;

  const Process& process_;
  std::optional<Work> work_;
  bool cancelled_ = false;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_ACP_INBOX_H_
