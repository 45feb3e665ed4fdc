// Implements the wire of `gemini -o stream-json`.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/fake/wire.h"

namespace troika::fake {
namespace {

constexpr Version kTellsItsModel = {0, 20, 0};
constexpr Version kCachedTokens = {0, 35, 0};
constexpr Version kToolInId = {0, 51, 0};

// Constant, so that the streams of one script are equal.
constexpr absl::string_view kTime = "2025-01-01T00:00:00.000Z";

json::ObjectWriter Event(absl::string_view type) {
  json::ObjectWriter line;
  line.String("type", type).String("timestamp", kTime);
  return line;
}

std::string Line(json::ObjectWriter line) { return line.Take() + "\n"; }

class GeminiWire final : public Wire {
 public:
  explicit GeminiWire(const WireOptions& options) : Wire(options) {}

  std::string StartTurn(absl::string_view prompt) override {
    return Line(Event("init")
                    .String("session_id", options().session_id)
                    .String("model", model())) +
           Line(Event("message")
                    .String("role", "user")
                    .String("content", prompt));
  }

  std::string TextLine(absl::string_view text) override {
    return Line(Event("message")
                    .String("role", "assistant")
                    .String("content", text)
                    .Json("delta", "true"));
  }

  // This stream contains no thoughts.
  std::string Think(absl::string_view) override { return ""; }

  std::string WriteFile(const FileWritten& file) override {
    return Tool("write_file", json::ObjectWriter()
                                  .String("file_path", file.path)
                                  .String("content", file.content)
                                  .Take());
  }

  std::string Todo(absl::Span<const TodoEntry> entries) override {
    std::vector<std::string> todos;
    for (const TodoEntry& entry : entries) {
      todos.push_back(json::ObjectWriter()
                          .String("description", entry.text)
                          .String("status", script::StatusName(entry.status))
                          .Take());
    }
    return Tool("write_todos",
                json::ObjectWriter().Json("todos", JsonArray(todos)).Take());
  }

  std::string Succeed() override {
    return Line(Event("result")
                    .String("status", "success")
                    .Json("stats", Stats(TakeTokens())));
  }

  std::string Fail(absl::string_view message) override {
    return Line(Event("result")
                    .String("status", "error")
                    .Json("error", json::ObjectWriter()
                                       .String("type", "unknown")
                                       .String("message", message)
                                       .Take())
                    .Json("stats", Stats({})));
  }

 private:
  // Splits the text in two, because real texts come in fragments.
  std::string SayLines(absl::string_view text) override {
    size_t half = text.size() / 2;
    while (half > 0 && (text[half] & 0xC0) == 0x80) --half;
    if (half == 0) return TextLine(text);
    return TextLine(text.substr(0, half)) + TextLine(text.substr(half));
  }

  absl::string_view shell_tool() const override { return "run_shell_command"; }

  std::string NewToolId(absl::string_view native_name) override {
    const std::string id = absl::StrCat("call_", ++calls_);
    return Since(kToolInId) ? absl::StrCat(native_name, "__", id) : id;
  }

  std::string StartRunLines(const Running& run) override {
    return Use(shell_tool(), run.id,
               json::ObjectWriter().String("command", run.command).Take());
  }

  // A failed command is reported as successful, without its exit code.
  std::string EndRunLines(const Running& run,
                          const CommandOutcome& outcome) override {
    return Line(Event("tool_result")
                    .String("tool_id", run.id)
                    .String("status", "success")
                    .String("output", outcome.output));
  }

  static std::string Use(absl::string_view tool, absl::string_view id,
                         absl::string_view parameters) {
    return Line(Event("tool_use")
                    .String("tool_name", tool)
                    .String("tool_id", id)
                    .Json("parameters", parameters));
  }

  std::string Tool(absl::string_view tool, absl::string_view parameters) {
    const std::string id = NewToolId(tool);
    return Use(tool, id, parameters) + Line(Event("tool_result")
                                                .String("tool_id", id)
                                                .String("status", "success"));
  }

  std::string model() const {
    if (!Since(kTellsItsModel)) return "auto";
    return options().model.empty() ? "gemini-2.5-pro" : options().model;
  }

  std::string Stats(const Tokens& tokens) const {
    const int64_t input = tokens.input + tokens.cached;
    json::ObjectWriter counts;
    counts.Json("total_tokens", absl::StrCat(input + tokens.output))
        .Json("input_tokens", absl::StrCat(input))
        .Json("output_tokens", absl::StrCat(tokens.output));
    if (Since(kCachedTokens)) {
      counts.Json("cached", absl::StrCat(tokens.cached))
          .Json("input", absl::StrCat(tokens.input));
    }
    json::ObjectWriter stats = counts;
    stats.Json("duration_ms", "1").Json("tool_calls", absl::StrCat(calls_));
    if (Since(kCachedTokens)) {
      stats.Json("models",
                 json::ObjectWriter().Json(model(), counts.Take()).Take());
    }
    return stats.Take();
  }

  int calls_ = 0;
};

}  // namespace

std::unique_ptr<Wire> NewGeminiWire(const WireOptions& options) {
  return std::make_unique<GeminiWire>(options);
}

}  // namespace troika::fake
