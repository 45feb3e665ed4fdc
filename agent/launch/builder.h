// Puts a command line together: what all harnesses check and say alike.
//
//   LaunchBuilder b(kRules, request, cli);
//   b.Arg("exec");
//   b.Flag("model", "--model", request.options.model);
//   b.Refuse({{"profile", "use config instead"}});
//   b.Permissions({});
//   return std::move(b).Finish(Launch::Stdin::kPrompt);
//
// The first thing that can't be done is the answer of Finish; nothing that was
// asked for is left out in silence.
#ifndef TROIKA_AGENT_LAUNCH_BUILDER_H_
#define TROIKA_AGENT_LAUNCH_BUILDER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/launch/flags.h"
#include "agent/launch/launch.h"

namespace troika {

// What is the same for all launches of a harness.
struct LaunchRules {
  absl::string_view name;     // "Codex CLI"
  absl::string_view install;  // The command that installs its newest version.
  Version oldest;             // The first whose stream we read.
  FlagTable flags;
  absl::Span<const EditModeRow> edit_modes;
  absl::Span<const NativeModeRow> native_modes;
};

// An option that a harness can't do, and what to do instead.
struct Refusal {
  absl::string_view option;
  absl::string_view instead;
};

class LaunchBuilder {
 public:
  // All are borrowed. Values that no command line can carry are refused here:
  // with a NUL, empty in a list, or beginning with a dash.
  LaunchBuilder(const LaunchRules& rules, const LaunchRequest& request,
                const Cli& cli);

  bool Has(absl::string_view flag) const {
    return rules_.flags.Has(cli_, flag);
  }
  const Version& version() const { return version_; }

  void Arg(absl::string_view arg) { launch_.argv.emplace_back(arg); }
  void Args(absl::Span<const absl::string_view> args);
  // Nothing where `value` is empty. The flag must be in the table.
  void Flag(absl::string_view option, absl::string_view flag,
            absl::string_view value);
  // A flag without a value, for an option that is set.
  void Switch(absl::string_view option, absl::string_view flag);
  // Adds to a flag's comma-separated list.
  void AddToList(absl::string_view flag, absl::string_view value);
  void Env(absl::string_view name, absl::string_view value);

  // The options that are set and stand in `refusals` can't be done.
  void Refuse(absl::Span<const Refusal> refusals);
  // `option` can't be done by a version that has no `flag`.
  void Require(absl::string_view option, absl::string_view flag);
  // `option` can't be done, as this version can't do `what` (CantDo).
  void FailVersion(absl::string_view option, absl::string_view what);
  // `option` can't be done, as `why` says.
  void Fail(absl::string_view option, absl::string_view why);

  // Adds to Launch::notices.
  void Notice(std::string text) { launch_.notices.push_back(std::move(text)); }

  // Passes the edit mode, which is research where nothing is set. `native` are
  // the harness's own settings that were given instead, by name; then nothing
  // is passed here. Two that say different things can't be done.
  void Permissions(absl::Span<const absl::string_view> native);

  absl::StatusOr<Launch> Finish(Launch::Stdin stdin_mode) &&;

 private:
  void CheckVersion();
  void CheckValue(absl::string_view option, absl::string_view value);
  void CheckValues(const LaunchRequest& request);

  const LaunchRules& rules_;
  const LaunchOptions& options_;
  const Cli& cli_;
  Version version_;
  Launch launch_;
  absl::Status status_;
};

// The key of a "key=value" setting; empty where it is none.
absl::string_view ConfigKey(absl::string_view setting);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_BUILDER_H_
