// Parses the lines of `gemini -o stream-json`.
//
// One process is one turn: `init` begins it and `result` ends it. The stream
// contains neither subagents' actions nor the model's thoughts. A shell command
// that fails is reported as successful, without an exit code.
#ifndef TROIKA_AGENT_GEMINI_PARSE_H_
#define TROIKA_AGENT_GEMINI_PARSE_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/gemini/record.h"
#include "agent/line_protocol.h"

namespace troika::gemini {

// Fragments are joined up to this size; the rest becomes another text.
inline constexpr size_t kMaxTextBytes = size_t{16} << 20;

class GeminiProtocol final : public LineProtocol {
 public:
  explicit GeminiProtocol(const ProtocolOptions& options)
      : LineProtocol(options) {}

 protected:
  void OnLine(json::Value line, Emitter& out) override;
  void OnEnd(Result result, Emitter& out) override;
  bool EchoesPrompt() const override { return true; }

 private:
  void OnInit(const InitLine& init, Emitter& out);
  void OnMessage(const MessageLine& message, Emitter& out);
  void OnToolUse(const ToolUseLine& use, Emitter& out);
  void OnToolResult(const ToolResultLine& result, Emitter& out);
  void OnError(const ErrorLine& error, Emitter& out);
  void OnResult(const ResultLine& result, Emitter& out);

  void AddFragment(absl::string_view text, Emitter& out);
  // Emits the text that the fragments so far form, if any.
  void EndText(Emitter& out);

  void EmitTodo(json::Value parameters, Emitter& out);
  void StartAgent(const ToolUseLine& use, Emitter& out);
  void EndAgent(absl::string_view native_id, absl::string_view status,
                Emitter& out);
  void EndAllAgents(Emitter& out);

  bool had_init_ = false;
  bool had_result_ = false;  // Whether this process has sent a result.
  std::string block_id_;     // Id of the current text; empty if there is none.
  std::string text_;
  std::string last_text_;   // Last text of this turn, which becomes its answer.
  std::string last_error_;  // Last error of this turn.
  std::map<std::string, Subagent, std::less<>> agents_;  // By native tool id.
};

}  // namespace troika::gemini

#endif  // TROIKA_AGENT_GEMINI_PARSE_H_
