#include "agent/launch/permissions_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace troika {

std::string PermissionsText(const LaunchOptions& options,
                            std::optional<EditMode> mode) {
  std::vector<std::string> parts;
  if (mode) parts.emplace_back(EditModeId(*mode));
  // The mode of a later turn replaces what the request has set.
  if (mode && *mode != EditMode::kNative) return parts[0];
  if (options.dangerously_bypass) parts.push_back("dangerously bypass");
  if (!options.sandbox.empty()) {
    parts.push_back(absl::StrCat("sandbox ", options.sandbox));
  }
  if (!options.approval_policy.empty()) {
    parts.push_back(absl::StrCat("approval policy ", options.approval_policy));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace troika
