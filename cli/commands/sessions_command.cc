#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/sessions.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

constexpr int kDefaultLimit = 20;
constexpr int kMaxPage = 1000;

struct SessionsCommandLine {
  v1::ListSessionsRequest request;
  int limit = kDefaultLimit;  // 0 for no limit.
  bool json = false;
};

absl::StatusOr<SessionsCommandLine> ReadSessionsCommandLine(Args args) {
  SessionsCommandLine line;
  std::vector<std::string> harnesses;
  std::string cwd, text;
  std::optional<int> limit;
  bool here = false, all = false;
  Flags flags;
  flags.Add("harness", &harnesses);
  flags.Add("here", &here);
  flags.Add("cwd", &cwd);
  flags.Add("text", &text);
  flags.Add("limit", &limit);
  flags.Add("all", &all);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (!words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("unexpected argument \"", words[0],
                     "\": `troika resume` continues a session"));
  }
  if (here && !cwd.empty()) {
    return absl::InvalidArgumentError("--here and --cwd exclude each other");
  }
  if (limit && *limit < 1) {
    return absl::InvalidArgumentError("--limit must be at least 1");
  }
  for (std::string& id : harnesses) line.request.add_harnesses(std::move(id));
  line.request.set_cwd(AbsolutePath(here ? "." : cwd));
  line.request.set_text(text);
  line.limit = all ? 0 : limit.value_or(kDefaultLimit);
  return line;
}

// Reads pages of sessions up to the limit. The rest is of the last page.
absl::StatusOr<v1::ListSessionsResponse> List(const SessionsCommandLine& line,
                                              Server& server) {
  v1::ListSessionsRequest request = line.request;
  AddSessionVariables(server.environment, request.mutable_env());
  v1::ListSessionsResponse list;
  do {
    const int missing = line.limit - list.sessions_size();
    request.set_page_size(line.limit == 0 ? kMaxPage
                                          : std::min(missing, kMaxPage));
    ASSIGN_OR_RETURN(v1::ListSessionsResponse page,
                     server.api.ListSessions(request));
    list.set_next_page_token(page.next_page_token());
    request.set_page_token(page.next_page_token());
    list.set_skipped_count(page.skipped_count());
    list.mutable_skipped()->Swap(page.mutable_skipped());
    list.mutable_sessions()->MergeFrom(page.sessions());
  } while (!request.page_token().empty() &&
           (line.limit == 0 || list.sessions_size() < line.limit));
  return list;
}

std::string TableText(const v1::ListSessionsResponse& list, const Io& io) {
  Table table({"AGE", "HARNESS", "ID", "TASK", "FOLDER", "MODEL", "PROMPT"});
  for (const v1::Session& session : list.sessions()) {
    const std::string folder =
        absl::StrCat(session.cwd(), session.cwd_missing() ? " (gone)" : "",
                     session.archived() ? " (archived)" : "");
    table.Add({AgeText(absl::Now() - ToTime(session.changed_at())),
               session.harness(), session.id(),
               session.running() ? absl::StrCat(session.task_id(), "*")
                                 : session.task_id(),
               folder, session.model(), session.prompt()});
  }
  return table.empty() ? "" : table.Text(TerminalWidth(io.out));
}

absl::StatusOr<int> Sessions(const SessionsCommandLine& line, Server& server,
                             const Io& io) {
  ASSIGN_OR_RETURN(const v1::ListSessionsResponse list, List(line, server));
  std::string text;
  if (line.json) {
    for (const v1::Session& session : list.sessions()) {
      absl::StrAppend(&text, JsonLine(session));
    }
  } else {
    text = TableText(list, io);
  }
  const int code = Print(io, text);
  for (const auto& file : list.skipped()) {
    Note(io, absl::StrCat("skipped ", file.path(), ": ", file.reason()));
  }
  if (list.skipped_count() > list.skipped_size()) {
    Note(io, absl::StrCat(list.skipped_count() - list.skipped_size(),
                          " more files could not be read"));
  }
  if (line.json) return code;
  if (list.sessions().empty()) Note(io, "no sessions");
  if (!list.next_page_token().empty()) {
    Note(io, "there are more sessions: --all lists them");
  }
  if (!list.sessions().empty()) {
    Note(io, "`troika resume ID` continues a session");
  }
  return code;
}

}  // namespace

constinit const Command kSessionsCommand = {
    .name = "sessions",
    .summary = "list the CLIs' own sessions",
    .help = kSessionsHelp,
    .run = RunOnServer<kSessionsCommand, ReadSessionsCommandLine, Sessions>};

}  // namespace troika::cli
