// What a harness is: its name, what it can do, how to find and start its CLI,
// and how to talk with it.
#ifndef TROIKA_AGENT_BACKEND_H_
#define TROIKA_AGENT_BACKEND_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "agent/harness.h"
#include "agent/launch/flags.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"

namespace troika {

// The arguments with which a CLI runs `true` in its own sandbox, from a version
// on (agent/discovery/sandbox.h).
struct SandboxProbe {
  Version first;
  std::vector<absl::string_view> args;
};

// How a harness's CLI is found (agent/discovery/discovery.h).
struct CliNames {
  absl::string_view program;           // "codex"
  std::vector<absl::string_view> env;  // Variables that may name it.
  absl::string_view install;           // The command that installs it.
  // A program of ours stands beside the running one, and not on PATH.
  enum class Place { kOnPath, kBesideUs };
  Place place = Place::kOnPath;
  std::vector<absl::string_view> help;  // Its arguments for help.
  // Versions after this one are asked for their help.
  Version newest_known;
  // In the order of versions; empty if no edit mode relies on a sandbox.
  std::vector<SandboxProbe> sandbox_probes = {};
};

// Constants, and functions without state. Immutable; thread-safe.
struct Backend {
  Harness harness;
  absl::string_view display_name;
  CliNames cli_names;
  // What BuildLaunch makes of the edit modes; docs/permissions.md shows it.
  absl::Span<const EditModeRow> edit_modes;
  // The values of native permission options whose effect is known.
  absl::Span<const NativeModeRow> native_modes;
  // Whether images go into the conversation as data (TurnAsked::Image::base64)
  // and not on the command line.
  bool inline_images = false;
  // Whether BuildLaunch wants LaunchRequest::output_schema_text.
  bool inline_output_schema = false;
  // The first version in which a resumed session keeps its id.
  Version resume_keeps_session_from = {};
  // Tells the user how to log in.
  absl::string_view login_hint;
  // Some names that the CLI takes; others may work, too.
  std::vector<absl::string_view> models;

  // What this version can do, from the same table of flags that BuildLaunch
  // uses. An unknown version counts as the newest, so Cli{} gives the most that
  // the harness can do. A request for more fails with the text of CantDo().
  Capabilities (*capabilities)(const Cli& cli);
  // A fresh protocol for one process. The drift of `options` must outlive it.
  std::unique_ptr<Protocol> (*NewProtocol)(const ProtocolOptions& options);
  // The command line for this request in this version of the CLI; no I/O.
  // InvalidArgument says which option can't be done and what to do instead;
  // FailedPrecondition that the version is too old. The bypass of approvals
  // and sandbox is passed only if the options name it.
  absl::StatusOr<Launch> (*BuildLaunch)(const LaunchRequest& request,
                                        const Cli& cli);
  // Whether the CLI could log in with what is in the environment and in its own
  // files, of which no more is read than necessary. Unset: they don't tell.
  std::optional<bool> (*LooksLoggedIn)(const Environment& env);
  // The id of the session that was last worked on in `cwd`, from the files that
  // the CLI itself keeps; they are only read. NotFound names the folder.
  absl::StatusOr<std::string> (*LatestSession)(absl::string_view cwd,
                                               const Environment& env);

  bool resume_keeps_session(const Cli& cli) const {
    return ParseVersion(cli.version) >= resume_keeps_session_from;
  }
};

// Each is defined in its harness's folder, agent/NAME/backend.cc. Only
// agent/registry uses all of them.
const Backend& CodexBackend();
const Backend& ClaudeBackend();
const Backend& GeminiBackend();
const Backend& DemoBackend();

}  // namespace troika

#endif  // TROIKA_AGENT_BACKEND_H_
