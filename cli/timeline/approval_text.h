// What an approval would let an agent do, whole and exact, for the person who
// is asked: a command or script with its lines, an edit as a diff, a file's new
// content, or the input of any other tool as JSON.
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

namespace troika::cli {

struct ApprovalText {
  enum class Kind {
    kField,  // "name: value": what is said besides the content.
    kText,   // A line of a command, a file or JSON.
    kSame,   // A line of a diff.
    kRemoved,
    kAdded,
  };
  struct Line {
    Kind kind = Kind::kText;
    std::string text;  // Exact (exact_text.h), and of any length.
  };

  std::string tool;         // One line.
  std::string summary;      // The content, or the file's name; one exact line.
  std::vector<Line> lines;  // Everything that the input has.
  // The content's size: lines as they are shown, bytes as the agent wrote them.
  size_t content_lines = 0;
  size_t content_bytes = 0;
};

// `input_json` is the whole input of the tool. What is no JSON is shown as it
// is.
ApprovalText DescribeApproval(absl::string_view tool_name,
                              absl::string_view input_json);

// "3 lines, 120 bytes"
std::string SizeText(const ApprovalText& text);

// A line of a terminal.
struct ApprovalRow {
  ApprovalText::Kind kind = ApprovalText::Kind::kText;
  std::string text;
};

// All lines in rows of at most `columns` (0: of any length), set off so that no
// line can be taken for one of ours: "  │ " before a line, "  ┆ " before what
// did not fit into the row above.
std::vector<ApprovalRow> RowsOf(const ApprovalText& text, size_t columns);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_APPROVAL_TEXT_H_
