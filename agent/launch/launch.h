// Defines the options of an agent's launch and the resulting command line.
#ifndef TROIKA_AGENT_LAUNCH_LAUNCH_H_
#define TROIKA_AGENT_LAUNCH_LAUNCH_H_

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/launch/wire.h"
#include "base/fields.h"
#include "base/json.h"

namespace troika {

// Permissions of an agent that need no approval, the same for all harnesses;
// kNative leaves them to the CLI's own configuration.
enum class EditMode {
  kResearch,
  kAutoEdit,
  kFullAuto,
  kDangerous,
  kAsk,
  kNative
};

template <>
inline constexpr auto kEnumNames<EditMode> = EnumNames("research", "auto_edit",
                                                       "full_auto", "dangerous",
                                                       "ask", "native");

inline absl::string_view EditModeId(EditMode mode) { return NameOf(mode); }
inline std::optional<EditMode> EditModeFromId(absl::string_view id) {
  return FromName<EditMode>(id);
}

// Only options that are set are passed to the CLI, except the permissions: if
// none is set, EditMode::kResearch applies.
struct LaunchOptions {
  std::string model;
  std::optional<EditMode> edit_mode;
  // The harness's own permission settings, instead of `edit_mode`.
  std::string approval_policy;  // For Codex; the mode for Claude and Gemini.
  std::string sandbox;          // Codex's mode, or the kind for Gemini.
  bool dangerously_bypass = false;  // Skips approvals and sandbox.
  std::vector<std::string> images;  // Paths.
  std::vector<std::string> config;  // key=value settings of the harness.
  std::string profile;
  std::string output_schema;  // A path.
  bool skip_git_check = false;
  std::vector<std::string> extra_dirs;
  std::string effort;
  std::string verbosity;
  std::optional<bool> web_search;
  bool ephemeral = false;
  std::string base_instructions;  // A path; replaces the CLI's own prompt.
  std::optional<bool> plan_tool;
  std::string local_provider;     // "ollama", …, or "default".
  std::string last_message_file;  // A path; the CLI writes its answer there.
  // The wire to use; if unset, the backend chooses by what the task needs.
  std::optional<Wire> wire;
  // Whether somebody will talk to the agent: answer, steer and interrupt it.
  bool interactive = false;
  // The program and its arguments, for Harness::kAcp. Only the server sets it.
  std::vector<std::string> acp_command;

  bool operator==(const LaunchOptions&) const = default;
};

// Numbers and names of v1::LaunchOptions; logs and errors use these names too.
template <>
inline constexpr auto kFields<LaunchOptions> = std::tuple{
    Field{1, "model", &LaunchOptions::model},
    Field{2, "edit_mode", &LaunchOptions::edit_mode},
    Field{3, "approval_policy", &LaunchOptions::approval_policy},
    Field{4, "sandbox", &LaunchOptions::sandbox},
    Field{5, "dangerously_bypass", &LaunchOptions::dangerously_bypass},
    Field{6, "images", &LaunchOptions::images},
    Field{7, "config", &LaunchOptions::config},
    Field{8, "profile", &LaunchOptions::profile},
    Field{9, "output_schema", &LaunchOptions::output_schema},
    Field{10, "skip_git_check", &LaunchOptions::skip_git_check},
    Field{11, "extra_dirs", &LaunchOptions::extra_dirs},
    Field{12, "effort", &LaunchOptions::effort},
    Field{13, "verbosity", &LaunchOptions::verbosity},
    Field{14, "web_search", &LaunchOptions::web_search},
    Field{15, "ephemeral", &LaunchOptions::ephemeral},
    Field{16, "base_instructions", &LaunchOptions::base_instructions},
    Field{17, "plan_tool", &LaunchOptions::plan_tool},
    Field{18, "local_provider", &LaunchOptions::local_provider},
    Field{19, "last_message_file", &LaunchOptions::last_message_file},
    Field{20, "wire", &LaunchOptions::wire},
    Field{21, "interactive", &LaunchOptions::interactive},
    Field{22, "acp_command", &LaunchOptions::acp_command}};

// Reads options that json::ToJson (base/json_fields.h) wrote to a log. Ignores
// unknown fields, which a newer version may write, and treats null as missing.
// InvalidArgument if a known field holds an invalid value: permissions are
// among the fields, so nothing is guessed.
absl::StatusOr<LaunchOptions> LaunchOptionsFromJson(json::Value object);

// Sets the edit mode in the place of the harness's own permission settings.
void UseEditMode(EditMode mode, LaunchOptions* options);

// A CLI that was found on this machine.
struct Cli {
  std::string path;
  std::string version;  // "0.166.0"; empty if unknown.
  std::string help;     // Output of --help; only for versions we don't know.
  // Why the CLI can't set up its sandbox on this machine, in its own words;
  // empty if it can, if it has no sandbox, or if we don't know.
  std::string sandbox_error;
  // The models that it takes, if it was asked before
  // (agent/discovery/models.h).
  std::vector<std::string> models = {};
};

// A process to start in `cwd`.
struct LaunchRequest {
  LaunchOptions options;
  std::string cwd;
  std::string resume_session;  // Empty for a new conversation.
  // Whether to continue `resume_session` under a new id and leave it as it is.
  bool fork_session = false;
  // The turn at whose end the copy begins (Result::fork_point); empty: the
  // last.
  std::string fork_point = "";
  // Whether somebody talks to the agent while it works, so that a wire that can
  // be steered is better. Unlike options.interactive, it changes no
  // permissions.
  bool converses = false;
  // Whether the user's rules may restrict the agent, so that a wire on which it
  // asks is better. Changes no permissions.
  bool guarded = false;
  // Session id for a new conversation, if the CLI takes one from us.
  std::string new_session;
  // Content of the file options.output_schema, for harnesses that take it
  // inline (Backend::inline_output_schema).
  std::string output_schema_text;
};

struct Launch {
  // Content of the agent's stdin. Prompts are never arguments: they may
  // begin with a dash, contain newlines and exceed an argument's limit.
  enum class Stdin {
    kNull,
    kPrompt,        // The prompt's bytes, then end of input.
    kConversation,  // Lines of the protocol while the process lives.
  };

  std::vector<std::string> argv;  // Begins with the path.
  // Set in addition to the task's environment.
  std::vector<std::pair<std::string, std::string>> env;
  Stdin stdin_mode = Stdin::kPrompt;
  Wire wire = Wire::kStreamJson;
  // The wire to use instead if the agent does not open this one; unset: none.
  std::optional<Wire> fallback;
  // A JSON object with what the protocol needs to open its session by requests:
  // model, permissions and the like. Empty on wires whose command line says it
  // all. It is kept in the log, so it must hold no secrets.
  std::string setup_json;
  // Whether the task must be in a git repository, as Codex wants it.
  // BuildLaunch does no I/O, so its caller checks that.
  bool needs_git_repository = false;
  // Whether the CLI damages a session that is resumed in the minute (of UTC) in
  // which it began, so that the start must wait for the next one.
  bool resume_in_later_minute = false;
  // Hints for the user, such as that this CLI can't restrict commands.
  std::vector<std::string> notices;
};

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_LAUNCH_H_
