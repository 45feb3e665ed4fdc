// What a task asks of a harness's command line, and the command line itself.
#ifndef TROIKA_AGENT_LAUNCH_LAUNCH_H_
#define TROIKA_AGENT_LAUNCH_LAUNCH_H_

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/fields.h"
#include "base/json.h"

namespace troika {

// What an agent may do without being asked for, the same for all harnesses.
enum class EditMode { kResearch, kAutoEdit, kFullAuto, kDangerous };

template <>
inline constexpr auto kEnumNames<EditMode> = EnumNames("research", "auto_edit",
                                                       "full_auto",
                                                       "dangerous");

inline absl::string_view EditModeId(EditMode mode) { return NameOf(mode); }
inline std::optional<EditMode> EditModeFromId(absl::string_view id) {
  return FromName<EditMode>(id);
}

// What was asked for. Only what is set here is passed to the CLI, but for the
// permissions: where none is set, it is EditMode::kResearch.
struct LaunchOptions {
  std::string model;
  std::optional<EditMode> edit_mode;
  // The harness's own permission settings, instead of `edit_mode`.
  std::string approval_policy;      // Codex's; Claude's and Gemini's mode.
  std::string sandbox;              // Codex's mode; which one Gemini shall use.
  bool dangerously_bypass = false;  // Approvals and sandbox.
  std::vector<std::string> images;  // Paths.
  std::vector<std::string> config;  // key=value, the harness's own settings.
  std::string profile;
  std::string output_schema;  // A path.
  bool skip_git_check = false;
  std::vector<std::string> extra_dirs;
  std::string effort;
  std::string verbosity;
  std::optional<bool> web_search;
  bool ephemeral = false;
  std::string base_instructions;  // A path: instead of the CLI's own prompt.
  std::optional<bool> plan_tool;
  std::string local_provider;     // "ollama", …; "default" for the CLI's own.
  std::string last_message_file;  // A path: where the CLI leaves its answer.

  bool operator==(const LaunchOptions&) const = default;
};

// The numbers and names of v1::LaunchOptions; the names are also those in logs
// and errors.
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
    Field{19, "last_message_file", &LaunchOptions::last_message_file}};

// A JSON object of what is set, as logs keep it.
//
//   LaunchOptionsToJson({.model = "m", .edit_mode = EditMode::kAutoEdit})
//       // {"model":"m","edit_mode":"auto_edit"}
std::string LaunchOptionsToJson(const LaunchOptions& options);

// A field that we don't know, as of a newer writer, is passed over, and null is
// as good as missing. InvalidArgument if a known field holds something else
// than it may: permissions are among them, so nothing is guessed.
absl::StatusOr<LaunchOptions> LaunchOptionsFromJson(json::Value object);

// A CLI that was found on this machine.
struct Cli {
  std::string path;
  std::string version;  // "0.166.0"; empty where it can't be known.
  std::string help;     // What --help says; only of versions we don't know.
  // Why the CLI can't set up its sandbox on this machine, in its own words;
  // empty if it can, if it has none, or if that is not known.
  std::string sandbox_error;
};

// One process to start, in `cwd`.
struct LaunchRequest {
  LaunchOptions options;
  std::string cwd;
  std::string resume_session;  // Empty: a new conversation.
  // A session id for a new conversation, where the CLI takes one from us.
  std::string new_session;
  // What stands in the file options.output_schema, for the harnesses that take
  // it so (Backend::inline_output_schema).
  std::string output_schema_text;
};

struct Launch {
  // How the agent gets its stdin. Prompts are never arguments: they may begin
  // with a dash, hold newlines and be longer than an argument may be.
  enum class Stdin {
    kNull,
    kPrompt,        // The prompt's bytes, then the end.
    kConversation,  // Lines of the protocol, for as long as it lives.
  };

  std::vector<std::string> argv;                         // The path first.
  std::vector<std::pair<std::string, std::string>> env;  // Besides the task's.
  Stdin stdin_mode = Stdin::kPrompt;
  // What the user should know, such as that this wire can't restrict commands.
  std::vector<std::string> notices;
};

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_LAUNCH_H_
