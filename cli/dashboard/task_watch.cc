#include "cli/dashboard/task_watch.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/timeline/task_view.h"
#include "cli/timeline/terminal_text.h"
#include "dto/task.h"
#include "task/reduce.h"

namespace troika::cli {
namespace {

// Events that are read of the past.
constexpr int kPastEvents = 200;
constexpr absl::Duration kRetryAfter = absl::Seconds(2);

}  // namespace

void TaskWatch::Follow(const std::string& id, const ScreenSize& pane) {
  if (id != wanted_) retry_at_ = absl::InfiniteFuture();
  const bool new_task = id != wanted_;
  wanted_ = id;
  wanted_size_ = pane;
  if (loading_ || id.empty()) return;
  const bool shown = id_ == id && size_.columns == pane.columns;
  const bool failed = id_ == id && feed_ == nullptr && !problem_.empty();
  const bool retries = options_.clock->Awake() >= retry_at_;
  if (failed ? !(retries || new_task) : shown) return;
  Load();
}

void TaskWatch::Load() {
  loading_ = true;
  retry_at_ = absl::InfiniteFuture();
  options_.requests->Ask(
      [id = wanted_](client::ApiClient& api) -> absl::StatusOr<Loaded> {
        Loaded loaded;
        // In this order: events that come between the two are streamed.
        ASSIGN_OR_RETURN(loaded.task, api.GetTask(id));
        ASSIGN_OR_RETURN(loaded.events, api.GetLastEvents(id, kPastEvents));
        return loaded;
      },
      [this, id = wanted_, pane = wanted_size_](absl::StatusOr<Loaded> loaded) {
        loading_ = false;
        OnLoaded(id, pane, std::move(loaded));
      });
}

void TaskWatch::OnLoaded(const std::string& id, const ScreenSize& pane,
                         absl::StatusOr<Loaded> loaded) {
  if (id != wanted_) return;
  if (!loaded.ok() && absl::IsUnavailable(loaded.status())) {
    retry_at_ = options_.clock->Awake() + kRetryAfter;
    // What is shown of the task is better than nothing.
    if (id == id_ && feed_ != nullptr) return;
  }
  id_ = id;
  size_ = pane;
  feed_.reset();
  ++feed_number_;
  problem_.clear();
  if (!loaded.ok()) {
    problem_ = std::string(loaded.status().message());
    return;
  }
  timeline_.emplace(Timeline::Options{
      .color = options_.color, .width = pane.columns, .height = pane.rows});
  payloads_ = std::make_unique<AskedPayloads>(options_.api, id);
  const std::optional<absl::Time> turn_started = ShowPast(*loaded);
  OnTask(loaded->task);
  feed_ = std::make_unique<TaskFeed>(
      options_.api, loaded->task,
      TaskFeedOptions{
          .clock = options_.clock,
          .show = TaskFeedOptions::Show::kNew,
          .turn_started = turn_started,
          .read_event =
              [this, id](const std::string& event, TaskFeedOptions::Done done) {
                options_.requests->Ask(
                    [id, event](client::ApiClient& api) {
                      return api.GetEvent(id, event);
                    },
                    [this, feed = feed_number_,
                     done = std::move(done)](absl::StatusOr<Message> message) {
                      // The feed may be gone by now.
                      if (feed_ != nullptr && feed_number_ == feed) {
                        done(std::move(message));
                      }
                    });
              }},
      this);
}

std::optional<absl::Time> TaskWatch::ShowPast(const Loaded& loaded) {
  Transcript& rows = *options_.rows;
  rows.Reset(size_.columns);
  const std::optional<EventId> last = ParseEventId(loaded.task.last_event_id());
  if (static_cast<int>(loaded.events.size()) == kPastEvents) {
    rows.Add("… Enter attaches, and shows what was before\n\n");
  }
  TaskState state = IdentityOf(loaded.task);
  state.turn_started = ToTaskState(loaded.task).turn_started;
  for (const Message& event : loaded.events) {
    if (!last || event.id > *last) break;
    Reduce(event, &state);
    rows.Add(timeline_->Add(event, state));
  }
  return state.turn_started;
}

void TaskWatch::Advance() {
  if (feed_ == nullptr) return;
  const absl::Status advanced = feed_->Advance();
  if (absl::IsUnavailable(advanced)) {
    feed_->Reconnect();
  } else if (!advanced.ok()) {
    problem_ = std::string(advanced.message());
    feed_.reset();
  } else if (feed_->ended()) {
    problem_ = "the task was deleted";
    feed_.reset();
  }
}

bool TaskWatch::is_at_work() const {
  return feed_ != nullptr && IsAtWork(feed_->state().status);
}

WatchedTask TaskWatch::watched() const {
  WatchedTask watched = {.id = id_, .problem = problem_};
  if (feed_ == nullptr) return watched;
  const TaskState& state = feed_->state();
  watched.state = &state;
  options_.clock->FollowRealTime();
  const absl::Time now = options_.clock->Now();
  if (is_at_work()) {
    watched.status_line = timeline_->StatusLine(
        state, now, static_cast<int>(absl::ToUnixSeconds(now) % 10));
  }
  if (options_.rows->empty()) watched.waiting = WaitingText(state);
  return watched;
}

std::string TaskWatch::WaitingText(const TaskState& state) const {
  Timeline preview = *timeline_;
  if (state.status != TaskStatus::kQueued) return preview.WaitingTurn(state);
  // The server does not say how many turns wait; of a queued task, one does.
  TaskState queued = state;
  queued.turns_waiting = std::max(1, state.turns_waiting);
  std::string text = preview.WaitingTurn(queued);
  if (queue_position_ > 0) {
    absl::StrAppend(&text, "the task waits in the queue, at place ",
                    queue_position_, "\n");
  }
  return text;
}

std::vector<pollfd> TaskWatch::PollFds() const {
  return feed_ == nullptr ? std::vector<pollfd>() : feed_->PollFds();
}

absl::Time TaskWatch::wake_at() const {
  return feed_ == nullptr ? retry_at_ : std::min(retry_at_, feed_->wake_at());
}

void TaskWatch::LoadAsked(const std::string& id, Present present) {
  if (feed_ == nullptr) return;
  const std::string event = payloads_->EventToRead(feed_->state(), id);
  if (event.empty()) {
    return present(id, payloads_->Take(feed_->state(), id, NoEvent()));
  }
  options_.requests->Ask(
      [task = id_, event](client::ApiClient& api) {
        return api.GetEvent(task, event);
      },
      [this, task = id_, id, present](absl::StatusOr<Message> whole) {
        if (feed_ == nullptr || id_ != task) return;
        present(id, payloads_->Take(feed_->state(), id, std::move(whole)));
      });
}

void TaskWatch::OnEvent(const FedEvent& event) {
  if (event.whole) payloads_->Remember(event.message);
  options_.rows->Add(timeline_->Add(event.message, feed_->state()));
}

void TaskWatch::OnTask(const v1::Task& task) {
  queue_position_ =
      task.state() == v1::Task::queued ? task.queue_position() : 0;
}

void TaskWatch::OnProblem(absl::string_view text) {
  options_.rows->Add(
      absl::StrCat(timeline_->EndLine(), "troika: ", Sanitized(text), "\n"));
}

}  // namespace troika::cli
