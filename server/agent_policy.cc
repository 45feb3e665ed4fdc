#include "server/agent_policy.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/ability_range.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "task/launcher.h"
#include "task/policy_files.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

// The task of a runner, as somebody would ask for it now.
absl::StatusOr<TaskRequest> RequestOf(const Runner& runner) {
  const notes::Request* const asked = runner.asked();
  if (asked == nullptr) {
    return absl::FailedPreconditionError("the task's request can't be read");
  }
  ASSIGN_OR_RETURN(const Backend* backend, BackendById(asked->harness));
  RETURN_IF_ERROR(asked->options_error);
  TaskRequest request = {.harness = backend->harness,
                         .cwd = asked->cwd,
                         .options = asked->options};
  UsePermissionsOf(runner.state(), &request.options);
  return request;
}

// The edit modes of a harness within the limits, as an error offers them.
std::string AllowedModes(const AgentLimits& limits, const Backend& backend) {
  std::vector<absl::string_view> modes;
  for (const EditMode mode :
       {EditMode::kResearch, EditMode::kAsk, EditMode::kAutoEdit,
        EditMode::kFullAuto, EditMode::kDangerous}) {
    if (FindEditMode(backend.edit_modes, mode, kUnknownVersion) != nullptr &&
        limits.abilities.Includes(
            AbilitiesOf(backend, {.edit_mode = mode}, "").most)) {
      modes.push_back(EditModeId(mode));
    }
  }
  const absl::string_view harness = HarnessId(backend.harness);
  if (modes.empty()) {
    return absl::StrCat("it may start no task of ", harness);
  }
  return absl::StrCat("with ", harness, " it may use edit_mode ",
                      absl::StrJoin(modes, " or "));
}

// Which version will run is not known yet, so all of them count.
std::string ExceedsAbilities(const AgentLimits& limits,
                             const TaskRequest& request) {
  const Backend& backend = BackendOf(request.harness);
  // The owner has marked this agent as one that agents may start, knowing what
  // it can do in its own mode.
  if (request.harness == Harness::kAcp &&
      request.options.approval_policy.empty()) {
    return "";
  }
  const Abilities excess =
      AbilitiesOf(backend, request.options, "").most - limits.abilities;
  if (excess.empty()) return "";
  return absl::StrCat(PermissionText(request.options), " of ",
                      HarnessId(request.harness), ", which could ",
                      AbilitiesText(excess), ", unlike its own (",
                      limits.permissions, "); ", AllowedModes(limits, backend));
}

// Replaces paths by what they lead to; false if one is not in the folder.
bool ResolveAll(const AgentLimits& limits, const std::string& cwd,
                std::vector<std::string>* paths) {
  for (std::string& path : *paths) {
    auto found = ResolveWithin(limits.cwd, PathFrom(cwd, path));
    if (!found) return false;
    path = *std::move(found);
  }
  return true;
}

// For an option that is set. A new option is refused until it gets a line here.
std::string ExceedsOption(const AgentLimits& limits, absl::string_view name,
                          TaskRequest* request) {
  constexpr absl::string_view kHarmless[] = {"model", "effort", "verbosity",
                                             "plan_tool"};
  // ExceedsAbilities compares what these let an agent do.
  constexpr absl::string_view kPermissions[] = {
      "edit_mode", "approval_policy", "sandbox", "dangerously_bypass"};
  const auto is_in = [&](absl::Span<const absl::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  LaunchOptions& options = request->options;
  if (is_in(kHarmless) || is_in(kPermissions)) return "";
  // Only ResolveAcpAgent sets it, to a program that is meant for agents.
  if (name == "acp_command" && request->harness == Harness::kAcp) return "";
  if (name == "web_search" && !*options.web_search) return "";
  if (name == "images") {
    return ResolveAll(limits, request->cwd, &options.images)
               ? ""
               : "images that are not within its folder";
  }
  if (name == "output_schema") {
    std::vector<std::string> paths = {options.output_schema};
    if (!ResolveAll(limits, request->cwd, &paths)) {
      return "an output_schema that is not within its folder";
    }
    options.output_schema = paths[0];
    return "";
  }
  return std::string(name);
}

}  // namespace

std::optional<AgentLimits> LimitsOfTask(const Runner& runner) {
  const auto request = RequestOf(runner);
  // An agent whose request is not known is known to be able to do nothing.
  if (!request.ok()) return AgentLimits{.permissions = "not known"};
  const Abilities abilities =
      AbilitiesOf(BackendOf(request->harness), request->options,
                  runner.state().version)
          .least;
  if (abilities == kEverything) return std::nullopt;
  return AgentLimits{
      .abilities = abilities,
      .permissions = absl::StrCat(HarnessId(request->harness), ", ",
                                  PermissionText(request->options)),
      .cwd = request->cwd,
      .policy = runner.asked()->policy,
      .granted = runner.state().granted_rules};
}

EditMode LoweredMode(const AgentLimits& limits, const Backend& backend,
                     EditMode wanted) {
  bool reached = false;
  for (const EditMode mode : {EditMode::kDangerous, EditMode::kFullAuto,
                              EditMode::kAutoEdit, EditMode::kResearch}) {
    reached |= mode == wanted;
    if (reached && limits.abilities.Includes(
                       AbilitiesOf(backend, {.edit_mode = mode}, "").most)) {
      return mode;
    }
  }
  return EditMode::kResearch;
}

void LowerNative(TaskRequest* request) {
  LaunchOptions& options = request->options;
  if (options.edit_mode != EditMode::kNative ||
      !options.approval_policy.empty() || !options.sandbox.empty() ||
      options.dangerously_bypass) {
    return;
  }
  options.edit_mode = EditMode::kResearch;
  request->notices.emplace_back(
      "edit_mode native is not for tasks that agents start: research is used "
      "instead");
}

std::optional<std::string> ResolveWithin(const std::string& folder,
                                         const std::string& path) {
  if (path.find('\0') != std::string::npos) return std::nullopt;
  std::error_code error;
  const fs::path top = fs::canonical(folder, error);
  if (error) return std::nullopt;
  const fs::path found = fs::canonical(path, error);
  if (error) return std::nullopt;
  const auto differ =
      std::mismatch(top.begin(), top.end(), found.begin(), found.end());
  if (differ.first != top.end()) return std::nullopt;
  return found.string();
}

std::string ExceedsLimits(const AgentLimits& limits, TaskRequest* request) {
  auto cwd = ResolveWithin(limits.cwd, request->cwd);
  if (!cwd) return "a folder that is not within its own";
  request->cwd = *std::move(cwd);
  if (!request->resume_session.empty()) return "resume_session";
  if (!request->base_instructions_text.empty()) return "base_instructions";
  // The server would write a file where the agent can't.
  if (request->document.wanted && !limits.abilities.Has(Ability::kEdit)) {
    return "a document, as it may not edit files itself";
  }
  std::string excess;
  ForEachField<LaunchOptions>([&](const auto& field) {
    if (!excess.empty() || IsDefault(field.Of(request->options))) return;
    excess = ExceedsOption(limits, field.name, request);
  });
  if (!excess.empty()) return excess;
  return ExceedsAbilities(limits, *request);
}

namespace {

// Whether the task has rules that the agent's own task lacks, and that may
// allow more. Those of the user and the project hold for both.
bool HasOtherRules(const AgentLimits& limits, const Runner& runner) {
  const auto is_own = [&](const notes::RulesFile& file) {
    return file.origin == kUserPolicy || file.origin == kProjectPolicy ||
           std::any_of(limits.policy.begin(), limits.policy.end(),
                       [&](const notes::RulesFile& own) {
                         return own.file == file.file && own.text == file.text;
                       });
  };
  const auto is_granted = [&](const std::string& rule) {
    return std::find(limits.granted.begin(), limits.granted.end(), rule) !=
           limits.granted.end();
  };
  const std::vector<notes::RulesFile>& policy = runner.asked()->policy;
  const std::vector<std::string>& granted = runner.state().granted_rules;
  return !std::all_of(policy.begin(), policy.end(), is_own) ||
         !std::all_of(granted.begin(), granted.end(), is_granted);
}

}  // namespace

std::string TurnExceedsLimits(const AgentLimits& limits, const Runner& runner,
                              TurnRequest* turn) {
  auto request = RequestOf(runner);
  if (!request.ok()) return "a request that can't be read";
  // Whether its program is meant for agents is not known here.
  if (request->harness == Harness::kAcp) return "an agent of acp";
  if (HasOtherRules(limits, runner)) {
    return "rules that its own task does not have";
  }
  const std::string cwd = request->cwd;
  if (std::string excess = ExceedsLimits(limits, &*request); !excess.empty()) {
    return excess;
  }
  return ResolveAll(limits, cwd, &turn->images)
             ? ""
             : "images that are not within its folder";
}

}  // namespace troika
