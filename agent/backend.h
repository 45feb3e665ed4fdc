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

// The arguments with which a CLI runs a harmless command in its own sandbox,
// from a version on (agent/discovery/sandbox.h).
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

// Stateless and immutable; thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Harness harness() const = 0;
  virtual absl::string_view display_name() const = 0;
  // What this version can do, from the same table of flags that BuildLaunch
  // goes by. A version that is not known counts as the newest: so Cli{} says
  // what the harness can do at best. Who asks for more gets CantDo() as an
  // error.
  virtual Capabilities capabilities(const Cli& cli) const = 0;

  // A fresh protocol for one process. The drift of `options` must outlive it.
  virtual std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const = 0;

  virtual CliNames cli_names() const = 0;
  // The command line for this request in this version of the CLI; no I/O.
  // InvalidArgument says which option can't be done and what to do instead;
  // FailedPrecondition that the version is too old. The bypass of approvals
  // and sandbox is passed only where the options name it.
  virtual absl::StatusOr<Launch> BuildLaunch(const LaunchRequest& request,
                                             const Cli& cli) const = 0;
  // What BuildLaunch makes of the edit modes; docs/permissions.md shows it.
  virtual absl::Span<const EditModeRow> edit_modes() const = 0;
  // The values of native permission options whose effect is known.
  virtual absl::Span<const NativeModeRow> native_modes() const { return {}; }
  // Whether a resumed session keeps its id.
  virtual bool resume_keeps_session(const Cli& cli) const = 0;
  // Whether images go into the conversation as data (TurnAsked::Image::base64)
  // and not on the command line.
  virtual bool inline_images() const = 0;
  // Whether BuildLaunch wants LaunchRequest::output_schema_text.
  virtual bool inline_output_schema() const = 0;

  // Whether the CLI could log in with what is in the environment and in its own
  // files, of which no more is read than it takes. Unset: they don't tell.
  virtual std::optional<bool> LooksLoggedIn(const Environment& env) const = 0;
  // What to do where it could not.
  virtual absl::string_view login_hint() const = 0;
  // Some names that it takes; others may work, too.
  virtual std::vector<absl::string_view> models() const = 0;

  // The id of the session that was last worked on in `cwd`, from the files that
  // the CLI itself keeps; they are only read. NotFound says where it looked.
  virtual absl::StatusOr<std::string> LatestSession(
      absl::string_view cwd, const Environment& env) const = 0;
};

}  // namespace troika

#endif  // TROIKA_AGENT_BACKEND_H_
