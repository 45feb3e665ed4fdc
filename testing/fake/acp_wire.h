// The wire of `gemini --acp`.
#ifndef TROIKA_TESTING_FAKE_ACP_WIRE_H_
#define TROIKA_TESTING_FAKE_ACP_WIRE_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "testing/fake/wire.h"

namespace troika::fake {

class AcpWire final : public Wire {
 public:
  explicit AcpWire(const WireOptions& options) : Wire(options) {}

  // Sets the id, as JSON, of the request that the turn's end answers.
  void set_prompt_id(absl::string_view id) { prompt_id_ = std::string(id); }

  std::string StartTurn(absl::string_view prompt) override;
  std::string TextLine(absl::string_view text) override;
  std::string Think(absl::string_view text) override;
  std::string WriteFile(const FileWritten& file) override;
  std::string Ask(const Asked& asked) override;
  std::optional<AskAnswer> AnswerIn(absl::string_view line) const override;
  std::string EndAsk(const AskAnswer& answer) override;
  std::string Todo(absl::Span<const TodoEntry> entries) override;
  std::string Succeed() override;
  std::string Fail(absl::string_view message) override;
  std::string Interrupt() override;

 private:
  // A tool call as updates tell it.
  struct Call {
    std::string id;
    std::string title;
    std::string kind;
    std::string content_json = "[]";
  };

  absl::string_view shell_tool() const override { return "run_shell_command"; }
  std::string NewToolId(absl::string_view native_name) override;
  std::string StartRunLines(const Running& run) override;
  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override;
  std::string Update(absl::string_view type, absl::string_view status,
                     const Call& call) const;

  std::string prompt_id_;
  Call asked_;
  int asks_ = -1;  // Id of the last request.
  int calls_ = 0;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_ACP_WIRE_H_
