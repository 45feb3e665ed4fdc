// Builds the command line of `codex app-server`, and the parameters with which
// the protocol opens its thread and starts its turns.
//
// A thread that is started with a sandbox that can write makes Codex trust the
// folder in the user's config.toml for ever. So threads start with read-only,
// and each turn has the sandbox that was asked for, which leaves no trace
// (tried on 0.166).

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/codex/launch.h"
#include "agent/codex/rules.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

constexpr absl::string_view kPolicies[] = {"untrusted", "on-request", "never"};

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

bool HasSetting(const LaunchOptions& options, absl::string_view setting) {
  for (const std::string& given : options.config) {
    if (given == setting) return true;
  }
  return false;
}

// Returns the approval policy for the thread and its turns; empty if it was
// refused, or if the user's settings decide.
std::string PolicyOf(const LaunchOptions& options, LaunchBuilder& b) {
  const std::string& policy = options.approval_policy;
  if (policy == "on-failure" && !b.Has("on-failure")) {
    b.Notice(
        "this version of Codex CLI has no approval policy on-failure any more; "
        "on-request is used instead");
    return "on-request";
  }
  if (!policy.empty()) {
    for (const absl::string_view known : kPolicies) {
      if (policy == known) return policy;
    }
    if (policy == "on-failure") return policy;
    b.Fail("approval_policy",
           absl::StrCat("Codex CLI has no \"", policy, "\"; it has ",
                        absl::StrJoin(kPolicies, ", ")));
    return "";
  }
  const EditMode mode = options.edit_mode.value_or(EditMode::kResearch);
  if (mode == EditMode::kAsk) return "untrusted";
  if (mode == EditMode::kNative) {
    return options.dangerously_bypass ? "never" : "";
  }
  const bool may_leave_sandbox =
      mode == EditMode::kAutoEdit || mode == EditMode::kFullAuto;
  // Somebody is there whom it can ask to leave the sandbox.
  return options.interactive && may_leave_sandbox ? "on-request" : "never";
}

// Returns the sandbox of each turn: read-only, workspace-write or kNoSandbox.
// Empty if the user's settings decide.
std::string SandboxOf(const LaunchOptions& options) {
  if (!options.sandbox.empty()) return options.sandbox;
  if (!NativePermissions(options).empty()) return "";
  if (options.dangerously_bypass || options.edit_mode == EditMode::kDangerous) {
    return std::string(kNoSandbox);
  }
  if (options.edit_mode == EditMode::kNative) return "";
  // With an approval policy alone, what is approved must be able to write.
  if (!options.edit_mode && !options.approval_policy.empty() &&
      options.approval_policy != "never") {
    return "workspace-write";
  }
  return options.edit_mode.value_or(EditMode::kResearch) == EditMode::kResearch
             ? "read-only"
             : "workspace-write";
}

std::string SandboxPolicy(const LaunchOptions& options,
                          absl::string_view sandbox, LaunchBuilder& b) {
  if (sandbox == kNoSandbox) return R"({"type":"dangerFullAccess"})";
  if (sandbox == "read-only") return R"({"type":"readOnly"})";
  if (sandbox != "workspace-write") {
    b.Fail("sandbox",
           absl::StrCat("Codex CLI has no \"", sandbox,
                        "\"; it has read-only, workspace-write, ", kNoSandbox));
    return "{}";
  }
  std::vector<std::string> roots;
  for (const std::string& dir : options.extra_dirs)
    roots.push_back(Quoted(dir));
  const bool network =
      HasSetting(options, "sandbox_workspace_write.network_access=true");
  return json::ObjectWriter()
      .String("type", "workspaceWrite")
      .Json("writableRoots", absl::StrCat("[", absl::StrJoin(roots, ","), "]"))
      .Json("networkAccess", network ? "true" : "false")
      .Json("excludeTmpdirEnvVar", "false")
      .Json("excludeSlashTmp", "false")
      .Take();
}

// Checks that not two settings say what the agent may do.
void CheckPermissions(const LaunchOptions& options, LaunchBuilder& b) {
  std::vector<absl::string_view> native = NativePermissions(options);
  if (native.empty() && !options.approval_policy.empty() &&
      options.approval_policy != "never") {
    native.push_back("approval_policy");
  }
  const EditModeRow* const row = b.CheckPermissions(native);
  if (row != nullptr && row->mode == EditMode::kAsk) {
    b.Notice(std::string(row->notice));
  }
  if (row != nullptr && row->mode == EditMode::kResearch) {
    b.Notice(std::string(RulesNotice()));
  }
}

std::string SetupJson(const LaunchRequest& request, LaunchBuilder& b) {
  const LaunchOptions& o = request.options;
  const std::string policy = PolicyOf(o, b);
  const std::string sandbox = SandboxOf(o);
  json::ObjectWriter thread;
  thread.String("cwd", request.cwd);
  if (!o.model.empty()) thread.String("model", o.model);
  if (!policy.empty()) thread.String("approvalPolicy", policy);
  if (!sandbox.empty()) thread.String("sandbox", "read-only");
  if (o.ephemeral && request.resume_session.empty()) {
    thread.Json("ephemeral", "true");
  }
  json::ObjectWriter turn;
  if (!policy.empty()) turn.String("approvalPolicy", policy);
  if (!sandbox.empty()) {
    turn.Json("sandboxPolicy", SandboxPolicy(o, sandbox, b));
  }
  if (!o.output_schema.empty()) {
    turn.Json("outputSchema", request.output_schema_text);
  }
  json::ObjectWriter setup;
  setup.Json("thread", thread.Take()).Json("turn", turn.Take());
  if (request.fork_session) {
    json::ObjectWriter fork;
    if (!request.fork_point.empty()) {
      fork.String("lastTurnId", request.fork_point);
    }
    setup.Json("fork", fork.Take());
  }
  return setup.Take();
}

}  // namespace

absl::StatusOr<Launch> BuildAppServerLaunch(const LaunchRequest& request,
                                            const Cli& cli) {
  const LaunchOptions& o = request.options;
  LaunchBuilder b(Rules(), request, cli);
  if (!b.Has("app-server") && request.fork_session) {
    b.FailVersion("fork_session", kForkSession);
  } else if (!b.Has("app-server")) {
    b.FailVersion(o.edit_mode == EditMode::kAsk ? "edit_mode ask" : "wire",
                  "ask before it acts");
  }
  b.Refuse({{"profile", "name its settings with config"},
            {"last_message_file", "read the task's result"},
            {"local_provider", "set model_provider with config"}});
  b.Arg("app-server");
  CheckPermissions(o, b);
  b.ForksSession(b.Has("lastTurnId"));
  AddSandboxNotice(o, cli, b);
  AddSettings(o, b);
  b.set_setup_json(SetupJson(request, b));
  if (!o.skip_git_check) b.NeedGitRepository();
  return std::move(b).Finish(Launch::Stdin::kConversation, Wire::kAppServer);
}

}  // namespace troika::codex
