#include "agent/discovery/environment.h"

#include <unistd.h>

#include <iterator>
#include <set>

namespace troika {
namespace {

// LD_PRELOAD and its like stay: they are the owner's choice for the owner's
// programs (an allocator, a proxy), and who can set them here runs as the owner
// anyway.
const std::set<absl::string_view>& Denied() {
  static const auto* const kDenied = new std::set<absl::string_view>{
      // The right to use the server, and where one is: an agent reaches it by
      // its socket, where it is known for what it is.
      "TROIKA_TOKEN",
      "TROIKA_URL",
      // By these an agent tells its children that they run within it. One that
      // is started by Troika does not: it would refuse to start, report to the
      // wrong editor, or think that it has no network.
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
      // What a shell leaves behind: they tell of another folder and program.
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
    // Of a name that is there twice the first counts, as getenv has it.
    if (equals != std::string::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return Environment(std::move(variables));
}

}  // namespace troika
