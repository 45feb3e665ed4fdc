// Generates turns of `gemini -o stream-json`: the prompt, then 10 to 40 steps.
// A step is a text in fragments of 20 to 80 bytes (one in two), then a tool use
// and its result: 55 % commands and reads with output, 25 % edits with two
// pieces of code as input and no output, 20 % written files.
//
// The average line has 467 bytes.
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "bench/generate.h"
#include "bench/text_source.h"

namespace troika::bench {
namespace {

constexpr absl::string_view kTime =
    "\"timestamp\":\"2025-01-05T12:31:07.113Z\"";

class GeminiSession final : public Session {
 public:
  explicit GeminiSession(uint64_t seed) : text_(seed) {}

  void AppendTurn(std::string* out) override {
    if (turns_++ == 0) session_id_ = text_.Uuid();
    absl::SubstituteAndAppend(
        out,
        "{\"type\":\"init\",$0,\"session_id\":\"$1\",\"model\":"
        "\"gemini-2.5-pro\"}\n"
        "{\"type\":\"message\",$0,\"role\":\"user\",\"content\":$2}\n",
        kTime, session_id_, Quoted(text_.Prose()));
    const int steps = text_.Between(10, 40);
    for (int i = 0; i < steps; ++i) {
      if (text_.Percent(50)) AppendText(out);
      AppendTool(out);
    }
    AppendText(out);
    absl::SubstituteAndAppend(
        out,
        R"({"type":"result",$0,"status":"success","stats":{"total_tokens":1080,)"
        R"("input_tokens":945,"output_tokens":135,"cached":45,"input":900,)"
        R"("duration_ms":41000,"tool_calls":$1,"models":{"gemini-2.5-pro":{)"
        R"("total_tokens":1080,"input_tokens":945,"output_tokens":135,)"
        R"("cached":45,"input":900}}}})"
        "\n",
        kTime, steps);
  }

 private:
  void AppendText(std::string* out) {
    const std::string text = text_.Prose();
    for (size_t at = 0; at < text.size();) {
      size_t end = at + text_.Between(20, 80);
      // Does not cut within a character.
      while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
      absl::SubstituteAndAppend(
          out,
          "{\"type\":\"message\",$0,\"role\":\"assistant\",\"content\":$1,"
          "\"delta\":true}\n",
          kTime, Quoted(absl::string_view(text).substr(at, end - at)));
      at = end;
    }
  }

  void AppendTool(std::string* out) {
    const int kind = text_.Between(1, 100);
    if (kind <= 35) {
      return AppendCall("run_shell_command",
                        absl::StrCat("\"command\":", Quoted(text_.Command())),
                        text_.Output(), out);
    }
    const std::string path =
        absl::StrCat("\"file_path\":", Quoted(text_.Path()));
    if (kind <= 55) return AppendCall("read_file", path, text_.Output(), out);
    if (kind <= 80) {
      return AppendCall(
          "replace",
          absl::StrCat(
              path, ",\"instruction\":", Quoted(text_.Command()),
              ",\"old_string\":", Quoted(text_.Code(text_.Between(50, 600))),
              ",\"new_string\":", Quoted(text_.Code(text_.Between(50, 900)))),
          "", out);
    }
    AppendCall("write_file",
               absl::StrCat(path, ",\"content\":",
                            Quoted(text_.Code(text_.Between(300, 6000)))),
               "", out);
  }

  void AppendCall(absl::string_view tool, absl::string_view parameters,
                  absl::string_view output, std::string* out) {
    const std::string id = absl::StrCat(tool, "__call_", ++calls_, "_0");
    absl::SubstituteAndAppend(
        out,
        "{\"type\":\"tool_use\",$0,\"tool_name\":\"$1\",\"tool_id\":\"$2\","
        "\"parameters\":{$3}}\n"
        "{\"type\":\"tool_result\",$0,\"tool_id\":\"$2\","
        "\"status\":\"success\"",
        kTime, tool, id, parameters);
    if (!output.empty()) absl::StrAppend(out, ",\"output\":", Quoted(output));
    absl::StrAppend(out, "}\n");
  }

  TextSource text_;
  std::string session_id_;
  int turns_ = 0;
  int64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Session> NewGeminiSession(uint64_t seed) {
  return std::make_unique<GeminiSession>(seed);
}

}  // namespace troika::bench
