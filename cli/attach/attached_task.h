// A terminal's conversation with one task.
#ifndef TROIKA_CLI_ATTACH_ATTACHED_TASK_H_
#define TROIKA_CLI_ATTACH_ATTACHED_TASK_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "cli/approvals/asked.h"
#include "cli/attach/attach.h"
#include "cli/attach/console.h"
#include "cli/attach/dialog.h"
#include "cli/attach/outbox.h"
#include "cli/attach/requests.h"
#include "cli/attach/server_starter.h"
#include "cli/feed/task_feed.h"
#include "cli/io.h"
#include "cli/timeline/timeline.h"
#include "client/api.h"

namespace troika::cli {

// The sign before a line that is a message.
std::string MessageSign(Timeline::Color color);

// The loop of an attached terminal, and what it does for the user.
class AttachedTask : public TaskFeedListener {
 public:
  // `console` is borrowed.
  AttachedTask(const v1::Task& task, const AttachOptions& options,
               Console* console, const Io& io);

  // Returns the exit code, when the user has detached or nothing more can be
  // done. Handles signals meanwhile.
  int Run();
  // What to tell the user after the console is closed.
  std::string Farewell();

 private:
  const TaskState& state() const { return feed_.state(); }
  const std::string& id() const { return feed_.task().id(); }

  void OnEvent(const FedEvent& event) override;
  void OnTask(const v1::Task& task) override;
  void OnReady() override;
  void OnProblem(absl::string_view text) override;

  // Prints "troika: TEXT" above the line.
  void Say(absl::string_view text);
  void Advance();
  void UpdateDialog();
  void Present(const Asked& asked);
  void Draw();
  void Pause();
  void OnSignal(int signal);
  void OnKey(const Key& key);
  void Apply(Dialog::Step step);
  void Leave(int code, std::string why = "");

  // attached_actions.cc
  void Act(const UserAction& action);
  void Respond(const v1::RespondRequest& response);
  // Says what the server answers, if it is an error.
  void SayRefusal(const absl::Status& reply);
  void Interrupt(const std::string& reason);
  void Stop(const std::string& reason);
  void ShowQueue();
  void SendInputs();
  // Sends what was typed before the user left, while the server answers.
  void SendLast();

  const std::function<absl::Status()> start_;  // Null if no server is started.
  const absl::string_view help_;
  const Timeline::Color color_;
  Console& console_;
  SystemClock clock_;
  // Before the thread, which has its mask.
  Signals signals_{kTerminalSignals};
  Requests requests_;
  ServerStarter starter_;
  client::ApiClient api_;  // Sends nothing; the feed follows its server.
  Timeline timeline_;
  AskedPayloads payloads_;
  TaskFeed feed_;
  Dialog dialog_;
  Outbox outbox_;
  std::string presented_;     // Id of what was presented last.
  bool told_waits_ = false;   // The user knows that inputs wait for a server.
  bool interrupted_ = false;  // The connection has broken.
  bool told_gone_ = false;    // The user knows why there is no connection.
  std::string trouble_;       // The last one that was told.
  int position_ = 0;          // Last printed position in the queue.
  std::optional<int> leave_;  // Exit code.
  std::string why_;           // Why it leaves, if the user did not ask for it.
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_ATTACHED_TASK_H_
