#include "server/acp_agents.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agent/registry.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr absl::string_view kPrefix = "acp:";

std::string NamesOf(const Config& config) {
  if (config.acp.empty()) return "none";
  return absl::StrJoin(config.acp, ", ",
                       [](std::string* out, const auto& agent) {
                         absl::StrAppend(out, agent.first);
                       });
}

}  // namespace

bool IsAcpCommand(absl::string_view agent) {
  return absl::StartsWith(agent, kPrefix);
}

absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && absl::ascii_isspace(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back().push_back(text[++i]);
    } else {
      words.back().push_back(c);
    }
  }
  if (quote != '\0') {
    return absl::InvalidArgumentError(
        absl::StrCat("the command of acp: has no closing ",
                     absl::string_view(&quote, 1), ": add it"));
  }
  return words;
}

absl::Status ResolveAcpAgent(const Caller& caller, const Config& config,
                             TaskRequest* request) {
  absl::string_view agent = request->agent;
  std::vector<std::string>& command = request->options.acp_command;
  if (absl::ConsumePrefix(&agent, kPrefix)) {
    if (caller.is_agent()) return NotForAgents("choose a program by acp:");
    ASSIGN_OR_RETURN(command, SplitCommand(agent));
    if (!command.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "acp: needs a command, such as acp:\"some-agent --acp\"");
  }
  if (agent == HarnessId(Harness::kAcp)) {
    return absl::InvalidArgumentError(
        "acp needs a command, such as acp:\"some-agent --acp\"");
  }
  const auto found = config.acp.find(agent);
  if (found == config.acp.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown harness \"", agent, "\"; there are: ", HarnessIds(),
        ", acp:COMMAND, and the agents of config.toml: ", NamesOf(config)));
  }
  if (caller.is_agent() && !found->second.agents) {
    return NotForAgents(absl::StrCat(
        "start ", agent, ", which has no agents = true in config.toml"));
  }
  command = found->second.command;
  return absl::OkStatus();
}

}  // namespace troika
