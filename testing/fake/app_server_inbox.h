// Handles the stdin of `codex app-server`.
#ifndef TROIKA_TESTING_FAKE_APP_SERVER_INBOX_H_
#define TROIKA_TESTING_FAKE_APP_SERVER_INBOX_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "rpc/message.h"
#include "testing/fake/inbox.h"
#include "testing/fake/process.h"

namespace troika::fake {

// Responds to requests at once, except those that start a turn; keeps these,
// inputs that steer a turn, and answers until they are taken. Lines that are no
// messages get no reply, as those of the real CLI.
class AppServerInbox final : public Inbox {
 public:
  // `process` must outlive the inbox.
  explicit AppServerInbox(const Process* process)
      : Inbox(process->script.deaf), process_(*process) {}

  // The thread that was opened, if any.
  std::optional<Work>& work() { return work_; }
  const std::string& model() const { return model_; }
  // Id of the running turn; empty if none runs.
  void set_turn(absl::string_view id) { turn_ = std::string(id); }

 private:
  bool listens() const override { return true; }
  Flow OnLine(std::string line) override;
  Flow OnRequest(const rpc::Message& request, const std::string& line);
  void OpenThread(const rpc::Message& request);

  const Process& process_;
  std::optional<Work> work_;
  std::string model_;
  std::string turn_;
};

// Returns the text of the input of a turn/start or turn/steer.
std::string InputText(const rpc::Message& request);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_APP_SERVER_INBOX_H_
