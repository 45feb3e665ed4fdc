// Describes what an approval would let an agent do, whole and exact, for the
// person who is asked: the lines of a command or script, an edit as a diff, a
// file's new content, or the input of any other tool as JSON.
//
//   const ApprovalText text = DescribeApproval("Bash",
//   R"({"command":"a\nb"})"); for (const ApprovalRow& row : RowsOf(text, 80)) …
//   // "  │ a", "  │ b"
#ifndef TROIKA_CLI_TIMELINE_APPROVAL_TEXT_H_
#define TROIKA_CLI_TIMELINE_APPROVAL_TEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"

namespace troika::cli {

struct ApprovalText {
  enum class Kind {
    kField,  // "name: value", besides the content.
    kText,   // A line of a command, a file or JSON.
    kSame,   // An unchanged line of a diff.
    kRemoved,
    kAdded,
  };
  struct Line {
    Kind kind = Kind::kText;
    std::string text;  // Exact (exact_text.h), of any length.
  };

  std::string tool;         // One line.
  std::string summary;      // The content or the file's name; one exact line.
  std::vector<Line> lines;  // The whole input.
  // Size of the content: lines as shown, bytes as the agent wrote them.
  size_t content_lines = 0;
  size_t content_bytes = 0;
};

struct DiffLine {
  ApprovalText::Kind kind = ApprovalText::Kind::kSame;
  absl::string_view text;  // Without its newline.
};

// Returns how `before` becomes `after`, with every line of both. An empty text
// has no lines; a newline at the end is followed by an empty line, so that
// adding or removing it shows. The result refers to the texts. Time and memory
// are bounded: if much differs in large texts, the result is all lines of one
// followed by all lines of the other.
std::vector<DiffLine> DiffLines(absl::string_view before,
                                absl::string_view after);

// `input_json` is the whole input of the tool; it is shown as text if it is not
// JSON.
ApprovalText DescribeApproval(absl::string_view tool_name,
                              absl::string_view input_json);

// Adds what the harness tells besides the input: the command and its folder, if
// the input has no such command, the diff of an edit, and the choices.
ApprovalText DescribeApproval(const Approval& approval);

// "command", "edit", "permission" or "plan"; empty for any other tool.
absl::string_view KindText(Approval::Kind kind);

// "3 lines, 120 bytes"
std::string SizeText(const ApprovalText& text);

// A line of a terminal.
struct ApprovalRow {
  ApprovalText::Kind kind = ApprovalText::Kind::kText;
  std::string text;
};

// Returns all lines in rows of at most `columns`, or of any length if that is
// 0. They are set off so that none can be taken for output of ours: by "  │ "
// before a line, and "  ┆ " before its continuation in the next row.
std::vector<ApprovalRow> RowsOf(const ApprovalText& text, size_t columns);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_APPROVAL_TEXT_H_
