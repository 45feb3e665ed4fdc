#include "task/policy_hold.h"

#include "absl/strings/str_cat.h"
#include "agent/ability_range.h"

namespace troika {
namespace {

constexpr absl::string_view kAll = "does everything";
constexpr absl::string_view kBySettings = "does what its own settings allow";
constexpr absl::string_view kEdits = "edits files in its folder";
constexpr absl::string_view kEditsAndRuns =
    "edits files in its folder and runs commands";

absl::string_view OfMode(Harness harness, EditMode mode) {
  const bool codex = harness == Harness::kCodex;
  switch (mode) {
    case EditMode::kAsk:
      return "";
    case EditMode::kResearch:
      // Claude Code and Gemini CLI have no tools then that rules are about.
      return codex ? "runs commands in its read-only sandbox" : "";
    case EditMode::kAutoEdit:
      return codex ? "edits files and runs commands in its sandbox" : kEdits;
    case EditMode::kFullAuto:
      return kEditsAndRuns;
    case EditMode::kDangerous:
      return kAll;
    case EditMode::kNative:
      return kBySettings;
  }
  return kAll;
}

}  // namespace

absl::string_view DoneWithoutAsking(Harness harness,
                                    const LaunchOptions& options) {
  if (options.dangerously_bypass) return kAll;
  if (!options.approval_policy.empty() || !options.sandbox.empty() ||
      !options.config.empty() || !options.profile.empty()) {
    return kBySettings;
  }
  return OfMode(harness, options.edit_mode.value_or(EditMode::kResearch));
}

std::string PolicyNotice(const Backend& backend, const LaunchOptions& options) {
  const absl::string_view done = DoneWithoutAsking(backend.harness, options);
  if (done.empty()) return "";
  return absl::StrCat(
      "your rules can't hold for all that this agent does: "
      "with ",
      PermissionText(options), " ", backend.display_name, " ", done,
      " without asking; edit_mode ask asks");
}

absl::Status CheckPolicyHolds(const Backend& backend,
                              const LaunchOptions& options) {
  const absl::string_view done = DoneWithoutAsking(backend.harness, options);
  if (done.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "require_policy: with ", PermissionText(options), " ",
      backend.display_name, " ", done,
      " without asking, so the rules can't hold: use edit_mode ask, or leave "
      "out require_policy"));
}

}  // namespace troika
