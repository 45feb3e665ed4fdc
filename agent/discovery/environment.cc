#include "agent/discovery/environment.h"

#include <unistd.h>

#include <algorithm>
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
  const Environment::Map& all = environment.variables();
  const auto is_denied = [](const auto& variable) {
    return Denied().contains(variable.first);
  };
  if (std::none_of(all.begin(), all.end(), is_denied)) return environment;
  Environment::Map kept = all;
  std::erase_if(kept, is_denied);
  return Environment(std::move(kept));
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
