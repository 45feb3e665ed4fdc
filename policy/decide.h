// Decides on requests of agents by rules. docs/policy.md says what each of
// these functions takes into account.
#ifndef TROIKA_POLICY_DECIDE_H_
#define TROIKA_POLICY_DECIDE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "policy/rules.h"

namespace troika::policy {

struct Verdict {
  // Unset if the rules don't decide: a person is asked, as for kPrompt.
  std::optional<Decision> decision;
  // The rules that decided, each once, the strictest ones only; at most 64.
  // Empty if no rule did.
  std::vector<MatchedRule> matched;
  // Why a person is asked although rules exist, such as "it redirects output";
  // a sentence for people without a full stop, or empty.
  std::string explanation;

  bool allowed() const { return decision == Decision::kAllow; }
  bool forbidden() const { return decision == Decision::kForbidden; }
  // The justifications of `matched`, joined; empty if there are none.
  std::string Justification() const;
};

// Returns the stricter one: forbidden before asked before allowed. If both ask,
// the one that a rule decided. For rules of which a newer version may restrict
// but not widen, decide by both versions and take the stricter verdict.
Verdict Stricter(Verdict a, Verdict b);

// A command that an agent wants to run. Either `line`, the text for a POSIX
// shell (bash, zsh, dash), or `argv`, the words for execve; the text and words
// must be complete. `bash -lc TEXT` is understood in both.
struct CommandRequest {
  std::string line;
  std::vector<std::string> argv;
};
Verdict DecideCommand(const Rules& rules, const CommandRequest& request);

// Files that an agent wants to change, create, delete or rename. Relative paths
// are relative to `cwd`, which is absolute. `..` is resolved by the text alone:
// if links matter, the caller resolves them and decides on both paths.
struct EditRequest {
  std::vector<std::string> paths;
  std::string cwd;
};
Verdict DecideEdit(const Rules& rules, const EditRequest& request);

// The end of the path of the user's configuration, whose hooks run programs
// outside of every sandbox (docs/hooks.md).
inline constexpr absl::string_view kConfigFile = "troika/config.toml";

// True if a path is in a folder named .troika or in `policy_folder` (empty for
// none), is one of them, or is that of a configuration. Such an edit is always
// asked, whatever the rules say.
bool ChangesPolicy(const EditRequest& request, absl::string_view policy_folder);

// A tool that an agent wants to use. `server` is the name of the MCP server, or
// empty for a tool of the CLI itself.
struct ToolRequest {
  std::string server;
  std::string tool;
};
Verdict DecideTool(const Rules& rules, const ToolRequest& request);

// Whether a program that is given by its path also matches rules for its name.
enum class HostExecutables { kIgnore, kResolve };

// Matches the words as `codex execpolicy check` does, which takes no shell line
// apart. Returns all matching rules in their order.
std::vector<MatchedRule> MatchPrefixRules(const Rules& rules,
                                          absl::Span<const std::string> words,
                                          HostExecutables host_executables);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_DECIDE_H_
