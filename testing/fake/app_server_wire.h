// Writes what `codex app-server` prints for the actions of an agent.
#ifndef TROIKA_TESTING_FAKE_APP_SERVER_WIRE_H_
#define TROIKA_TESTING_FAKE_APP_SERVER_WIRE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/json_writer.h"
#include "testing/fake/wire.h"

namespace troika::fake {

class AppServerWire final : public Wire {
 public:
  explicit AppServerWire(const WireOptions& options) : Wire(options) {}

  // Begins the next turn and returns its id; StartTurn() tells it.
  std::string NewTurn();

  std::string StartTurn(absl::string_view prompt) override;
  std::string Think(absl::string_view text) override;
  std::string WriteFile(const FileWritten& file) override;
  std::string Ask(const Asked& asked) override;
  std::optional<AskAnswer> AnswerIn(absl::string_view line) const override;
  std::string EndAsk(const AskAnswer& answer) override;
  std::string CancelAsk() override;
  std::string Todo(absl::Span<const TodoEntry> entries) override;
  std::string TellTokens() override;
  std::string Succeed() override;
  std::string Fail(absl::string_view message) override;
  std::string Interrupt() override;
  std::string TextLine(absl::string_view text) override;

 private:
  std::string SayLines(absl::string_view text) override;
  std::string StartRunLines(const Running& run) override;
  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override;
  std::string NewToolId(absl::string_view native_name) override;

  // A notification about this thread and turn.
  std::string Notify(absl::string_view method, absl::string_view key,
                     absl::string_view json) const;
  std::string Item(absl::string_view event, json::ObjectWriter item) const;
  static json::ObjectWriter ItemOf(absl::string_view type,
                                   absl::string_view id);
  json::ObjectWriter Command(const Running& run,
                             absl::string_view status) const;
  static json::ObjectWriter FileChange(absl::string_view id,
                                       const FileWritten& file,
                                       absl::string_view status);
  json::ObjectWriter AskedItem(absl::string_view status) const;
  std::string EndTurn(absl::string_view status, absl::string_view error_json);
  // Tells the tokens of the whole session.
  std::string UsageLine(const Tokens& sum);
  std::string Resolved() const;

  int turns_ = 0;
  int items_ = 0;
  int asks_ = 0;  // Ids of our requests are counted from 0.
  std::string turn_;
  Asked asked_;
  std::string asked_id_;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_APP_SERVER_WIRE_H_
