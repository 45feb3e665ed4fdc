#include "cli/timeline/tool_label.h"

#include "absl/strings/str_cat.h"
#include "agent/tool_subject.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {

ToolLabel LabelOf(const ToolUse& use, absl::string_view cwd,
                  LabelLength length) {
  const std::string what = ToolSubject(use, cwd);
  const size_t columns =
      length == LabelLength::kWhole ? what.size() + 1 : kLongestLine;
  const std::string name =
      use.server.empty() ? use.name : absl::StrCat(use.server, "/", use.name);
  return {.name = SanitizedLine(name), .what = SanitizedLine(what, columns)};
}

}  // namespace troika::cli
