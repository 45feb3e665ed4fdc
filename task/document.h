// The document of a task's first turn: what the agent said and did, as
// Markdown.
//
//   TurnDocument document(cwd);
//   for (const Message& message : messages) document.Add(message);
//   document.Markdown({.title = "Find the bug", .task = id, …});
//
// No I/O; the same messages give the same text.
#ifndef TROIKA_TASK_DOCUMENT_H_
#define TROIKA_TASK_DOCUMENT_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "task/state.h"

namespace troika {

// Whether the task's document is to be written: its first turn has ended, and
// so has a process that takes no other turn.
bool DocumentIsDue(const TaskState& state);

// The name of the document's file: agent_20261117_190000_find_the_bug.md, and
// for a later `attempt`, as files of that name exist, …_find_the_bug_2.md.
std::string DocumentName(absl::string_view title, absl::Time time,
                         absl::TimeZone zone, int attempt = 1);

// What a document tells besides the turn itself. Empty ones are left out.
struct DocumentFacts {
  std::string title;
  std::string task;
  std::string harness;  // With its version.
  std::string asked_model;
  std::string effort;
  std::string edit_mode;
  std::optional<int> exit_code;
  std::vector<std::string> mcp_servers;  // If the agent reported none.
  std::string log;                       // The path of the task's log.
};

// Memory is bounded: texts and lists are cut, and the document says so.
class TurnDocument {
 public:
  explicit TurnDocument(absl::string_view cwd) : cwd_(cwd) {}

  // Messages after the first turn's result, and those of subagents but for what
  // they did, are passed over.
  void Add(const Message& message);
  bool complete() const { return result_.has_value(); }
  // Whether the agent has searched the web.
  bool searched() const { return searched_; }

  std::string Markdown(const DocumentFacts& facts) const;
  // The last section of Markdown(): everything but what was said and done.
  std::string Metadata(const DocumentFacts& facts) const;

 private:
  // A list whose first items are kept.
  struct List {
    void Add(std::string item);

    std::vector<std::string> items;
    int left_out = 0;
  };

  void AddText(absl::string_view text, std::string* to);
  void AddTool(const ToolUse& tool);

  const std::string cwd_;
  std::string output_;
  std::string last_text_;
  std::string thoughts_;
  // Lines of stdout that are no messages.
  std::string unreadable_;
  bool cut_ = false;
  bool searched_ = false;
  List edits_;
  List searches_;
  List commands_;
  std::map<std::string, size_t> open_commands_;  // Places in commands_, by ids.
  Init init_;
  std::optional<absl::Time> began_;
  std::optional<absl::Time> ended_;
  std::optional<Result> result_;
};

}  // namespace troika

#endif  // TROIKA_TASK_DOCUMENT_H_
