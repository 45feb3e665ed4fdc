// Does what the user of an attached terminal asks for.

#include <poll.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "cli/attach/attached_task.h"
#include "cli/attach/keys_help.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

using Kind = UserAction::Kind;

// What was typed before the user left may take this long.
constexpr absl::Duration kSendLastFor = absl::Seconds(2);

}  // namespace

void AttachedTask::Act(const UserAction& action) {
  switch (action.kind) {
    case Kind::kNone:
      return;
    case Kind::kSend:
      return outbox_.Add(action.text, action.mode);
    case Kind::kRespond:
      return Respond(action.response);
    case Kind::kInterrupt:
      return Interrupt(action.text);
    case Kind::kStop:
      return Stop(action.text);
    case Kind::kShowQueue:
      return ShowQueue();
    case Kind::kShowHelp:
      return console_.screen().Print(
          absl::StrCat(timeline_.EndLine(), KeysIn(help_)));
    case Kind::kDetach:
      return Leave(kExitOk);
  }
}

void AttachedTask::SayRefusal(const absl::Status& reply) {
  if (!reply.ok()) Say(Sanitized(reply.message()));
}

void AttachedTask::Respond(const v1::RespondRequest& response) {
  requests_.Ask(
      [task = id(), response](client::ApiClient& api) {
        return api.Respond(task, response).status();
      },
      [this](const absl::Status& reply) {
        SayRefusal(reply);
        // If it was answered elsewhere, its event withdraws it.
        if (!reply.ok()) dialog_.AnswerRefused();
      });
}

void AttachedTask::Interrupt(const std::string& reason) {
  v1::InterruptRequest request;
  request.set_reason(reason);
  requests_.Ask(
      [task = id(), request](client::ApiClient& api) {
        return api.Interrupt(task, request).status();
      },
      [this](const absl::Status& reply) { SayRefusal(reply); });
}

void AttachedTask::Stop(const std::string& reason) {
  v1::StopRequest request;
  request.set_reason(reason);
  requests_.Ask(
      [task = id(), request](client::ApiClient& api) {
        return api.Stop(task, request).status();
      },
      [this](const absl::Status& reply) { SayRefusal(reply); });
}

void AttachedTask::ShowQueue() {
  Table table({"ID", "BY", "TEXT"});
  for (const TaskInput& input : state().inputs) {
    if (!input.waits()) continue;
    table.Add({input.receipt.id, input.receipt.by, input.receipt.text});
  }
  if (table.empty()) return Say("no input waits");
  if (state().queue_held) {
    Say("the queue is held: the next message sends it, too");
  }
  console_.screen().Print(absl::StrCat(
      timeline_.EndLine(), table.Text(console_.screen().columns())));
}

void AttachedTask::SendInputs() {
  const v1::InputRequest* const input = outbox_.Take(clock_.Awake());
  if (input == nullptr) return;
  requests_.Ask(
      [task = id(), request = *input](client::ApiClient& api) {
        return api.SendInput(task, request).status();
      },
      [this](const absl::Status& reply) {
        const auto refused = outbox_.Settle(reply, clock_.Awake());
        if (refused) {
          Say(absl::StrCat("not sent: ", Sanitized(refused->why.message())));
          if (console_.editor().empty() && !dialog_.answers()) {
            console_.editor().Set(refused->text);
          }
        }
        if (reply.ok() || refused) {
          told_waits_ = false;
        } else if (!std::exchange(told_waits_, true)) {
          Say(interrupted_
                  ? "there is no server; what you type is sent when it is back"
                  : "the server does not answer; what you type is sent when it "
                    "does");
        }
      });
}

void AttachedTask::SendLast() {
  const absl::Time end = clock_.Awake() + kSendLastFor;
  while (clock_.Awake() < end) {
    SendInputs();
    if (requests_.idle()) return;
    std::vector<pollfd> fds = {requests_.PollFd()};
    Wait(&fds, end, clock_);
    requests_.RunDone();
  }
}

}  // namespace troika::cli
