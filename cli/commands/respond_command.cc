#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/approvals/respond.h"
#include "cli/commands/follow.h"
#include "cli/commands/server.h"
#include "cli/commands/task_text.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kHelp =
    R"(usage: troika respond TASK [ID] [--allow|--deny|--answer TEXT...] [FLAG...]

Answers an approval or question of an agent. Without --allow, --deny and
--answer it shows the whole of it and asks you on the terminal. ID is the id of
the approval or question, which `troika show TASK` prints; it may be left out if
only one waits. TASK is its id, the beginning of an id that no other task has,
or latest.

  --allow        let the agent do what it asks for; without ID, shows on stderr
                 what that is
  --deny         don't let it
  --reason TEXT  why, for the agent; only with --deny
  --answer TEXT  the answer to a question: an option, its number, or any words;
                 once for each item of the question. Separate the numbers of
                 several options with commas: --answer 1,3
  --json         print the task as JSON

Exit code: 0; 1 if the server can't be reached, or the input ended without an
answer; 2 if the command line is wrong, or no such approval or question waits.

Examples:
  troika respond latest
  troika respond latest --allow
  troika respond latest --deny --reason "use the staging database"
  troika respond latest --answer 2
)";

struct Line {
  std::string task;
  enum class How { kGiven, kAsk } how = How::kGiven;
  Reply reply;
  bool json = false;
};

absl::StatusOr<Line> ReadLine(Args args) {
  Line line;
  bool allow = false, deny = false;
  Flags flags;
  flags.Add("allow", &allow);
  flags.Add("deny", &deny);
  flags.Add("reason", &line.reply.reason);
  flags.Add("answer", &line.reply.answers);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  if (words.empty() || words[0].empty() || words.size() > 2) {
    return absl::InvalidArgumentError(
        "a task is needed, and at most one id of an approval or question");
  }
  const int given = int{allow} + int{deny} + int{!line.reply.answers.empty()};
  if (given > 1) {
    return absl::InvalidArgumentError(
        "only one of --allow, --deny and --answer can be given");
  }
  if (given == 0) line.how = Line::How::kAsk;
  const bool can_ask = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (given == 0 && (line.json || !can_ask)) {
    return absl::InvalidArgumentError(
        "one of --allow, --deny and --answer is needed, except on a terminal "
        "without --json");
  }
  if (!line.reply.reason.empty() && !deny) {
    return absl::InvalidArgumentError("--reason goes with --deny");
  }
  line.task = words[0];
  if (words.size() == 2) line.reply.id = words[1];
  line.reply.kind = allow  ? Reply::Kind::kAllow
                    : deny ? Reply::Kind::kDeny
                           : Reply::Kind::kAnswer;
  return line;
}

// Shows what waits and asks the user for the answer.
absl::StatusOr<int> Ask(const Line& line, const v1::Task& task, Server& server,
                        const Io& io) {
  RETURN_IF_ERROR(CheckWaits(task, line.reply.id));
  return Follow(server, task,
                {.until = FollowOptions::Until::kAnswered,
                 .ctrl_c = FollowOptions::CtrlC::kLeaves,
                 .show = FollowOptions::Show::kNew,
                 .asked = line.reply.id},
                io);
}

// Shows on stderr what is about to be allowed.
void ShowAllowed(const std::string& id, const v1::Task& task, Server& server,
                 const Io& io) {
  const DescribeOptions options = {.columns = TerminalWidth(io.err),
                                   .inputs = ReadInputs(task, server.api)};
  for (const v1::Approval& approval : task.approvals()) {
    if (approval.id() != id) continue;
    WriteAll(io.err, Describe(approval, options)).IgnoreError();
  }
}

absl::StatusOr<int> Respond(const Line& line, Server& server, const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  if (line.how == Line::How::kAsk) return Ask(line, task, server, io);
  ASSIGN_OR_RETURN(const v1::RespondRequest request,
                   MakeResponse(task, line.reply));
  // The user has not said which approval, so it may not be the expected one.
  if (line.reply.id.empty() && request.approval().allow()) {
    ShowAllowed(request.id(), task, server, io);
  }
  ASSIGN_OR_RETURN(const v1::Task after,
                   server.api.Respond(task.id(), request));
  return line.json ? PrintJson(io, after) : Print(io, TaskLine(after));
}

}  // namespace

constinit const Command kRespondCommand = {
    .name = "respond",
    .summary = "allow, deny or answer what an agent asks",
    .help = kHelp,
    .run = RunOnServer<kRespondCommand, ReadLine, Respond>};

}  // namespace troika::cli
