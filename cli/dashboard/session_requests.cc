// What the dashboard asks of the server. Nothing here waits for it.
#include <poll.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/dashboard/session.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

using Kind = DashboardAction::Kind;

constexpr int kPage = 100;
// The newest tasks, and then those that have not ended.
constexpr size_t kMostNewest = 500;
constexpr size_t kMostAlive = 1000;
// Tasks that are read for each word of a filter.
constexpr size_t kMostFound = 500;
constexpr absl::Duration kListAgain = absl::Seconds(2);
constexpr absl::Duration kCreateAgain = absl::Seconds(2);
// What was asked for before the user left may take this long.
constexpr absl::Duration kSendLastFor = absl::Seconds(2);

struct Listed {
  std::vector<v1::Task> tasks;
  TaskBook::More more = TaskBook::More::kNo;
};

absl::Status ReadPages(v1::ListTasksRequest request, size_t most,
                       client::ApiClient& api, Listed* listed) {
  size_t count = 0;
  request.set_page_size(kPage);
  do {
    ASSIGN_OR_RETURN(v1::ListTasksResponse page, api.ListTasks(request));
    for (v1::Task& task : *page.mutable_tasks()) {
      listed->tasks.push_back(std::move(task));
      ++count;
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty() && count < most);
  if (!request.page_token().empty()) listed->more = TaskBook::More::kYes;
  return absl::OkStatus();
}

absl::StatusOr<Listed> ReadTasks(client::ApiClient& api) {
  Listed listed;
  RETURN_IF_ERROR(ReadPages({}, kMostNewest, api, &listed));
  if (listed.more == TaskBook::More::kNo) return listed;
  v1::ListTasksRequest alive;
  for (int state = v1::Task::queued; state <= v1::Task::awaiting_answer;
       ++state) {
    alive.add_states(static_cast<v1::Task::State>(state));
  }
  RETURN_IF_ERROR(ReadPages(std::move(alive), kMostAlive, api, &listed));
  listed.more = TaskBook::More::kYes;
  return listed;
}

}  // namespace

void DashboardSession::Act(const DashboardAction& action) {
  switch (action.kind) {
    case Kind::kQuit:
      return Leave({});
    case Kind::kSuspend:
      return Suspend();
    case Kind::kRedraw:
      return screen_->Forget();
    case Kind::kAttach:
      return Leave({.attach = action.task});
    case Kind::kRespond:
      return Respond(action);
    case Kind::kSend:
      remember_(action.text);
      return outboxes_[action.task].Add(action.text, action.mode);
    case Kind::kInterrupt: {
      v1::InterruptRequest request;
      request.set_reason(action.text);
      return requests_.Ask(
          [task = action.task, request](client::ApiClient& api) {
            return api.Interrupt(task, request).status();
          },
          [this](const absl::Status& reply) {
            SayRefusal("not interrupted", reply);
          });
    }
    case Kind::kStop: {
      v1::StopRequest request;
      request.set_reason(action.text);
      return requests_.Ask(
          [task = action.task, request](client::ApiClient& api) {
            return api.Stop(task, request).status();
          },
          [this](const absl::Status& reply) {
            SayRefusal("not stopped", reply);
          });
    }
    case Kind::kCreate:
      return Create(action.new_task);
    case Kind::kSearch:
      return Search(action.text);
    case Kind::kReadHarnesses:
      return ReadHarnesses();
  }
}

void DashboardSession::SayRefusal(absl::string_view what,
                                  const absl::Status& reply) {
  if (!reply.ok()) model_.SayError(absl::StrCat(what, ": ", reply.message()));
}

void DashboardSession::ReadList() {
  list_at_ = absl::InfiniteFuture();
  if (listing_) {
    list_again_ = true;
    return;
  }
  listing_ = true;
  model_.book().BeginList();
  requests_.Ask([](client::ApiClient& api) { return ReadTasks(api); },
                [this](absl::StatusOr<Listed> listed) {
                  listing_ = false;
                  if (listed.ok()) {
                    model_.book().TakeList(std::move(listed->tasks),
                                           listed->more, Now().now);
                  } else {
                    SayRefusal("the tasks can't be listed", listed.status());
                    list_at_ = clock_.Awake() + kListAgain;
                  }
                  if (std::exchange(list_again_, false)) ReadList();
                });
}

void DashboardSession::Search(const std::string& text) {
  requests_.Ask(
      [words = TaskBook::WordsOf(text)](
          client::ApiClient& api) -> absl::StatusOr<TaskBook::Found> {
        TaskBook::Found found;
        // The server would look for all words as one phrase.
        for (const std::string& word : words) {
          v1::ListTasksRequest request;
          request.set_text(word);
          Listed listed;
          RETURN_IF_ERROR(
              ReadPages(std::move(request), kMostFound, api, &listed));
          found[word] = std::move(listed.tasks);
        }
        return found;
      },
      [this, text](const absl::StatusOr<TaskBook::Found>& found) {
        SayRefusal("older tasks can't be searched", found.status());
        if (found.ok()) model_.book().AddFound(text, *found, Now().now);
      });
}

void DashboardSession::ReadHarnesses() {
  requests_.Ask(
      [request = ToProbeRequest(options_.environment)](client::ApiClient& api) {
        return api.ProbeHarnesses(request);
      },
      [this](absl::StatusOr<v1::ListHarnessesResponse> list) {
        // The form offers what is known without the server.
        if (!list.ok()) return model_.form().SetHarnesses({});
        std::vector<FormChoice> harnesses;
        for (const v1::HarnessInfo& one : list->harnesses()) {
          harnesses.push_back(
              {.id = one.id(),
               .found = !one.path().empty(),
               .usable = !one.path().empty() && one.hint().empty(),
               .note = one.hint().empty()
                           ? absl::StrCat(one.name(), " ", one.version())
                           : one.hint()});
        }
        model_.form().SetHarnesses(std::move(harnesses));
      });
}

void DashboardSession::Create(const NewTask& task) {
  absl::StatusOr<v1::CreateTaskRequest> request = options_.make_request(task);
  if (!request.ok()) return RefuseCreation(task, request.status());
  remember_(task.prompt);
  creations_.push_back({.task = task, .request = *std::move(request)});
  create_at_ = absl::InfinitePast();
}

void DashboardSession::RefuseCreation(const NewTask& task,
                                      const absl::Status& why) {
  SayRefusal(model_.RestoreForm(task)
                 ? "the task was not made (n goes on with it)"
                 : "the task was not made (Up in a message gets its prompt)",
             why);
}

void DashboardSession::SendCreations() {
  if (creations_.empty() || creating_ || clock_.Awake() < create_at_) return;
  creating_ = true;
  requests_.Ask(
      [request = creations_.front().request](client::ApiClient& api) {
        return api.CreateTask(request);
      },
      [this](absl::StatusOr<v1::Task> made) {
        creating_ = false;
        // The server may have made it, so it is asked again.
        if (absl::IsUnavailable(made.status()) ||
            absl::IsDeadlineExceeded(made.status())) {
          create_at_ = clock_.Awake() + kCreateAgain;
          return model_.SayError(
              "the server does not answer; the task is made when it does");
        }
        const Creation creation = std::move(creations_.front());
        creations_.pop_front();
        if (!made.ok()) return RefuseCreation(creation.task, made.status());
        model_.Say(absl::StrCat("task ", made->id(), " was made"));
        model_.book().SetFilter("");
        model_.Select(made->id());
        model_.book().Put(*std::move(made), Now().now);
      });
}

void DashboardSession::Respond(const DashboardAction& action) {
  requests_.Ask(
      [task = action.task, response = action.response](client::ApiClient& api) {
        return api.Respond(task, response).status();
      },
      [this, task = action.task](const absl::Status& reply) {
        SayRefusal("not answered", reply);
        if (!reply.ok() && task == model_.selected()) model_.AnswerRefused();
      });
}

void DashboardSession::SendInputs() {
  for (auto& [task, outbox] : outboxes_) {
    const v1::InputRequest* const input = outbox.Take(clock_.Awake());
    if (input == nullptr) continue;
    requests_.Ask(
        [task = task, request = *input](client::ApiClient& api) {
          return api.SendInput(task, request).status();
        },
        [this, task = task](const absl::Status& reply) {
          const auto refused = outboxes_[task].Settle(reply, clock_.Awake());
          if (refused) {
            model_.KeepDraft(task, refused->text);
            SayRefusal("not sent", refused->why);
          } else if (!reply.ok()) {
            model_.SayError(
                "the server does not answer; the message is sent when it does");
          }
        });
  }
}

void DashboardSession::SendLast() {
  const absl::Time end = clock_.Awake() + kSendLastFor;
  while (clock_.Awake() < end) {
    SendInputs();
    SendCreations();
    if (requests_.idle()) return;
    std::vector<pollfd> fds = {requests_.PollFd()};
    Wait(&fds, end, clock_);
    requests_.RunDone();
  }
}

}  // namespace troika::cli
