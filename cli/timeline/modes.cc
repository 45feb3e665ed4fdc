#include "cli/timeline/modes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace troika::cli {
namespace {

bool IsEdit(absl::string_view tool) {
  return tool == "Edit" || tool == "Write" || tool == "NotebookEdit" ||
         tool == "MultiEdit";
}

// Returns the mode that allows what `mode` has denied: edits and commands.
// Other tools are not for modes to allow.
std::optional<EditMode> Allowing(const Result& result, EditMode mode) {
  bool only_edits = true;
  for (const Denial& denial : result.denials) {
    const bool edits = IsEdit(denial.tool_name);
    if (!edits && denial.tool_name != "Bash") return std::nullopt;
    only_edits = only_edits && edits;
  }
  if (result.denials.empty()) return std::nullopt;
  switch (mode) {
    case EditMode::kResearch:
      return only_edits ? EditMode::kAutoEdit : EditMode::kFullAuto;
    case EditMode::kAutoEdit:
      return EditMode::kFullAuto;
    case EditMode::kFullAuto:
      return EditMode::kDangerous;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string ModeText(absl::string_view permissions) {
  return permissions == "research" ? "research (read only)"
                                   : std::string(permissions);
}

std::string AllowingFlag(const Result& result, std::optional<EditMode> mode,
                         absl::string_view task) {
  if (result.denial_count == 0 || !mode) return "";
  const bool by_people =
      static_cast<size_t>(result.denial_count) == result.denials.size() &&
      std::all_of(result.denials.begin(), result.denials.end(),
                  [](const Denial& d) { return !d.by.empty(); });
  const std::optional<EditMode> better = Allowing(result, *mode);
  if (by_people || !better) return "";
  const std::string flag = absl::StrCat("--edit-mode ", EditModeId(*better));
  return absl::StrCat(flag, " would have allowed it",
                      task.empty() ? "" : ": troika resume ", task,
                      task.empty() ? "" : " ", task.empty() ? "" : flag);
}

}  // namespace troika::cli
