// Builds the command line of `codex exec`, versions 0.34 to 0.166.
//
// Flags of exec precede `resume`, which has fewer and newer flags of its own;
// they apply to it nevertheless (tried from 0.63 to 0.166). Each image has its
// own --image, and another flag must follow, because --image takes all
// arguments up to the next flag. The prompt is on stdin, as the final `-` says.
#include "agent/codex/launch.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/codex/rules.h"
#include "agent/sandbox_error.h"
#include "base/json.h"

namespace troika::codex {
namespace {

// Adds a setting whose value is a TOML string, which is written like JSON's.
void AddSetting(absl::string_view key, absl::string_view value,
                LaunchBuilder& b) {
  if (value.empty()) return;
  std::string setting = absl::StrCat(key, "=");
  json::AppendQuoted(value, &setting);
  b.Args({"-c", setting});
}

void AddWebSearch(bool on, LaunchBuilder& b) {
  if (b.Has("web_search")) {
    AddSetting("web_search", on ? "live" : "disabled", b);
  } else {
    b.Args({"-c", on ? "tools.web_search=true" : "tools.web_search=false"});
  }
}

void AddPlanTool(bool on, LaunchBuilder& b) {
  if (b.Has("tools.update_plan.enabled")) {
    b.Args({"-c", on ? "tools.update_plan.enabled=true"
                     : "tools.update_plan.enabled=false"});
  } else if (on) {
    b.Require("plan_tool", "update_plan");
  } else {
    b.Require("plan_tool", "tools.update_plan.enabled");
  }
}

// Older versions use another name for the same key.
void AddBaseInstructions(absl::string_view path, LaunchBuilder& b) {
  AddSetting(b.Has("model_instructions_file")
                 ? "model_instructions_file"
                 : "experimental_instructions_file",
             path, b);
}

void AddImages(const std::vector<std::string>& images, LaunchBuilder& b) {
  for (const std::string& image : images) b.Flag("images", "--image", image);
}

// Whether the permissions of `options` keep Codex's sandbox.
bool UsesSandbox(const LaunchOptions& options) {
  if (options.dangerously_bypass || options.edit_mode == EditMode::kDangerous ||
      options.sandbox == kNoSandbox) {
    return false;
  }
  for (const std::string& setting : options.config) {
    if (ConfigKey(setting) == "sandbox_mode" &&
        absl::StrContains(setting, kNoSandbox)) {
      return false;
    }
  }
  return true;
}

void AddLocalProvider(absl::string_view provider, LaunchBuilder& b) {
  if (provider.empty()) return;
  b.Switch("local_provider", "--oss");
  if (provider != "default") {
    b.Flag("local_provider", "--local-provider", provider);
  }
}

void AddPermissions(const LaunchOptions& options, LaunchBuilder& b) {
  b.Permissions(NativePermissions(options));
  b.Flag("sandbox", "-s", options.sandbox);
  if (MayAsk(options)) {
    b.Fail("wire",
           "codex exec asks nothing and takes no answers; leave wire out, or "
           "set it to app_server");
  }
}

absl::StatusOr<Launch> BuildExecLaunch(const LaunchRequest& request,
                                       const Cli& cli) {
  const LaunchOptions& o = request.options;
  const Capabilities can = WireCapabilities(cli, Wire::kExec);
  LaunchBuilder b(Rules(), request, cli);
  if (!request.resume_session.empty() && !can.resume) {
    b.FailVersion("resume_session", kGoOnWithSession);
  }
  if (!o.images.empty() && !can.images) b.FailVersion("images", kTakeImages);
  if (request.fork_session) {
    b.Fail("wire",
           "Troika forks Codex's sessions by app_server only; leave wire out");
  }
  if (AsksByItsSettings(o)) {
    b.Notice(absl::StrCat(
        "native: ", NameAndVersion(Rules().name, cli),
        " asks nothing on this wire, exec, whatever its settings say: what "
        "would need an approval fails; wire app_server, from 0.124.0 on, "
        "asks"));
  }
  if (o.interactive) {
    b.Notice(absl::StrCat(NameAndVersion(Rules().name, cli),
                          " takes no input while it works on this wire, exec; "
                          "wire app_server, from 0.124.0 on, does"));
  }
  b.Arg("exec");
  AddImages(o.images, b);
  b.Args({"--json", "--color", "never"});
  AddPermissions(o, b);
  AddSandboxNotice(o, cli, b);
  b.Flag("model", "--model", o.model);
  b.Flag("profile", "--profile", o.profile);
  b.Flag("output_schema", "--output-schema", o.output_schema);
  b.Flag("last_message_file", "--output-last-message", o.last_message_file);
  for (const std::string& dir : o.extra_dirs) {
    b.Flag("extra_dirs", "--add-dir", dir);
  }
  if (o.skip_git_check) b.Switch("skip_git_check", "--skip-git-repo-check");
  if (o.ephemeral) b.Switch("ephemeral", "--ephemeral");
  AddLocalProvider(o.local_provider, b);
  AddSettings(o, b);
  b.Flag("resume_session", "resume", request.resume_session);
  b.Arg("-");
  return std::move(b).Finish(Launch::Stdin::kPrompt, Wire::kExec);
}

}  // namespace

void AddSettings(const LaunchOptions& o, LaunchBuilder& b) {
  AddSetting("model_reasoning_effort", o.effort, b);
  AddSetting("model_verbosity", o.verbosity, b);
  AddBaseInstructions(o.base_instructions, b);
  if (o.web_search) AddWebSearch(*o.web_search, b);
  if (o.plan_tool) AddPlanTool(*o.plan_tool, b);
  // These come last because the last value of a key counts.
  for (const std::string& setting : o.config) b.Args({"-c", setting});
}

std::vector<absl::string_view> NativePermissions(const LaunchOptions& options) {
  std::vector<absl::string_view> native;
  if (!options.sandbox.empty()) native.push_back("sandbox");
  for (const std::string& setting : options.config) {
    const absl::string_view key = ConfigKey(setting);
    if (key == "sandbox_mode" || key == "default_permissions") {
      native.push_back(key);
    }
  }
  return native;
}

void AddSandboxNotice(const LaunchOptions& options, const Cli& cli,
                      LaunchBuilder& b) {
  if (cli.sandbox_error.empty() || !UsesSandbox(options)) return;
  b.Notice(SandboxTrouble(Rules().name, cli.sandbox_error));
}

absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                   const Cli& cli) {
  const std::optional<Wire>& wire = request.options.wire;
  if (wire && *wire != Wire::kExec && *wire != Wire::kAppServer) {
    return absl::InvalidArgumentError(
        "wire: Codex CLI has exec and app_server");
  }
  if (wire) {
    return *wire == Wire::kExec ? BuildExecLaunch(request, cli)
                                : BuildAppServerLaunch(request, cli);
  }
  if (MayAsk(request.options) || request.fork_session) {
    return BuildAppServerLaunch(request, cli);
  }
  const bool may_ask = AsksByItsSettings(request.options);
  // Somebody who talks to the agent is welcome, but not needed: exec will do if
  // the version, or the other options, leave nothing else.
  // A task that may only read stays there, where Codex's own rules can't let it
  // do more.
  const bool only_reads = request.options.edit_mode.value_or(
                              EditMode::kResearch) == EditMode::kResearch &&
                          NativePermissions(request.options).empty();
  const bool converses = request.options.interactive || may_ask ||
                         (request.converses && !only_reads);
  if (!converses || !Rules().flags.Has(cli, "app-server")) {
    return BuildExecLaunch(request, cli);
  }
  absl::StatusOr<Launch> launch = BuildAppServerLaunch(request, cli);
  if (launch.ok()) launch->fallback = Wire::kExec;
  const bool needed = launch.ok() || request.options.interactive;
  return needed ? std::move(launch) : BuildExecLaunch(request, cli);
}

}  // namespace troika::codex
