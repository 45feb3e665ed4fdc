#include "cli/commands/task_changes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "cli/commands/task_text.h"
#include "cli/signals.h"
#include "cli/wait.h"
#include "client/event_stream.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

template <typename List, typename Value>
bool Holds(const List& wanted, const Value& value) {
  return wanted.empty() ||
         std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

std::string LineOf(const client::SseEvent& event,
                   const v1::ListTasksRequest& filter, ChangeForm form) {
  v1::Task task;
  if (event.name != "task" ||
      !FromJson(event.data, &task, UnknownFields::kIgnore).ok() ||
      !Holds(filter.states(), static_cast<int>(task.state())) ||
      !Holds(filter.harnesses(), task.harness())) {
    return "";
  }
  return form == ChangeForm::kJson ? JsonLine(task) : TaskLine(task);
}

}  // namespace

int FollowChanges(Server& server, const v1::ListTasksRequest& filter,
                  ChangeForm form, const Io& io) {
  SystemClock clock;
  Signals signals;
  client::EventStream stream(
      server.api.address(), "/api/v1/events",
      {.clock = &clock, .start = server.api.options().start});
  while (true) {
    absl::Status written;
    const absl::Status advanced = stream.Advance([&](client::SseEvent&& event) {
      if (written.ok()) {
        written = WriteAll(io.out, LineOf(event, filter, form));
      }
    });
    if (!advanced.ok()) return FailWith(io, advanced);
    // A reader that leaves is no error to tell anybody.
    if (absl::IsCancelled(written)) return kExitOk;
    if (!written.ok()) return Fail(io, written.message());
    std::vector<pollfd> fds = stream.PollFds();
    fds.push_back({.fd = signals.fd(), .events = POLLIN});
    Wait(&fds, stream.wake_at(), clock);
    const std::vector<int> taken = signals.Take();
    if (!taken.empty()) return kExitSignal + taken.front();
  }
}

}  // namespace troika::cli
