// Which tasks start, and when.
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "agent/harness.h"
#include "agent/registry.h"
#include "dto/proto_json.h"
#include "server/row.h"
#include "server/tasks.h"
#include "task/make.h"

namespace troika {
namespace {

constexpr absl::Duration kPositionDelay = absl::Milliseconds(250);

}  // namespace

bool Tasks::MayStart() const {
  // Those that live count against the limits.
  return loader_.live_tasks_known() && unsettled_.empty();
}

void Tasks::CountIn(const ActiveTask& task) {
  const TaskState& state = task.state();
  const bool lives = task.failure().ok() && state.process_alive;
  if (!lives || state.status != TaskStatus::kIdle || state.input_closed) {
    idle_.erase(task.id());
  } else if (idle_.emplace(task.id(), tools_.clock->AwakeMicros()).second) {
    tools_.loop->Post([this] { CloseIdle(); });
  }
  if (lives && state.status != TaskStatus::kIdle) {
    queue_.SetRunning(task.id(), HarnessId(*state.harness));
  } else if (lives || state.turns_waiting == 0 || !task.failure().ok()) {
    queue_.Remove(task.id());
    tools_.loop->Post([this] { StartSome(); });
  }
}

void Tasks::OnWantsStart(ActiveTask& task) {
  if (queue_.IsRunning(task.id())) return FindCliFor(task);
  const TaskState& state = task.state();
  const absl::Time asked =
      state.turn_started.value_or(state.created.value_or(absl::UnixEpoch()));
  queue_.Add(task.id(), HarnessId(*state.harness), absl::ToUnixMicros(asked));
  StartSome();
  // It is opened again when its time has come.
  if (queue_.IsWaiting(task.id())) CloseSoon(task.id());
}

void Tasks::StartSome() {
  if (!MayStart() || std::exchange(starting_some_, true)) return;
  while (const auto id = queue_.Next()) {
    if (ActiveTask* active = ActiveOf(*id)) {
      if (active->runner().waits_for_start()) FindCliFor(*active);
      continue;
    }
    const auto opened = Activate(*id);
    if (opened.ok()) continue;
    queue_.Remove(*id);
    if (MayPass(opened.status())) {
      // The loader puts it back to its place.
      RetryLater(*id, opened.status());
    } else {
      PutLost(*id, opened.status().message());
    }
  }
  starting_some_ = false;
  TellPositionsSoon();
}

void Tasks::FindCliFor(ActiveTask& task) {
  if (auto found = found_clis_.extract(task.id()); !found.empty()) {
    return task.Start(std::move(found.mapped()));
  }
  auto environment = ReadEnvironment(task.folder());
  if (!environment.ok()) return task.Start(environment.status());
  Probe(*task.state().harness, *std::move(environment),
        [this, id = task.id()](absl::StatusOr<Cli> cli) {
          ActiveTask* const active = ActiveOf(id);
          if (active != nullptr && queue_.IsRunning(id)) {
            active->Start(std::move(cli));
          }
        });
}

void Tasks::Probe(Harness harness, Environment environment,
                  absl::AnyInvocable<void(absl::StatusOr<Cli>)> found) {
  tools_.probe_pool->RunFor<absl::StatusOr<Cli>>(
      [this, harness, environment = std::move(environment)] {
        return FindCliOf(BackendOf(harness), environment,
                         tools_.home->version_cache());
      },
      std::move(found));
}

void Tasks::TellPositionsSoon() {
  if (queue_.version() == told_positions_ ||
      std::exchange(position_timer_is_set_, true)) {
    return;
  }
  position_timer_->SetIn(kPositionDelay);
}

void Tasks::TellPositions() {
  position_timer_is_set_ = false;
  told_positions_ = queue_.version();
  for (const auto& [id, weak] : streams_) {
    const auto stream = weak.lock();
    if (!stream || stream->viewers() == 0 || !queue_.IsWaiting(id)) continue;
    Get(id, [stream](const absl::StatusOr<v1::Task>& task) {
      if (!task.ok()) return;
      stream->SetTask(ToJson(*task));
      stream->Tell();
    });
  }
}

}  // namespace troika
