// Asks the user on the terminal for what the agent asks, and sends the answer.
#ifndef TROIKA_CLI_APPROVALS_ANSWERING_H_
#define TROIKA_CLI_APPROVALS_ANSWERING_H_

#include <poll.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
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
  std::string only;  // An id: nothing else is asked.
};

// Shows what is asked whole, page by page if it is longer than the screen, and
// only then asks. What was typed before counts for nothing.
//
// If stdin is no terminal, or the timeline is not shown, it only says how to
// answer from elsewhere, once for all that is asked at a time.
class Answering {
 public:
  // `api` and `view` are borrowed.
  Answering(client::ApiClient* api, std::string task, TaskView* view,
            const Io& io, AnsweringOptions options);

  // Tells of an event that is whole. What is asked in others is read again.
  void Remember(const Message& message);
  // Asks for what waits in `state`, if something does.
  void Update(const TaskState& state);
  // What the user types on, while something is asked.
  std::optional<pollfd> PollFd() const;
  // There is something to be read from it.
  void OnInput();
  // Whether the user can be asked here.
  bool can_ask() const { return can_ask_; }

 private:
  // What is asked, and why it is not whole; empty: it is.
  struct Asked {
    Payload payload;
    std::string problem;
  };

  bool IsInForeground() const;
  // Shows what asker_ asks now, or its first page.
  void Present(const TaskState& state);
  Asked Load(const TaskState& state);
  std::vector<std::string> RowsOf(const Asked& asked) const;
  // The line that says what an approval is for.
  std::string Statement(const Payload& payload) const;
  void StopAsking();
  void OnKeys(absl::string_view keys);
  void OnLines(absl::string_view bytes);
  void OnLine(absl::string_view line);

  client::ApiClient& api_;
  const std::string task_;
  TaskView& view_;
  const Io io_;
  bool can_ask_;
  Asker asker_;
  std::map<std::string, Payload> known_;  // Whole, by the ids of what waits.
  std::string presented_;                 // The id of what was shown last.
  std::string statement_;
  std::optional<Pager> pager_;  // While a part of it is still to be shown.
  std::optional<KeyMode> keys_;
  std::string typed_;  // Without its end yet.
  bool told_ = false;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_ANSWERING_H_
