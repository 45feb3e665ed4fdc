// Tools as clients see them, and the results of their calls.
#ifndef TROIKA_MCP_TOOL_H_
#define TROIKA_MCP_TOOL_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "mcp/protocol.h"
#include "mcp/schema.h"

namespace troika::mcp {

// A longer result is cut by clients, who show the model its ends only.
inline constexpr size_t kMaxResult = 40000;

// What a tool does to the world, by which clients decide whether to ask.
struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool open_world = false;
};
inline constexpr Annotations kReads = {.read_only = true};
// Changes nothing but the state of a session that exists.
inline constexpr Annotations kSteers = {};
// An agent may do anything.
inline constexpr Annotations kActs = {.destructive = true, .open_world = true};

struct ToolInfo {
  std::string name;
  std::string title;
  std::string description;
  std::vector<Field> input;
  std::string output_schema;  // JSON.
  Annotations annotations;
};

std::string ToolJson(const ToolInfo& tool);

// The result of a call. Clients show the model either the text or the object,
// so each says everything: the text is the object's JSON, unless it is given.
struct ToolResult {
  std::string object_json;
  std::string text = {};
  bool is_error = false;

  static ToolResult Error(absl::string_view message) {
    return {.text = std::string(message), .is_error = true};
  }
};

std::string CallResult(const Client& client, const ToolResult& result);

// Returns the beginning of `text` whose JSON string has at most `room` bytes.
absl::string_view CutForJson(absl::string_view text, size_t room);

}  // namespace troika::mcp

#endif  // TROIKA_MCP_TOOL_H_
