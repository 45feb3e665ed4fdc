#include "agent/discovery/environment.h"

#include <unistd.h>

#include <iterator>
#include <set>

namespace troika {
namespace {

// LD_PRELOAD and similar variables stay: the owner chose them for their own
// programs (an allocator, a proxy), and anybody who can set them here runs as
// the owner anyway.
const std::set<absl::string_view>& Denied() {
  static const auto* const kDenied = new std::set<absl::string_view>{
      // Credentials and the address of a server: an agent uses the server's
      // socket instead, which identifies it as an agent.
      "TROIKA_TOKEN",
      "TROIKA_URL",
      // By these, an agent tells its children that they run inside it. Agents
      // that Troika starts don't; with these set, they would refuse to start,
      // report to the wrong editor, or assume that they have no network.
      "CLAUDECODE",
      "CLAUDE_CODE_ENTRYPOINT",
      "CLAUDE_CODE_SESSION_ID",
      "CLAUDE_CODE_SSE_PORT",
      "CODEX_CI",
      "CODEX_INTERNAL_ORIGINATOR_OVERRIDE",
      "CODEX_MANAGED_BY_BUN",
      "CODEX_MANAGED_BY_NPM",
      "CODEX_SANDBOX",
      "CODEX_SANDBOX_NETWORK_DISABLED",
      "CODEX_THREAD_ID",
      "GEMINI_CLI",
      // Set by the caller's shell; they describe another folder and program.
      "OLDPWD",
      "PWD",
      "SHLVL",
      "_",
  };
  return *kDenied;
}

}  // namespace

Environment ForAgents(const Environment& environment) {
  Environment::Map variables = environment.variables();
  for (auto it = variables.begin(); it != variables.end();) {
    it = Denied().contains(it->first) ? variables.erase(it) : std::next(it);
  }
  return Environment(std::move(variables));
}

Environment ProcessEnvironment() {
  Environment::Map variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    // The first of several definitions counts, as with getenv.
    if (equals != std::string::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return Environment(std::move(variables));
}

}  // namespace troika
