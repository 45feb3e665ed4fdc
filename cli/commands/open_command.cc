#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

struct OpenCommandLine {
  std::string task;  // Empty: the list of tasks.
  bool print = false;
  bool sessions = false;
  std::string revoke;  // A session's id, or "all".
  bool json = false;
};

absl::StatusOr<OpenCommandLine> ReadOpenCommandLine(Args args) {
  OpenCommandLine line;
  Flags flags;
  flags.Add("print", &line.print);
  flags.Add("sessions", &line.sessions);
  flags.Add("revoke", &line.revoke);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (!words.empty()) {
    ASSIGN_OR_RETURN(line.task, ReadTask(words));
  }
  const int modes = (line.print || !line.task.empty() ? 1 : 0) +
                    (line.sessions ? 1 : 0) + (line.revoke.empty() ? 0 : 1);
  if (modes > 1) {
    return absl::InvalidArgumentError(
        "--sessions and --revoke go without each other, --print and a task");
  }
  if (line.json && !line.sessions) {
    return absl::InvalidArgumentError("--json goes with --sessions");
  }
  return line;
}

// Whether a desktop is there to open a window on.
bool HasDesktop(const Environment& environment) {
  return !environment.Get("DISPLAY").empty() ||
         !environment.Get("WAYLAND_DISPLAY").empty();
}

// Opens the URL in the desktop's browser. Returns false if that can't be done.
bool OpenInBrowser(const std::string& url) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int fd : {0, 1, 2}) {
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  std::vector<std::string> words = {"xdg-open", url};
  std::vector<char*> argv = {words[0].data(), words[1].data(), nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) return false;
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

absl::StatusOr<int> ListSessions(const OpenCommandLine& line, Server& server,
                                 const Io& io) {
  ASSIGN_OR_RETURN(const v1::ListPageSessionsResponse list,
                   server.api.ListPageSessions());
  if (line.json) return PrintJson(io, list);
  Table table({"SESSION", "SINCE", "USED", "BROWSER"});
  const absl::Time now = absl::Now();
  for (const v1::PageSession& session : list.sessions()) {
    table.Add({session.id(), AgeText(now - FromProto(session.created_at())),
               AgeText(now - FromProto(session.last_used_at())),
               SanitizedLine(session.browser())});
  }
  return Print(io, table.Text(0));
}

absl::StatusOr<int> Open(const OpenCommandLine& line, Server& server,
                         const Io& io) {
  if (line.sessions) return ListSessions(line, server, io);
  if (!line.revoke.empty()) {
    RETURN_IF_ERROR(server.api.RevokePageSession(line.revoke));
    return kExitOk;
  }
  if (!server.api.address().is_local()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the page of ", server.api.address().url,
        " is opened on that machine: run `troika open --print` there"));
  }
  std::string path = "/#code=";
  if (!line.task.empty()) {
    ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
    path = absl::StrCat("/tasks/", task.id(), "#code=");
  }
  ASSIGN_OR_RETURN(const v1::PageCode code, server.api.CreatePageCode());
  const std::string url = absl::StrReplaceAll(code.url(), {{"/#code=", path}});
  if (!line.print) {
    if (HasDesktop(server.environment) && OpenInBrowser(url)) return kExitOk;
    Note(io, "no browser could be started; open this within 60 seconds:");
  }
  return Print(io, absl::StrCat(url, "\n"));
}

}  // namespace

constinit const Command kOpenCommand = {
    .name = "open",
    .summary = "open the page in a browser",
    .help = kOpenHelp,
    .run = RunOnServer<kOpenCommand, ReadOpenCommandLine, Open>};

}  // namespace troika::cli
