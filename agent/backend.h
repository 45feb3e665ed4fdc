// Describes a harness: its name and capabilities, how to find and start its
// CLI, and how to talk to it.
#ifndef TROIKA_AGENT_BACKEND_H_
#define TROIKA_AGENT_BACKEND_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"
#include "agent/harness.h"
#include "agent/launch/flags.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"

namespace troika {

// Arguments with which a CLI runs `true` in its own sandbox, and the first
// version that takes them (agent/discovery/sandbox.h).
struct SandboxProbe {
  Version first;
  std::vector<absl::string_view> args;
};

// How a harness's CLI is found (agent/discovery/discovery.h).
struct CliNames {
  absl::string_view program;           // "codex"
  std::vector<absl::string_view> env;  // Variables that may name its path.
  absl::string_view install;           // The command that installs it.
  // A program of ours is installed beside the running one instead of on PATH.
  enum class Location { kOnPath, kBesideUs };
  Location location = Location::kOnPath;
  std::vector<absl::string_view> help;  // Arguments that print the help.
  // Discovery runs --help only for versions newer than this one.
  Version newest_known;
  // Sorted by version; empty if no edit mode relies on a sandbox.
  std::vector<SandboxProbe> sandbox_probes = {};
  // Whether the program is one of our own choice that only starts the agent, so
  // that its version tells nothing.
  bool is_starter = false;
};

// How a CLI lists the models that it takes (agent/discovery/models.h).
struct ModelListing {
  Version first;  // The first version that can do it.
  std::vector<absl::string_view> args;
  std::string input;  // Lines for its stdin.
  // A text that only the line of the reply contains.
  absl::string_view reply_mark;
  absl::StatusOr<std::vector<std::string>> (*ReadReply)(absl::string_view line);
};

// Constants, and functions without state. Immutable; thread-safe.
struct Backend {
  Harness harness;
  absl::string_view display_name;
  CliNames cli_names;
  // Arguments that BuildLaunch passes per edit mode; see docs/permissions.md.
  absl::Span<const EditModeRow> edit_modes;
  // Values of native permission options whose effect is known.
  absl::Span<const NativeModeRow> native_modes;
  // Wires on which images are sent within the conversation as data
  // (TurnAsked::Image::base64); on the others, they are passed as paths.
  std::vector<Wire> inline_images = {};
  // Whether BuildLaunch reads LaunchRequest::output_schema_text.
  bool inline_output_schema = false;
  // The first version in which a resumed session keeps its id.
  Version resume_keeps_session_from = {};
  // Whether a fork has the model of the session that it copies.
  bool fork_keeps_model = true;
  // Tells the user how to log in.
  absl::string_view login_hint;
  // Variables whose presence logs the CLI in.
  absl::Span<const absl::string_view> login_variables;
  // Some of the model names that the CLI accepts.
  std::vector<absl::string_view> models;
  // Null if the CLI can't list them itself.
  const ModelListing* /*nullable*/ model_listing = nullptr;

  // The only wire of processes before 2026-11-17, whose logs name none.
  Wire first_wire = Wire::kStreamJson;

  // Returns the capabilities that a process of this version has on `wire`, from
  // the same table of flags that BuildLaunch uses. An unknown version counts as
  // the newest.
  Capabilities (*wire_capabilities)(const Cli& cli, Wire wire);
  // Returns what this version can do on some wire; Cli{} gives everything the
  // harness can do. A request for more fails with CantDo().
  Capabilities (*capabilities)(const Cli& cli);
  // Creates a protocol for one process. `options.drift` must outlive it.
  std::unique_ptr<Protocol> (*NewProtocol)(const ProtocolOptions& options);
  // Builds the command line for this version of the CLI, without I/O.
  // InvalidArgument names the unsupported option and what to do instead;
  // FailedPrecondition means that the version is too old. The flag that
  // bypasses approvals and sandbox is passed only if the options ask for it.
  absl::StatusOr<Launch> (*BuildLaunch)(const LaunchRequest& request,
                                        const Cli& cli);
  // Guesses from the environment and the CLI's own files, without reading more
  // of them than necessary, whether the CLI could log in. Unset if unknown.
  std::optional<bool> (*LooksLoggedIn)(const Environment& env);
  // Names of the MCP servers that the CLI's own configuration has; null if its
  // agents report them. Blocks for the time of a small read.
  std::vector<std::string> (*McpServers)(const Environment& env) = nullptr;
  // The sessions that the CLI keeps on this machine; null if we know of none.
  const SessionKeeping* /*nullable*/ sessions = nullptr;

  bool sends_images_inline(Wire wire) const {
    return std::find(inline_images.begin(), inline_images.end(), wire) !=
           inline_images.end();
  }
  bool resume_keeps_session(const Cli& cli) const {
    return ParseVersion(cli.version) >= resume_keeps_session_from;
  }
};

// Each is defined in its harness's folder, agent/NAME/backend.cc. Only
// agent/registry uses all of them.
const Backend& CodexBackend();
const Backend& ClaudeBackend();
const Backend& GeminiBackend();
const Backend& AcpBackend();

}  // namespace troika

#endif  // TROIKA_AGENT_BACKEND_H_
