// Builds a command line, with the checks and errors that all harnesses share.
//
//   LaunchBuilder b(kRules, request, cli);
//   b.Arg("exec");
//   b.Flag("model", "--model", request.options.model);
//   b.Refuse({{"profile", "use config instead"}});
//   b.Permissions({});
//   return std::move(b).Finish(Launch::Stdin::kPrompt);
//
// Finish returns the first error. No option that was set is dropped silently.
#ifndef TROIKA_AGENT_LAUNCH_BUILDER_H_
#define TROIKA_AGENT_LAUNCH_BUILDER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/launch/flags.h"
#include "agent/launch/launch.h"

namespace troika {

// The constants of a harness's command line.
struct LaunchRules {
  absl::string_view name;     // "Codex CLI"
  absl::string_view install;  // The command that installs its newest version.
  Version oldest;             // The oldest version whose stream we can read.
  FlagTable flags;
  absl::Span<const EditModeRow> edit_modes;
  absl::Span<const NativeModeRow> native_modes;
};

// An option that a harness does not support, and what to do instead.
struct Refusal {
  absl::string_view option;
  absl::string_view instead;
};

class LaunchBuilder {
 public:
  // Borrows all arguments. Rejects values that no command line can carry: a
  // value with a NUL, one that begins with a dash, or an empty one in a list.
  LaunchBuilder(const LaunchRules& rules, const LaunchRequest& request,
                const Cli& cli);

  bool Has(absl::string_view flag) const {
    return rules_.flags.Has(cli_, flag);
  }
  const Version& version() const { return version_; }

  void Arg(absl::string_view arg) { launch_.argv.emplace_back(arg); }
  void Args(absl::Span<const absl::string_view> args);
  // Does nothing if `value` is empty. The flag must be in the table.
  void Flag(absl::string_view option, absl::string_view flag,
            absl::string_view value);
  // Adds a flag without a value if the option is set.
  void Switch(absl::string_view option, absl::string_view flag);
  // Adds to a flag's comma-separated list.
  void AddToList(absl::string_view flag, absl::string_view value);
  // Says that the launch forks the session if the request asks for it, and
  // whether it can do so at any turn. Without this, such a request fails.
  void ForksSession(bool at_any_turn) {
    forks_session_ = true;
    forks_at_turn_ = at_any_turn;
  }
  // Removes a flag that was added and returns its value; empty: there is none.
  std::string TakeFlag(absl::string_view flag);
  void Env(absl::string_view name, absl::string_view value);

  // Fails if an option in `refusals` is set.
  void Refuse(absl::Span<const Refusal> refusals);
  // Fails for `option` if this version has no `flag`.
  void Require(absl::string_view option, absl::string_view flag);
  // Fails for `option` because this version can't do `what` (CantDo).
  void FailVersion(absl::string_view option, absl::string_view what);
  // Fails for `option` with `why` as the reason.
  void Fail(absl::string_view option, absl::string_view why);

  void Notice(std::string text) { launch_.notices.push_back(std::move(text)); }

  // Passes the edit mode, which is research if nothing is set. `native` names
  // the harness's own settings that were given instead, or beside
  // EditMode::kNative; if there are any, nothing is passed here. Fails if
  // several permission settings are given.
  void Permissions(absl::Span<const absl::string_view> native);
  // Makes the same checks and passes nothing. Returns the row of the edit mode;
  // null if `native` is not empty or this version has none.
  const EditModeRow* /*nullable*/ CheckPermissions(
      absl::Span<const absl::string_view> native);

  void set_setup_json(std::string json) {
    launch_.setup_json = std::move(json);
  }
  void NeedGitRepository() { launch_.needs_git_repository = true; }

  absl::StatusOr<Launch> Finish(Launch::Stdin stdin_mode,
                                Wire wire = Wire::kStreamJson) &&;

 private:
  void CheckVersion();
  void CheckValue(absl::string_view option, absl::string_view value);
  void CheckValues(const LaunchRequest& request);

  const LaunchRules& rules_;
  const LaunchOptions& options_;
  const bool fork_session_;
  const bool fork_at_turn_;
  bool forks_session_ = false;
  bool forks_at_turn_ = false;
  const Cli& cli_;
  Version version_;
  Launch launch_;
  absl::Status status_;
};

// Returns the key of a "key=value" setting, or an empty view.
absl::string_view ConfigKey(absl::string_view setting);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_BUILDER_H_
