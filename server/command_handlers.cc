// Handlers that give tasks turns and answers, and end them.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "dto/request.h"
#include "server/agent_policy.h"
#include "server/person.h"
#include "server/routes.h"
#include "task/answer.h"
#include "task/policy_files.h"
#include "task/request.h"

namespace troika {
namespace {

// A turn on its way to its task.
struct Turn {
  TurnRequest request;
  std::optional<AgentLimits> limits;  // The caller's.
  enum class Needs { kNothing, kEndedTask };
  Needs needs = Needs::kNothing;
  bool no_queue = false;
  bool only_if_idle = false;
  bool has_place = false;  // Whether a place is kept for it.
  std::string input_id;    // Once the task has it.
};

// PermissionDenied if the caller may not ask for this turn. Paths of an agent's
// images are replaced by what they lead to.
absl::Status CheckLimits(Turn& turn, Runner& runner) {
  const std::string excess =
      turn.limits ? TurnExceedsLimits(*turn.limits, runner, &turn.request) : "";
  if (excess.empty()) return absl::OkStatus();
  return NotForAgents(absl::StrCat("prompt a task with ", excess));
}

absl::Status GiveTurn(const ApiTools& api, Turn& turn, Runner& runner) {
  const bool again = runner.KnowsKey(turn.request.request_key);
  const bool alive = runner.state().process_alive;
  if (turn.needs == Turn::Needs::kEndedTask && alive && !again) {
    return absl::FailedPreconditionError(
        "the task has not ended: give it input, or stop it first");
  }
  if (turn.only_if_idle && !again && runner.HasWork()) {
    return absl::FailedPreconditionError(
        absl::StrCat("busy: a turn of task ", runner.folder().id,
                     " runs or waits; wait for its end"));
  }
  if (turn.no_queue && !again && runner.NeedsProcess(turn.request)) {
    RETURN_IF_ERROR(
        api.tasks->ReserveTurn(runner.folder().id, *runner.state().harness));
    turn.has_place = true;
  } else if (!alive && !again) {
    RETURN_IF_ERROR(api.tasks->CheckQueue());
  }
  return runner.Input(turn.request, &turn.input_id);
}

// Calls back with the task and the receipt of its input.
TaskCallback WithReceipt(const ApiTools& api, const std::string& id,
                         const std::shared_ptr<Turn>& turn,
                         ReplyCallback reply) {
  return [&api, id, turn,
          reply = std::move(reply)](absl::StatusOr<v1::Task> task) mutable {
    // By then the turn has taken its place.
    if (turn->has_place) api.tasks->ReleaseTurnSoon(id);
    if (!task.ok()) return reply(task.status());
    for (const v1::Receipt& input : task->inputs()) {
      if (input.id() == turn->input_id) *task->mutable_receipt() = input;
    }
    reply(*std::move(task));
  };
}

// Reads the fields that an InputRequest and a ResumeRequest share.
template <typename Body>
absl::StatusOr<Turn> ReadTurn(const ApiTools& api, const Call& call,
                              const Body& body) {
  RETURN_IF_ERROR(CheckKey(body.idempotency_key()));
  ASSIGN_OR_RETURN(const auto timeouts, ToTimeouts(body.timeouts()));
  ASSIGN_OR_RETURN(const notes::Budget budget, ToBudget(body.budget()));
  const Caller caller = api.policy->CallerOf(call.request());
  if (caller.is_agent() && body.has_budget()) {
    return NotForAgents("set the budget of a task");
  }
  ASSIGN_OR_RETURN(auto limits, api.policy->LimitsOf(caller));
  return Turn{
      .request = {.images = {body.images().begin(), body.images().end()},
                  .by = caller.name(),
                  .request_key = caller.OwnKey(body.idempotency_key()),
                  .timeouts = timeouts,
                  .budget = budget},
      .limits = std::move(limits)};
}

// Runs a command on the task that the path names.
Deferred Ask(const ApiTools& api, const Call& call,
             ActiveTask::Command command) {
  return WithTask(api, call,
                  [&api, command = std::move(command)](
                      const std::string& id, ReplyCallback reply) mutable {
                    api.tasks->open().Ask(id, std::move(command),
                                          std::move(reply));
                  });
}

// The same for a command that ends something, if the caller may.
Deferred AskEnd(const ApiTools& api, const Call& call,
                ActiveTask::Command command) {
  return WithTask(
      api, call,
      [&api, caller = api.policy->CallerOf(call.request()),
       command = std::move(command)](const std::string& id,
                                     ReplyCallback reply) mutable {
        api.policy->CheckEnd(
            caller, id,
            [&api, id, command = std::move(command),
             reply = std::move(reply)](const absl::Status& may) mutable {
              if (!may.ok()) return reply(may);
              api.tasks->open().Ask(id, std::move(command), std::move(reply));
            });
      });
}

// The same for a turn with images, which are read on a thread.
void AskTurnWithImages(const ApiTools& api, const std::string& id,
                       std::shared_ptr<Turn> turn, ReplyCallback reply) {
  struct Images {
    std::vector<std::string> paths;
    ImageForm form = ImageForm::kPath;
  };
  using ImagesOr = absl::StatusOr<std::vector<TurnAsked::Image>>;
  auto images = std::make_shared<Images>();
  api.tasks->open().Ask(
      id,
      [turn, images](Runner& runner) -> absl::Status {
        RETURN_IF_ERROR(CheckLimits(*turn, runner));
        images->paths = runner.ImagePaths(turn->request);
        images->form = runner.ImageFormOf(turn->request);
        return absl::OkStatus();
      },
      [&api, id, turn, images,
       reply = std::move(reply)](const absl::StatusOr<v1::Task>& task) mutable {
        if (!task.ok()) return reply(task.status());
        api.pools->log.RunFor<ImagesOr>(
            [images] { return ReadImages(images->paths, images->form); },
            [&api, id, turn, reply = std::move(reply)](ImagesOr read) mutable {
              if (!read.ok()) return reply(read.status());
              turn->request.read_images = *std::move(read);
              api.tasks->open().Ask(
                  id,
                  [&api, turn](Runner& runner) {
                    return GiveTurn(api, *turn, runner);
                  },
                  WithReceipt(api, id, turn, std::move(reply)));
            });
      });
}

Deferred AskTurn(const ApiTools& api, const Call& call, Turn turn) {
  auto shared = std::make_shared<Turn>(std::move(turn));
  const auto give = [&api, shared](const std::string& id, ReplyCallback reply) {
    if (!shared->request.images.empty()) {
      return AskTurnWithImages(api, id, shared, std::move(reply));
    }
    api.tasks->open().Ask(
        id,
        [&api, shared](Runner& runner) -> absl::Status {
          RETURN_IF_ERROR(CheckLimits(*shared, runner));
          return GiveTurn(api, *shared, runner);
        },
        WithReceipt(api, id, shared, std::move(reply)));
  };
  if (shared->request.mode != InputMode::kInterrupt) {
    return WithTask(api, call, give);
  }
  return WithTask(api, call,
                  [&api, give, caller = api.policy->CallerOf(call.request())](
                      const std::string& id, ReplyCallback reply) {
                    api.policy->CheckEnd(caller, id,
                                         [give, id, reply = std::move(reply)](
                                             const absl::Status& may) mutable {
                                           if (!may.ok()) return reply(may);
                                           give(id, std::move(reply));
                                         });
                  });
}

void GiveAnswer(const ApiTools& api, const std::string& id,
                const AnswerGiven& answer, ReplyCallback reply) {
  api.tasks->open().Ask(
      id, [answer](Runner& runner) { return runner.Respond(answer); },
      // Another server's answer may have been first.
      [&api, id, answer,
       reply = std::move(reply)](const absl::StatusOr<v1::Task>& task) mutable {
        if (!task.ok()) return reply(task.status());
        api.tasks->open().Ask(
            id,
            [answer](Runner& runner) {
              return CheckTaken(runner.state(), answer);
            },
            std::move(reply));
      });
}

// InvalidArgument if the rule is none of those that the approval proposes.
absl::Status CheckProposed(const Runner& runner, const AnswerGiven& answer) {
  RETURN_IF_ERROR(CheckAnswer(runner.state(), answer));
  const std::vector<std::string>& proposed =
      runner.state().approvals.at(answer.id).request.proposed_rules;
  if (std::find(proposed.begin(), proposed.end(), answer.always) !=
      proposed.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(answer.id, " does not propose the rule ", answer.always,
                   proposed.empty() ? ": no rule would allow it"
                                    : ": take one of its proposed_rules"));
}

// Makes the answer a rule of the user, and gives it then.
void AddRuleAndAnswer(const ApiTools& api, const std::string& id,
                      const AnswerGiven& answer, ReplyCallback reply) {
  api.tasks->open().Ask(
      id, [answer](Runner& runner) { return CheckProposed(runner, answer); },
      [&api, id, answer,
       reply = std::move(reply)](const absl::StatusOr<v1::Task>& task) mutable {
        if (!task.ok()) return reply(task.status());
        const std::string comment = absl::StrCat(
            absl::FormatTime("%Y-%m-%d %H:%M", absl::Now(),
                             absl::LocalTimeZone()),
            ", by ", answer.user, " (", answer.via, "), from task ", id);
        api.pools->log.RunFor<absl::Status>(
            [&api, rule = answer.always, comment] {
              return AddUserRule(*api.home, rule, comment);
            },
            [&api, id, answer,
             reply = std::move(reply)](const absl::Status& added) mutable {
              if (!added.ok()) return reply(added);
              GiveAnswer(api, id, answer, std::move(reply));
            });
      });
}

// Runs a command on the inputs of the task that the path names. Agents may give
// each other input, but not change what others said.
absl::StatusOr<Deferred> AskInputs(const ApiTools& api, const Call& call,
                                   ActiveTask::Command command) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("change the inputs of a task that wait");
  }
  return Ask(api, call, std::move(command));
}

}  // namespace

absl::StatusOr<Deferred> Input(const ApiTools& api, const Call& call) {
  v1::InputRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  ASSIGN_OR_RETURN(Turn turn, ReadTurn(api, call, body));
  turn.request.prompt = body.text();
  turn.request.model = body.model();
  if (!v1::InputRequest::Mode_IsValid(body.mode())) {
    return absl::InvalidArgumentError(
        "mode is one of auto, steer, queue and interrupt");
  }
  turn.request.mode = static_cast<InputMode>(body.mode());
  turn.request.converses = body.attached();
  turn.no_queue = body.no_queue();
  turn.only_if_idle = body.only_if_idle();
  turn.request.may_interrupt = !api.policy->CallerOf(call.request()).is_agent();
  return AskTurn(api, call, std::move(turn));
}

absl::StatusOr<Deferred> Resume(const ApiTools& api, const Call& call) {
  v1::ResumeRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  ASSIGN_OR_RETURN(Turn turn, ReadTurn(api, call, body));
  turn.request.prompt =
      body.prompt().empty() ? std::string(kGoOn) : body.prompt();
  turn.request.model = body.model();
  turn.needs = Turn::Needs::kEndedTask;
  if (body.has_edit_mode()) {
    if (api.policy->CallerOf(call.request()).is_agent()) {
      return NotForAgents("change what another agent may do");
    }
    turn.request.edit_mode = ToEditMode(body.edit_mode());
  }
  return AskTurn(api, call, std::move(turn));
}

absl::StatusOr<Deferred> EditInput(const ApiTools& api, const Call& call) {
  v1::EditInputRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  return AskInputs(
      api, call,
      [id = call.arg(1), text = body.text(),
       by = api.policy->CallerOf(call.request()).name()](Runner& runner) {
        return runner.EditInput(id, text, by);
      });
}

absl::StatusOr<Deferred> WithdrawInput(const ApiTools& api, const Call& call) {
  v1::WithdrawInputRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  return AskInputs(
      api, call,
      [id = call.arg(1), reason = body.reason(),
       by = api.policy->CallerOf(call.request()).name()](Runner& runner) {
        return runner.WithdrawInput(id, by, reason);
      });
}

absl::StatusOr<Deferred> ResumeQueue(const ApiTools& api, const Call& call) {
  v1::ResumeQueueRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  return AskInputs(api, call,
                   [by = api.policy->CallerOf(call.request()).name()](
                       Runner& runner) { return runner.ResumeQueue(by); });
}

absl::StatusOr<Deferred> Respond(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("answer approvals or questions");
  }
  v1::RespondRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  ASSIGN_OR_RETURN(auto answer, ToAnswer(body));
  Person person = PersonOf(call.request());
  answer.user = std::move(person.user);
  answer.client = std::move(person.client);
  return WithTask(api, call,
                  [&api, answer](const std::string& id, ReplyCallback reply) {
                    if (answer.always.empty()) {
                      return GiveAnswer(api, id, answer, std::move(reply));
                    }
                    AddRuleAndAnswer(api, id, answer, std::move(reply));
                  });
}

absl::StatusOr<Deferred> Interrupt(const ApiTools& api, const Call& call) {
  v1::InterruptRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  return AskEnd(api, call,
                [by = api.policy->CallerOf(call.request()).name(),
                 reason = body.reason()](Runner& runner) {
                  return runner.Interrupt(by, reason);
                });
}

absl::StatusOr<Deferred> Stop(const ApiTools& api, const Call& call) {
  v1::StopRequest body;
  RETURN_IF_ERROR(call.ReadBody(&body));
  ASSIGN_OR_RETURN(const auto grace, GraceOf(body));
  return AskEnd(
      api, call,
      [by = api.policy->CallerOf(call.request()).name(), reason = body.reason(),
       grace](Runner& runner) { return runner.Stop(by, reason, grace); });
}

}  // namespace troika
