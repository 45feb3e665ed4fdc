// Asks the user for approvals and answers on the terminal, and sends them.
#ifndef TROIKA_CLI_APPROVALS_ANSWERING_H_
#define TROIKA_CLI_APPROVALS_ANSWERING_H_

#include <poll.h>

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "cli/approvals/asked.h"
#include "cli/approvals/asker.h"
#include "cli/approvals/pager.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "client/api.h"
#include "task/state.h"

namespace troika::cli {

struct AnsweringOptions {
  enum class Ask { kOnTerminals, kNever };
  Ask ask = Ask::kOnTerminals;
  std::string only;  // Id of the only thing to ask for; empty for all.
};

// Shows the whole approval or question, page by page if it is longer than the
// screen, and only then asks. What was typed before is no answer to it: of a
// line that was begun when somebody else answered, the user is told.
//
// If stdin is not a terminal, or the timeline is not shown, it only says how to
// answer elsewhere, once for everything that waits at a time.
class Answering {
 public:
  // `api` and `view` are borrowed.
  Answering(client::ApiClient* api, std::string task, TaskView* view,
            const Io& io, AnsweringOptions options);

  // Keeps an approval or question that came whole. Others are read again.
  void Remember(const Message& message) { asked_.Remember(message); }
  // Asks for what waits in `state`, if anything does.
  void Update(const TaskState& state);
  // The descriptor that the user types on, while something is asked.
  std::optional<pollfd> PollFd() const;
  // Reads from that descriptor.
  void OnInput();
  // Whether the user can be asked here.
  bool can_ask() const { return can_ask_; }

 private:
  bool IsInForeground() const;
  // Shows what asker_ asks for now, or the first page of it.
  void Present(const TaskState& state);
  void StopAsking();
  // Returns what the user has typed of a line, and takes it from the terminal.
  std::string TakeTyped();
  void OnKeys(absl::string_view keys);
  void OnLines(absl::string_view bytes);
  void OnLine(absl::string_view line);

  client::ApiClient& api_;
  const std::string task_;
  AskedPayloads asked_;
  TaskView& view_;
  const Io io_;
  bool can_ask_;
  Asker asker_;
  std::string presented_;  // Id of what was shown last.
  std::string statement_;
  std::optional<Pager> pager_;  // Set while a part is still to be shown.
  std::optional<KeyMode> keys_;
  std::string typed_;  // The incomplete line.
  bool told_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_ANSWERING_H_
