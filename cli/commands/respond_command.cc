#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/approvals/respond.h"
#include "cli/commands/commands.h"
#include "cli/commands/follow.h"
#include "cli/commands/help.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"
#include "dto/task.h"

namespace troika::cli {
namespace {

struct RespondCommandLine {
  std::string task;
  enum class How { kGiven, kAsk } how = How::kGiven;
  Reply reply;
  bool json = false;
};

absl::StatusOr<RespondCommandLine> ReadRespondCommandLine(Args args) {
  RespondCommandLine line;
  bool allow = false, deny = false, always = false;
  std::string choice;
  Flags flags;
  flags.Add("allow", &allow);
  flags.Add("deny", &deny);
  flags.Add("choice", &choice);
  flags.Add("always", &always);
  flags.Add("reason", &line.reply.reason);
  flags.Add("answer", &line.reply.answers);
  flags.Add("json", &line.json);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  if (always) {
    line.reply.always = 1;
    // An id of an approval is no small number.
    if (words.size() > 1 && words.back().size() < 3 &&
        absl::SimpleAtoi(words.back(), &line.reply.always)) {
      words.pop_back();
    }
  }
  if (words.empty() || words[0].empty() || words.size() > 2) {
    return absl::InvalidArgumentError(
        "a task is needed, and at most one id of an approval or question");
  }
  const int given = int{allow} + int{deny} + int{always} +
                    int{!choice.empty()} + int{!line.reply.answers.empty()};
  if (given > 1) {
    return absl::InvalidArgumentError(
        "only one of --allow, --deny, --always, --choice and --answer can be "
        "given");
  }
  if (given == 0) line.how = RespondCommandLine::How::kAsk;
  const bool can_ask = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (given == 0 && (line.json || !can_ask)) {
    return absl::InvalidArgumentError(
        "one of --allow, --deny, --always, --choice and --answer is needed, "
        "except on a terminal without --json");
  }
  const bool denies = deny || choice == kDeny || choice == kCancel;
  if (!line.reply.reason.empty() && !denies) {
    return absl::InvalidArgumentError(
        "--reason goes with --deny, or with the choices deny and cancel");
  }
  line.task = words[0];
  if (words.size() == 2) line.reply.id = words[1];
  line.reply.choice = !choice.empty() ? choice
                      : deny          ? std::string(kDeny)
                                      : std::string(kApprove);
  if (!line.reply.answers.empty()) line.reply.kind = Reply::Kind::kAnswer;
  return line;
}

// Shows what waits and asks the user for the answer.
absl::StatusOr<int> Ask(const RespondCommandLine& line, const v1::Task& task,
                        Server& server, const Io& io) {
  RETURN_IF_ERROR(CheckWaits(ToTaskState(task), line.reply.id));
  return Follow(server, task,
                {.until = FollowOptions::Until::kAnswered,
                 .ctrl_c = FollowOptions::CtrlC::kLeaves,
                 .show = FollowOptions::Show::kNew,
                 .asked = line.reply.id},
                io);
}

// Shows on stderr what is about to be decided.
void ShowDecided(const std::string& id, const v1::Task& task, Server& server,
                 const Io& io) {
  const DescribeOptions options = {.columns = TerminalWidth(io.err),
                                   .inputs = ReadInputs(task, server.api)};
  const TaskState state = ToTaskState(task);
  WriteAll(io.err, Describe(state.approvals.at(id).request, options))
      .IgnoreError();
}

absl::StatusOr<int> Respond(const RespondCommandLine& line, Server& server,
                            const Io& io) {
  ASSIGN_OR_RETURN(const v1::Task task, server.api.GetTask(line.task));
  if (line.how == RespondCommandLine::How::kAsk)
    return Ask(line, task, server, io);
  ASSIGN_OR_RETURN(const v1::RespondRequest request,
                   MakeResponse(ToTaskState(task), line.reply));
  // The user has not said which approval, so it may not be the expected one.
  if (line.reply.id.empty() && request.has_approval()) {
    ShowDecided(request.id(), task, server, io);
  }
  if (!request.approval().always().empty()) {
    Note(io, absl::StrCat("this becomes a rule: ",
                          SanitizedLine(request.approval().always())));
  }
  ASSIGN_OR_RETURN(const v1::Task after,
                   server.api.Respond(task.id(), request));
  return line.json ? PrintJson(io, after) : Print(io, TaskLine(after));
}

}  // namespace

constinit const Command kRespondCommand = {
    .name = "respond",
    .summary = "allow, deny or answer what an agent asks",
    .help = kRespondHelp,
    .run = RunOnServer<kRespondCommand, ReadRespondCommandLine, Respond>};

}  // namespace troika::cli
