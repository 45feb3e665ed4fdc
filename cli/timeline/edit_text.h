// The changes of files that the use of a tool makes.
#ifndef TROIKA_CLI_TIMELINE_EDIT_TEXT_H_
#define TROIKA_CLI_TIMELINE_EDIT_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "cli/timeline/approval_text.h"

namespace troika::cli {

// A file that is changed, and how.
struct FileEdit {
  struct Line {
    ApprovalText::Kind kind = ApprovalText::Kind::kSame;
    std::string text;  // Not sanitized.
  };

  std::string path;  // As the agent wrote it, but relative to its folder.
  std::vector<Line>
      lines;  // Changed lines with some around them; may be empty.
  int64_t added = 0;
  int64_t removed = 0;
  bool counted = false;  // False if the wire does not say which lines.
};

// Returns the files that the tool changes, if it is one that edits; paths under
// `cwd` are relative to it.
std::vector<FileEdit> EditsOf(const ToolUse& use, absl::string_view cwd);

// Reads a unified diff of any number of files.
std::vector<FileEdit> ReadUnifiedDiff(absl::string_view diff);

// "+3 −1", or empty if it is not known.
std::string CountsText(const FileEdit& edit);
// "2 files changed, +12 −4: a.cc, b.cc"; empty if there are none.
std::string FilesText(const std::vector<FileEdit>& files);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_EDIT_TEXT_H_
