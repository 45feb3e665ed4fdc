// Asks the user on the terminal for what the agent asks, and sends the answer.
#ifndef TROIKA_CLI_ANSWERING_H_
#define TROIKA_CLI_ANSWERING_H_

#include <poll.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "cli/asker.h"
#include "cli/io.h"
#include "cli/task_view.h"
#include "client/api.h"
#include "task/state.h"

namespace troika::cli {

// Where stdin is no terminal, or the timeline is not shown, it only says how to
// answer from elsewhere, once for all that is asked at a time.
class Answering {
 public:
  // `api` and `view` are borrowed.
  Answering(client::ApiClient* api, std::string task, TaskView* view,
            const Io& io);

  // Asks for what waits in `state`, where something does.
  void Look(const TaskState& state);
  // What the user types on, while something is asked.
  std::optional<pollfd> PollFd() const;
  // That has something.
  void OnInput();

 private:
  void OnLine(absl::string_view line);

  client::ApiClient& api_;
  const std::string task_;
  TaskView& view_;
  const Io io_;
  bool can_ask_;
  Asker asker_;
  std::string typed_;  // Without its end yet.
  bool told_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ANSWERING_H_
