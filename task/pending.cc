#include "task/pending.h"

#include <iterator>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "task/answer.h"

namespace troika {
namespace {

// the first.
constexpr size_t kMaxSettled = 32;

// The request stays as it was asked.
void SetAnswer(const Approval& answered, Approval* asked) {
  asked->state = answered.state;
  asked->choice = answered.choice;
  asked->by = answered.by;
  asked->via = answered.via;
  asked->user = answered.user;
  asked->client = answered.client;
  if (!answered.rules.empty()) asked->rules = answered.rules;
  asked->always = answered.always;
  asked->delivery = answered.delivery;
  if (answered.state == Approval::State::kDenied) {
    asked->reason = answered.reason;
  }
}
void SetAnswer(const Question& answered, Question* asked) { *asked = answered; }
void AddSettled(Settled settled, TaskState* state) {
  if (state->settled.size() == kMaxSettled) {
    state->settled.erase(state->settled.begin());
  }
  state->settled.push_back(std::move(settled));
}

bool IsBudget(const Approval& approval) {
  return approval.kind == Approval::Kind::kBudget;
}
bool IsBudget(const Question&) { return false; }

template <typename T>
void Take(const Message& message, const T& request,
          std::map<std::string, Pending<T>>* pending, TaskState* state) {
  const auto it = pending->find(request.id);
  // An agent can't take the place of what Troika asks.
  if (it != pending->end() && IsBudget(it->second.request) &&
      !IsBudget(request)) {
    return;
  }
  if (request.state == T::State::kAsked) {
    if constexpr (std::is_same_v<T, Approval>) {
      if (!request.explanation.empty() && it != pending->end() &&
          !it->second.answered) {
        it->second.request = request;
        return;
      }
    }
    (*pending)[request.id] = {
        .asked = message.id,
        .request = request,
        .awake_since = state->awake.now,
        .of_subagent = !message.parent_tool_use_id.empty()};
  } else if (request.delivery != Delivery::kAccepted) {
    if (it != pending->end()) pending->erase(it);
    AddSettled(SettledOf(request), state);
  } else if (it != pending->end()) {
    it->second.answered = true;
    SetAnswer(request, &it->second.request);
  }
}

template <typename T>
void DropOfTurn(std::map<std::string, Pending<T>>* pending) {
  for (auto it = pending->begin(); it != pending->end();) {
    const bool stays = it->second.of_subagent || IsBudget(it->second.request);
    it = stays ? std::next(it) : pending->erase(it);
  }
}

}  // namespace

void TakeRequest(const Message& message, const Approval& approval,
                 TaskState* state) {
  Take(message, approval, &state->approvals, state);
}

void TakeRequest(const Message& message, const Question& question,
                 TaskState* state) {
  Take(message, question, &state->questions, state);
}

void DropPending(TaskState* state) {
  std::erase_if(state->approvals, [](const auto& pending) {
    return !IsBudget(pending.second.request);
  });
  state->questions.clear();
}

void DropPendingOfTurn(TaskState* state) {
  DropOfTurn(&state->approvals);
  DropOfTurn(&state->questions);
}

}  // namespace troika
