#include "agent/ability_range.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/launch/flags.h"

namespace troika {
namespace {

// Returns the abilities of the version's row; if the version is unknown, those
// that all rows of the mode share and those that any of them has.
AbilityRange OfMode(const Backend& backend, EditMode mode,
                    absl::string_view version) {
  if (!FindVersion(version).empty()) {
    const EditModeRow* const row =
        FindEditMode(backend.edit_modes, mode, ParseVersion(version));
    // A version that lacks the mode is not started in it.
    const Abilities abilities = row == nullptr ? Abilities() : row->abilities;
    return {abilities, abilities};
  }
  AbilityRange range = {.least = kEverything};
  for (const EditModeRow& row : backend.edit_modes) {
    if (row.mode != mode) continue;
    range.least = range.least & row.abilities;
    range.most = range.most | row.abilities;
  }
  return range;
}

const NativeModeRow* /*nullable*/ FindNative(const Backend& backend,
                                             absl::string_view option,
                                             absl::string_view value) {
  for (const NativeModeRow& row : backend.native_modes) {
    if (row.option == option && row.value == value) return &row;
  }
  return nullptr;
}

}  // namespace

AbilityRange AbilitiesOf(const Backend& backend, const LaunchOptions& options,
                         absl::string_view version) {
  const EditMode mode = options.edit_mode.value_or(EditMode::kResearch);
  if (options.dangerously_bypass || mode == EditMode::kDangerous) {
    return {kEverything, kEverything};
  }
  const Abilities research =
      OfMode(backend, EditMode::kResearch, version).least;
  AbilityRange range = OfMode(backend, mode, version);
  // The CLI's configuration may grant or deny anything.
  if (mode == EditMode::kNative) range.least = research;
  const std::pair<absl::string_view, const std::string&> natives[] = {
      {"approval_policy", options.approval_policy},
      {"sandbox", options.sandbox}};
  for (const auto& [option, value] : natives) {
    if (value.empty()) continue;
    const NativeModeRow* const row = FindNative(backend, option, value);
    if (row == nullptr) return {.least = {}, .most = kEverything};
    if (row->abilities) range = {*row->abilities, *row->abilities};
  }
  if (!options.config.empty() || !options.profile.empty()) {
    // Both may grant or deny anything except what research can do.
    range = {.least = range.least & research, .most = kEverything};
  }
  if (!options.extra_dirs.empty()) {
    range.most =
        range.most | Abilities{Ability::kReadOutside, Ability::kEditOutside};
  }
  return range;
}

bool ReportsBypass(const Backend& backend, absl::string_view permission_mode) {
  for (const absl::string_view reported :
       absl::StrSplit(permission_mode, ", ")) {
    for (const NativeModeRow& row : backend.native_modes) {
      if (row.value == reported && row.abilities == kEverything) return true;
    }
  }
  return false;
}

std::string PermissionText(const LaunchOptions& options) {
  std::vector<std::string> texts;
  if (options.dangerously_bypass) texts.push_back("dangerously_bypass");
  if (!options.approval_policy.empty()) {
    texts.push_back(absl::StrCat("approval_policy ", options.approval_policy));
  }
  if (!options.sandbox.empty()) {
    texts.push_back(absl::StrCat("sandbox ", options.sandbox));
  }
  if (texts.empty() || options.edit_mode) {
    texts.push_back(absl::StrCat(
        "edit_mode ",
        EditModeId(options.edit_mode.value_or(EditMode::kResearch))));
  }
  return absl::StrJoin(texts, ", ");
}

}  // namespace troika
