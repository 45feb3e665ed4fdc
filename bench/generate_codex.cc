// Generates turns of `codex exec --json` with 20 to 60 items: 55 % commands
// (started and completed, with the output in the latter), 12 % file changes,
// 14 % messages, 10 % reasoning, 5 % MCP calls, 3 % plans, 1 % web searches.
//
// The average line has 1228 bytes.
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "bench/generate.h"
#include "bench/text_source.h"

namespace troika::bench {
namespace {

class CodexSession final : public Session {
 public:
  explicit CodexSession(uint64_t seed) : text_(seed) {}

  void AppendTurn(std::string* out) override {
    if (turns_++ == 0) {
      absl::SubstituteAndAppend(
          out, "{\"type\":\"thread.started\",\"thread_id\":\"$0\"}\n",
          text_.Uuid());
    }
    absl::StrAppend(out, "{\"type\":\"turn.started\"}\n");
    for (int i = text_.Between(20, 60); i > 0; --i) AppendItem(out);
    tokens_ += text_.Between(10000, 90000);
    absl::SubstituteAndAppend(
        out,
        R"({"type":"turn.completed","usage":{"input_tokens":$0,)"
        R"("cached_input_tokens":$1,"cache_write_input_tokens":0,)"
        R"("output_tokens":$2,"reasoning_output_tokens":$3}})"
        "\n",
        tokens_, tokens_ / 2, tokens_ / 50, tokens_ / 200);
  }

 private:
  void AppendItem(std::string* out) {
    const int kind = text_.Between(1, 100);
    if (kind <= 55) return AppendCommand(out);
    if (kind <= 67) return AppendFileChange(out);
    if (kind <= 81) return AppendText("agent_message", out);
    if (kind <= 91) return AppendText("reasoning", out);
    if (kind <= 96) return AppendMcp(out);
    if (kind <= 99) return AppendPlan(out);
    AppendSearch(out);
  }

  // Appends one line; `fields` follow the item's id and type.
  void Line(absl::string_view phase, absl::string_view type,
            absl::string_view fields, std::string* out) const {
    absl::StrAppend(out, R"({"type":"item.)", phase, R"(","item":{"id":"item_)",
                    items_, R"(","type":")", type, "\",", fields, "}}\n");
  }

  void AppendText(absl::string_view type, std::string* out) {
    Line("completed", type, absl::StrCat("\"text\":", Quoted(text_.Prose())),
         out);
    ++items_;
  }

  void AppendCommand(std::string* out) {
    const std::string command = absl::StrCat(
        "\"command\":",
        Quoted(absl::StrCat("/bin/bash -lc '", text_.Command(), "'")));
    Line(
        "started", "command_execution",
        absl::StrCat(
            command,
            R"(,"aggregated_output":"","exit_code":null,"status":"in_progress")"),
        out);
    const bool failed = text_.Percent(10);
    Line("completed", "command_execution",
         absl::StrCat(
             command, ",\"aggregated_output\":", Quoted(text_.Output()),
             ",\"exit_code\":",
             failed ? "1,\"status\":\"failed\"" : "0,\"status\":\"completed\""),
         out);
    ++items_;
  }

  void AppendFileChange(std::string* out) {
    std::string changes;
    for (int i = text_.Between(1, 3); i > 0; --i) {
      absl::StrAppend(&changes, changes.empty() ? "" : ",",
                      "{\"path\":", Quoted(text_.Path()),
                      ",\"kind\":\"update\"}");
    }
    const std::string fields = absl::StrCat("\"changes\":[", changes, "],");
    Line("started", "file_change",
         absl::StrCat(fields, "\"status\":\"in_progress\""), out);
    Line("completed", "file_change",
         absl::StrCat(fields, "\"status\":\"completed\""), out);
    ++items_;
  }

  void AppendMcp(std::string* out) {
    const std::string call = absl::Substitute(
        R"("server":"docs","tool":"search","arguments":{"query":$0,"limit":5},)",
        Quoted(text_.Command()));
    Line("started", "mcp_tool_call",
         absl::StrCat(call,
                      R"("result":null,"error":null,"status":"in_progress")"),
         out);
    Line(
        "completed", "mcp_tool_call",
        absl::StrCat(
            call, R"("result":{"content":[{"type":"text","text":)",
            Quoted(text_.Output()),
            R"(}],"structured_content":null},"error":null,"status":"completed")"),
        out);
    ++items_;
  }

  void AppendPlan(std::string* out) {
    const int done = text_.Between(1, 4);
    std::string items;
    for (int i = 1; i <= 5; ++i) {
      absl::StrAppend(&items, items.empty() ? "" : ",",
                      "{\"text\":", Quoted(text_.Command()),
                      ",\"completed\":", i <= done ? "true}" : "false}");
    }
    const std::string fields = absl::StrCat("\"items\":[", items, "]");
    Line("started", "todo_list", fields, out);
    Line("completed", "todo_list", fields, out);
    ++items_;
  }

  void AppendSearch(std::string* out) {
    Line("started", "web_search",
         R"("id":"ws_1","query":"","action":{"type":"other"})", out);
    Line("completed", "web_search",
         R"("id":"ws_1","query":"json lines","action":{"type":"search",)"
         R"("query":"json lines","queries":["json lines","jsonl"]})",
         out);
    ++items_;
  }

  TextSource text_;
  int turns_ = 0;
  int64_t items_ = 0;
  int64_t tokens_ = 0;
};

}  // namespace

std::unique_ptr<Session> NewCodexSession(uint64_t seed) {
  return std::make_unique<CodexSession>(seed);
}

}  // namespace troika::bench
