// Generates turns of `claude -p --output-format stream-json`: init, then 10 to
// 40 model messages, then the result. A message is thinking (one in three) and
// text (one in two), each in a line, then a tool use; its result follows in a
// user line that contains the output twice, as content and as tool_use_result.
// 60 % of the tools are commands, 20 % reads, 20 % edits that contain code. One
// turn in five has partial messages, in deltas of 10 to 60 bytes.
//
// The average line has 1096 bytes.
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "bench/generate.h"
#include "bench/text_source.h"

namespace troika::bench {
namespace {

class ClaudeSession final : public Session {
 public:
  explicit ClaudeSession(uint64_t seed) : text_(seed) {}

  void AppendTurn(std::string* out) override {
    if (turns_ == 0) session_id_ = text_.Uuid();
    partial_ = ++turns_ % 5 == 0;
    AppendInit(out);
    const int messages = text_.Between(10, 40);
    for (int i = 0; i < messages; ++i) AppendMessage(out);
    AppendResult(messages, out);
  }

 private:
  std::string Envelope() {
    return absl::Substitute(
        R"("parent_tool_use_id":null,"session_id":"$0","uuid":"$1")",
        session_id_, text_.Uuid());
  }

  void AppendInit(std::string* out) {
    absl::SubstituteAndAppend(
        out,
        R"({"type":"system","subtype":"init","cwd":"/workspace/project",)"
        R"("session_id":"$0","tools":["Task","Bash","Edit","Glob","Grep",)"
        R"("NotebookEdit","Read","Skill","TaskCreate","TaskGet","TaskList",)"
        R"("TaskUpdate","WebFetch","WebSearch","Write"],"mcp_servers":[],)"
        R"("model":"claude-sonnet-4-5","permissionMode":"acceptEdits",)"
        R"("slash_commands":["clear","compact","config","context","init",)"
        R"("review","security-review","usage"],"apiKeySource":"none",)"
        R"("claude_code_version":"2.1.197","output_style":"default",)"
        R"("agents":["Explore","general-purpose","Plan"],"skills":[],)"
        R"("plugins":[],"uuid":"$1","fast_mode_state":"off"})"
        "\n",
        session_id_, text_.Uuid());
  }

  void AppendMessage(std::string* out) {
    message_ = absl::StrCat("msg_", ++messages_);
    int block = 0;
    absl::SubstituteAndAppend(
        out,
        R"({"type":"system","subtype":"status","status":"requesting",)"
        R"("uuid":"$0","session_id":"$1"})"
        "\n",
        text_.Uuid(), session_id_);
    if (partial_) {
      AppendStream(
          absl::StrCat(R"({"type":"message_start","message":{"id":")", message_,
                       R"(","type":"message","role":"assistant","model":)"
                       R"("claude-sonnet-4-5","content":[],"stop_reason":null,)"
                       R"("stop_sequence":null,)",
                       kUsage, "}}"),
          out);
    }
    if (text_.Percent(33)) AppendWords("thinking", block++, out);
    if (text_.Percent(50)) AppendWords("text", block++, out);
    AppendTool(out);
    if (partial_) AppendStream(R"({"type":"message_stop"})", out);
  }

  void AppendStream(absl::string_view event, std::string* out) {
    absl::StrAppend(out, R"({"type":"stream_event","event":)", event, ",",
                    Envelope(), "}\n");
  }

  void AppendAssistant(absl::string_view block, std::string* out) {
    absl::StrAppend(
        out, R"({"type":"assistant","message":{"id":")", message_,
        R"(","type":"message","role":"assistant","model":"claude-sonnet-4-5",)"
        R"("content":[)",
        block, R"(],"stop_reason":null,"stop_sequence":null,)", kUsage,
        R"(,"context_management":null},)", Envelope(),
        R"(,"request_id":"req_0001"})", "\n");
  }

  // `kind`, text or thinking, names the block, its field and its deltas.
  void AppendWords(absl::string_view kind, int index, std::string* out) {
    const std::string text = text_.Prose();
    if (partial_) AppendDeltas(kind, index, text, out);
    AppendAssistant(absl::Substitute(
                        R"({"type":"$0","$0":$1$2})", kind, Quoted(text),
                        kind == "thinking" ? R"(,"signature":"c2lnbmVk")" : ""),
                    out);
    if (partial_) {
      AppendStream(absl::Substitute(
                       R"({"type":"content_block_stop","index":$0})", index),
                   out);
    }
  }

  void AppendDeltas(absl::string_view kind, int index, absl::string_view text,
                    std::string* out) {
    AppendStream(absl::Substitute(R"({"type":"content_block_start","index":$0,)"
                                  R"("content_block":{"type":"$1","$1":""}})",
                                  index, kind),
                 out);
    for (size_t at = 0; at < text.size();) {
      size_t end = at + text_.Between(10, 60);
      // Does not cut within a character.
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      AppendStream(
          absl::Substitute(R"({"type":"content_block_delta","index":$0,)"
                           R"("delta":{"type":"$1_delta","$1":$2}})",
                           index, kind, Quoted(text.substr(at, end - at))),
          out);
      at = end;
    }
  }

  void AppendTool(std::string* out) {
    const int kind = text_.Between(1, 100);
    if (kind <= 60) {
      const std::string output = Quoted(text_.Output());
      return AppendCall(
          "Bash",
          absl::StrCat("\"command\":", Quoted(text_.Command()),
                       ",\"description\":\"Look at the sources\""),
          output,
          absl::StrCat("{\"stdout\":", output,
                       R"(,"stderr":"","interrupted":false,"isImage":false})"),
          out);
    }
    const std::string path = Quoted(text_.Path());
    if (kind <= 80) {
      const std::string output = Quoted(text_.Output());
      return AppendCall(
          "Read", absl::StrCat("\"file_path\":", path), output,
          absl::StrCat(R"({"type":"text","file":{"filePath":)", path,
                       ",\"content\":", output,
                       R"(,"numLines":120,"startLine":1,"totalLines":120}})"),
          out);
    }
    const std::string before = Quoted(text_.Code(text_.Between(50, 600)));
    const std::string after = Quoted(text_.Code(text_.Between(50, 900)));
    AppendCall("Edit",
               absl::StrCat("\"file_path\":", path, ",\"old_string\":", before,
                            ",\"new_string\":", after),
               Quoted("The file has been updated successfully."),
               absl::StrCat("{\"filePath\":", path, ",\"oldString\":", before,
                            ",\"newString\":", after,
                            R"(,"structuredPatch":[],"userModified":false})"),
               out);
  }

  void AppendCall(absl::string_view tool, absl::string_view input,
                  absl::string_view content, absl::string_view tool_use_result,
                  std::string* out) {
    const std::string id = absl::StrCat("toolu_", ++calls_);
    AppendAssistant(
        absl::Substitute(
            R"({"type":"tool_use","id":"$0","name":"$1","input":{$2}})", id,
            tool, input),
        out);
    absl::StrAppend(
        out,
        R"({"type":"user","message":{"role":"user","content":[{"tool_use_id":")",
        id, R"(","type":"tool_result","content":)", content,
        R"(,"is_error":false}]},)", Envelope(),
        R"(,"timestamp":"2025-01-05T12:31:07.113Z","tool_use_result":)",
        tool_use_result, "}\n");
  }

  void AppendResult(int messages, std::string* out) {
    absl::SubstituteAndAppend(
        out,
        R"({"type":"result","subtype":"success","is_error":false,)"
        R"("duration_ms":41000,"duration_api_ms":39000,"num_turns":$0,)"
        R"("result":$1,"stop_reason":"end_turn","session_id":"$2",)"
        R"("total_cost_usd":$3.25,$4,"modelUsage":{"claude-sonnet-4-5":{)"
        R"("inputTokens":945,"outputTokens":225,"cacheReadInputTokens":180,)"
        R"("cacheCreationInputTokens":90,"costUSD":$3.25}},)"
        R"("permission_denials":[],"uuid":"$5"})"
        "\n",
        messages, Quoted(text_.Prose()), session_id_, turns_, kUsage,
        text_.Uuid());
  }

  static constexpr absl::string_view kUsage =
      R"("usage":{"input_tokens":101,"cache_creation_input_tokens":10,)"
      R"("cache_read_input_tokens":20,"output_tokens":1,)"
      R"("service_tier":"standard"})";

  TextSource text_;
  std::string session_id_;
  std::string message_;
  int turns_ = 0;
  bool partial_ = false;
  int64_t messages_ = 0;
  int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Session> NewClaudeSession(uint64_t seed) {
  return std::make_unique<ClaudeSession>(seed);
}

}  // namespace troika::bench
