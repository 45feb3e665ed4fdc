#include "cli/commands/sessions.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace troika::cli {

void AddSessionVariables(
    const Environment& environment,
    google::protobuf::Map<std::string, std::string>* variables) {
  for (const absl::string_view name :
       {"HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"}) {
    const absl::string_view value = environment.Get(name);
    if (value.empty()) continue;
    (*variables)[std::string(name)] = AbsolutePath(std::string(value));
  }
}

absl::StatusOr<v1::Session> FindSession(Server& server, const std::string& id,
                                        const std::string& harness) {
  v1::ListSessionsRequest request;
  request.set_id(id);
  if (!harness.empty()) request.add_harnesses(harness);
  AddSessionVariables(server.environment, request.mutable_env());
  ASSIGN_OR_RETURN(const v1::ListSessionsResponse found,
                   server.api.ListSessions(request));
  if (found.sessions().empty()) {
    return absl::NotFoundError(absl::StrCat(
        "there is no task or session ", id,
        ": `troika tasks` and `troika sessions` list them, and a session is "
        "named by its whole id"));
  }
  if (found.sessions_size() > 1) {
    std::vector<std::string> harnesses;
    for (const v1::Session& session : found.sessions()) {
      harnesses.push_back(session.harness());
    }
    return absl::InvalidArgumentError(absl::StrCat(
        absl::StrJoin(harnesses, " and "), " each have a session ", id,
        ": name one with `troika run HARNESS --resume ", id, "`"));
  }
  if (!found.sessions(0).cwd().empty()) return found.sessions(0);
  // Such a session is known to be of a folder only if one asks for that.
  request.set_cwd(AbsolutePath("."));
  ASSIGN_OR_RETURN(const v1::ListSessionsResponse here,
                   server.api.ListSessions(request));
  return here.sessions().empty() ? found.sessions(0) : here.sessions(0);
}

absl::Status CheckResumable(const v1::Session& session) {
  const std::string by_hand =
      absl::StrCat("`troika run ", session.harness(), " --resume ",
                   session.id(), " --cwd DIR`");
  if (session.running()) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", session.task_id(), " runs session ", session.id(),
                     ": `troika send ", session.task_id(), "` continues it"));
  }
  if (session.archived()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session ", session.id(), " is archived: run `", session.harness(),
        " unarchive ", session.id(), "`, then resume it"));
  }
  if (session.cwd().empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "session ", session.id(),
        " does not tell its folder: resume it there, or continue it with ",
        by_hand));
  }
  if (session.cwd_missing()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the folder of session ", session.id(), ", ", session.cwd(),
        ", is gone: create it, or continue elsewhere with ", by_hand));
  }
  return absl::OkStatus();
}

}  // namespace troika::cli
