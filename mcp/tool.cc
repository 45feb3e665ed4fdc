#include "mcp/tool.h"

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "base/utf8.h"

namespace troika::mcp {
namespace {

absl::string_view BoolText(bool value) { return value ? "true" : "false"; }

}  // namespace

std::string ToolJson(const ToolInfo& tool) {
  const Annotations& hints = tool.annotations;
  return json::ObjectWriter()
      .String("name", tool.name)
      .String("title", tool.title)
      .String("description", tool.description)
      .Json("inputSchema", InputSchema(tool.input))
      .Json("outputSchema", tool.output_schema)
      .Json("annotations",
            json::ObjectWriter()
                .String("title", tool.title)
                .Json("readOnlyHint", BoolText(hints.read_only))
                .Json("destructiveHint", BoolText(hints.destructive))
                .Json("idempotentHint", BoolText(hints.read_only))
                .Json("openWorldHint", BoolText(hints.open_world))
                .Take())
      .Take();
}

std::string CallResult(const Client& client, const ToolResult& result) {
  const std::string& text =
      result.text.empty() ? result.object_json : result.text;
  json::ObjectWriter writer = BeginResult(client);
  writer.Json("content", absl::StrCat("[",
                                      json::ObjectWriter()
                                          .String("type", "text")
                                          .String("text", text)
                                          .Take(),
                                      "]"));
  // Older versions ignore what they don't know.
  if (!result.object_json.empty()) {
    writer.Json("structuredContent", result.object_json);
  }
  writer.Json("isError", BoolText(result.is_error));
  return writer.Take();
}

absl::string_view CutForJson(absl::string_view text, size_t room) {
  size_t used = 2;  // The quotes.
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool is_short =
        c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\';
    used += is_short ? 2 : c < 0x20 ? 6 : 1;
    if (used > room) return CutAtCharacter(text, i);
  }
  return text;
}

}  // namespace troika::mcp
