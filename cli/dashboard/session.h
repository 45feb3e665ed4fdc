// The loop of the dashboard, until the user leaves it or attaches to a task.
#ifndef TROIKA_CLI_DASHBOARD_SESSION_H_
#define TROIKA_CLI_DASHBOARD_SESSION_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "cli/attach/console.h"
#include "cli/attach/keys.h"
#include "cli/attach/outbox.h"
#include "cli/attach/requests.h"
#include "cli/attach/server_starter.h"
#include "cli/dashboard/curses_screen.h"
#include "cli/dashboard/dashboard.h"
#include "cli/dashboard/model.h"
#include "cli/dashboard/task_watch.h"
#include "cli/io.h"
#include "client/api.h"
#include "client/event_stream.h"

namespace troika::cli {

// Has the terminal and a thread for requests while it lives.
class DashboardSession {
 public:
  // How it ended.
  struct End {
    int code = kExitOk;
    std::string attach;  // Id of the task to attach to; empty to leave.
    std::string why;     // For the user; empty if the user wanted it.
  };

  // All pointers are borrowed. `remember` gets each message that is sent.
  DashboardSession(const DashboardOptions& options, Model* model,
                   std::function<void(absl::string_view)> remember,
                   const Io& io);

  End Run();

 private:
  void Advance();
  void OnListEvent(const client::SseEvent& event);
  void Connect();
  void Draw();
  void Pause();
  void ReadKeys(int16_t events);
  void OnSignal(int signal);
  void Suspend();
  void Leave(End end);
  // Adds to end_->why what the user has typed in vain, and keeps it for Up.
  void SayUnsent();
  Moment Now();

  // session_requests.cc
  void Act(const DashboardAction& action);
  void ReadList();
  void Search(const std::string& text);
  void ReadHarnesses();
  void Create(const NewTask& task);
  void SendCreations();
  // Gives back the description of a task that can't be made.
  void RefuseCreation(const NewTask& task, const absl::Status& why);
  void Respond(const DashboardAction& action);
  void SendInputs();
  // Sends what was asked for before the user left, while the server answers.
  void SendLast();
  // Says what the server answers, if it is an error.
  void SayRefusal(absl::string_view what, const absl::Status& reply);

  const DashboardOptions& options_;
  Model& model_;
  const std::function<void(absl::string_view)> remember_;
  const Io io_;
  const std::function<absl::Status()> start_;
  SystemClock clock_;
  // Before the thread, which has its mask.
  Signals signals_{kTerminalSignals};
  Requests requests_;
  ServerStarter starter_;
  client::ApiClient api_;  // Sends nothing; streams follow its server.
  std::unique_ptr<client::EventStream> list_;
  TaskWatch watch_;
  std::unique_ptr<CursesScreen> screen_;
  KeyDecoder decoder_;
  absl::Time keys_wake_at_ = absl::InfiniteFuture();
  absl::Time drawn_at_ = absl::InfinitePast();
  bool pending_frame_ = true;  // Something may have changed since.
  bool listing_ = false;       // The list is being read.
  bool list_again_ = false;    // It has to be read once more.
  absl::Time list_at_ = absl::InfiniteFuture();  // When to read it again.
  std::map<std::string, Outbox> outboxes_;       // By task.
  // A task that is to be made. Each try has the same idempotency key.
  struct Creation {
    NewTask task;
    v1::CreateTaskRequest request;
  };
  std::deque<Creation> creations_;
  bool creating_ = false;                        // The first one is being sent.
  absl::Time create_at_ = absl::InfinitePast();  // When to send it again.
  std::optional<End> end_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_SESSION_H_
