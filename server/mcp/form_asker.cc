#include "server/mcp/form_asker.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/json_writer.h"
#include "server/mcp/defaults.h"
#include "server/mcp/random_text.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"

namespace troika {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(50);
// Limit of the open forms of all clients together. Beyond it, the client that
// has most of them loses its oldest one.
constexpr size_t kMaxForms = 1000;
// Beyond these the oldest are forgotten.
constexpr size_t kMaxLeftOpen = 10000;
constexpr size_t kMaxShownInTasks = 1000;
constexpr size_t kMaxFollowed = 1000;

bool HasEnded(const v1::Task& task) {
  const std::string status = StatusOf(task);
  return status != "active" && status != "awaiting_approval";
}

}  // namespace

std::string FormAsker::KeyOf(const McpCaller& caller) {
  return caller.id.empty() ? absl::StrCat("http ", caller.client.name)
                           : caller.id;
}

bool FormAsker::CanAsk(const McpCaller& caller) const {
  if (!caller.client.elicitation) return false;
  // An agent may answer nothing, so its user is not asked in its name.
  http::Request request;
  request.peer = caller.peer;
  return !service_.api().policy->CallerOf(request).is_agent();
}

void FormAsker::Follow(const McpCaller& caller, const std::string& task) {
  if (caller.id.empty() ||
      caller.client.generation != mcp::Generation::kSession ||
      !CanAsk(caller)) {
    return;
  }
  const FollowKey key = {caller.id, task};
  if (followed_.count(key) > 0) return Look(key);
  if (followed_.size() >= kMaxFollowed) return;
  Followed& followed = followed_[key];
  followed.caller = caller;
  followed.task = task;
  followed.timer = service_.api().loop->NewTimer([this, key] { Look(key); });
  service_.api().tasks->open().GetStream(
      task,
      [this, key](const absl::StatusOr<std::shared_ptr<TaskStream>>& stream) {
        const auto it = followed_.find(key);
        if (it == followed_.end()) return;
        if (!stream.ok()) {
          followed_.erase(it);
          return;
        }
        it->second.stream = *stream;
        it->second.listener = (*stream)->Listen([this, key] {
          const auto one = followed_.find(key);
          if (one != followed_.end() && !one->second.timer->is_set()) {
            one->second.timer->SetIn(kPause);
          }
        });
        it->second.timer->SetIn(kPause);
      });
}

void FormAsker::Forget(const std::string& client) {
  for (auto it = followed_.begin(); it != followed_.end();) {
    it = it->first.first == client ? followed_.erase(it) : std::next(it);
  }
  for (auto it = forms_.begin(); it != forms_.end();) {
    it = it->second.client == client ? forms_.erase(it) : std::next(it);
  }
}

void FormAsker::Look(const FollowKey& key) {
  const auto it = followed_.find(key);
  if (it == followed_.end() || !it->second.stream ||
      !it->second.stream->caught_up()) {
    return;
  }
  service_.api().tasks->open().Get(
      key.second, [this, key](const absl::StatusOr<v1::Task>& task) {
        const auto one = followed_.find(key);
        if (one == followed_.end()) return;
        if (!task.ok()) {
          followed_.erase(one);
          return;
        }
        WithdrawAnswered(key.first, *task);
        Ask(one->second, *task);
        if (HasEnded(*task)) followed_.erase(one);
      });
}

void FormAsker::Ask(const Followed& followed, const v1::Task& task) {
  const auto question = PendingQuestionOf(task);
  if (!question || IsOpen(followed.caller, task.id(), question->id) ||
      WasLeftOpen(followed.caller, task.id(), question->id)) {
    return;
  }
  const std::string id = Add(followed.caller, task, *question);
  if (!send_(followed.caller.id,
             mcp::FormRequestLine(rpc::Id::FromString(id), forms_[id].form))) {
    forms_.erase(id);
  }
}

// Closes the client's forms whose questions are no longer asked.
void FormAsker::WithdrawAnswered(const std::string& client,
                                 const v1::Task& task) {
  for (auto it = forms_.begin(); it != forms_.end();) {
    const OpenForm& form = it->second;
    if (form.client != client || form.task != task.id() ||
        PendingQuestionById(task, form.question.id)) {
      ++it;
      continue;
    }
    if (!form.is_answered) {
      send_(client, rpc::NotificationLine(
                        "notifications/cancelled",
                        json::ObjectWriter()
                            .String("requestId", it->first)
                            .String("reason", "somebody else has answered")
                            .Take()));
    }
    it = forms_.erase(it);
  }
}

std::string FormAsker::Add(const McpCaller& caller, const v1::Task& task,
                           const PendingQuestion& question) {
  if (forms_.size() >= kMaxForms) DropOne();
  const std::string id = absl::StrCat("form-", RandomText());
  forms_[id] = {.client = KeyOf(caller),
                .task = task.id(),
                .question = question,
                .form = FormOf(task, question),
                .opened = absl::Now()};
  return id;
}

void FormAsker::DropOne() {
  std::map<std::string, int> counts;
  for (const auto& [id, form] : forms_) ++counts[form.client];
  forms_.erase(std::min_element(
      forms_.begin(), forms_.end(), [&](const auto& a, const auto& b) {
        return std::make_pair(-counts[a.second.client], a.second.opened) <
               std::make_pair(-counts[b.second.client], b.second.opened);
      }));
}

bool FormAsker::IsOpen(const McpCaller& caller, const std::string& task,
                       const std::string& question) const {
  return std::any_of(forms_.begin(), forms_.end(), [&](const auto& one) {
    return one.second.client == KeyOf(caller) && one.second.task == task &&
           one.second.question.id == question;
  });
}

bool FormAsker::WasLeftOpen(const McpCaller& caller, const std::string& task,
                            const std::string& question) const {
  return left_open_.count({KeyOf(caller), task, question}) > 0;
}

bool FormAsker::WillAsk(const McpCaller& caller, const std::string& task,
                        const std::string& question) const {
  return followed_.count({caller.id, task}) > 0 &&
         service_.HasStream(caller.id) && !WasLeftOpen(caller, task, question);
}

void FormAsker::LeaveOpen(const OpenForm& form) {
  // A call that waits for the form has something to tell now.
  service_.api().tasks->open().GetStream(
      form.task, [](const absl::StatusOr<std::shared_ptr<TaskStream>>& stream) {
        if (stream.ok()) (*stream)->Notify();
      });
  const Asked asked = {form.client, form.task, form.question.id};
  if (!left_open_.insert(asked).second) return;
  left_open_order_.push_back(asked);
  if (left_open_order_.size() <= kMaxLeftOpen) return;
  left_open_.erase(left_open_order_.front());
  left_open_order_.pop_front();
}

void FormAsker::AskOn(McpReply& reply, const McpCaller& caller,
                      const v1::Task& task, const PendingQuestion& question) {
  const std::string id = Add(caller, task, question);
  if (!reply.Send(
          mcp::FormRequestLine(rpc::Id::FromString(id), forms_[id].form))) {
    forms_.erase(id);
  }
}

std::string FormAsker::NameInTask(const McpCaller& caller, const v1::Task& task,
                                  const PendingQuestion& question) {
  if (shown_in_tasks_.size() >= kMaxShownInTasks) shown_in_tasks_.clear();
  const Asked asked = {KeyOf(caller), task.id(), question.id};
  const auto shown = shown_in_tasks_.emplace(asked, absl::Now()).first;
  return WriteFormState(
      {.task = task.id(), .question = question.id, .opened = shown->second});
}

std::optional<v1::RespondRequest> FormAsker::AnswerOf(const OpenForm& form,
                                                      json::Value result) {
  if (absl::Now() - form.opened < mcp::kFastestPerson) return std::nullopt;
  const auto reply = mcp::ReadFormReply(form.form, result);
  if (!reply.ok()) return std::nullopt;
  const auto answer = ReadForm(form.question, *reply);
  return answer.ok() ? *answer : std::nullopt;
}

void FormAsker::Respond(const McpCaller& caller, const OpenForm& form,
                        const v1::RespondRequest& answer,
                        absl::AnyInvocable<void(absl::Status)> done) {
  LocalApi(&service_.api(), caller.peer)
      .Send<v1::Task>("POST",
                      absl::StrCat("/api/v1/tasks/", form.task, "/respond"),
                      &answer,
                      [this, form, done = std::move(done)](
                          const absl::StatusOr<v1::Task>& task) mutable {
                        // Somebody else's answer may have been first.
                        if (!task.ok()) LeaveOpen(form);
                        done(task.status());
                      });
}

void FormAsker::OnReply(const McpCaller& caller, const std::string& id,
                        json::Value result, Done done) {
  const auto it = forms_.find(id);
  if (it == forms_.end() || it->second.client != KeyOf(caller) ||
      it->second.is_answered) {
    return done();
  }
  const OpenForm form = it->second;
  const auto answer = AnswerOf(form, result);
  if (!answer) {
    forms_.erase(it);
    LeaveOpen(form);
    return done();
  }
  it->second.is_answered = true;
  Respond(
      caller, form, *answer,
      [this, id, done = std::move(done)](const absl::Status& given) mutable {
        if (!given.ok()) forms_.erase(id);
        done();
      });
}

void FormAsker::OnStatelessReply(const McpCaller& caller,
                                 const FormState& state, const v1::Task& task,
                                 json::Value result, Done done) {
  const auto question = PendingQuestionById(task, state.question);
  if (!question || state.task != task.id()) return done();
  const OpenForm form = {.client = KeyOf(caller),
                         .task = task.id(),
                         .question = *question,
                         .form = FormOf(task, *question),
                         .opened = state.opened};
  const auto answer = AnswerOf(form, result);
  if (!answer) {
    LeaveOpen(form);
    return done();
  }
  Respond(caller, form, *answer,
          [done = std::move(done)](const absl::Status&) mutable { done(); });
}

}  // namespace troika
