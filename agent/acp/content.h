// Reads the content of tool calls: texts, diffs, names and inputs.
#ifndef TROIKA_AGENT_ACP_CONTENT_H_
#define TROIKA_AGENT_ACP_CONTENT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/acp/record.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "base/json.h"

namespace troika::acp {

// Facts about a tool call that its messages are made of. An agent may report
// them one by one; Merge() keeps what a later report leaves out.
struct CallFacts {
  std::string title;
  std::string name;  // Native name, if the agent tells it.
  std::string kind;
  std::string raw_input_json;      // Empty if the agent tells none.
  std::string path;                // The first file that it is about.
  std::vector<std::string> paths;  // All files that it is said to change.
  std::string text;                // All texts of the content so far.
  std::string diff;      // All diffs of the content, as one unified diff.
  std::string old_text;  // The first diff's texts.
  std::string new_text;

  void Merge(const ToolCall& call);
  size_t bytes() const {
    return title.size() + name.size() + kind.size() + raw_input_json.size() +
           path.size() + text.size() + diff.size() + old_text.size() +
           new_text.size();
  }
};

// Returns the text of a content block; nullopt if it is of another type.
std::optional<absl::string_view> TextOf(json::Value block);

// Returns the name and input of the call, as far as they are known. Its id is
// left empty. Wires without raw inputs tell only a title: a command's is the
// command.
ToolUse ToolUseOf(Harness harness, absl::string_view native_id,
                  const CallFacts& facts);

Approval::Kind ApprovalKind(absl::string_view kind);
// Returns whether exactly CommandOf() would run, or exactly the tool of
// ToolUseOf(): the agent tells it as data, or as Gemini CLI from 0.51 on does.
bool IsExact(Harness harness, absl::string_view native_id,
             const CallFacts& facts);
// Returns the command line of a call that executes one.
std::string CommandOf(const CallFacts& facts);
// Returns the folder in which the command would run, if the agent tells it.
std::string FolderOf(const CallFacts& facts);

}  // namespace troika::acp

#endif  // TROIKA_AGENT_ACP_CONTENT_H_
