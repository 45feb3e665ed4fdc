#include "cli/dashboard/session.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/alert.h"
#include "cli/timeline/terminal_text.h"
#include "client/autostart.h"
#include "dto/proto_json.h"

namespace troika::cli {
namespace {

// The user waits no longer for a server that hangs.
constexpr absl::Duration kRequestTimeout = absl::Seconds(10);
// After this, the user is told that the server does not answer.
constexpr absl::Duration kSlowAnswer = absl::Seconds(2);
// Nobody sees more than these frames.
constexpr absl::Duration kFrame = absl::Milliseconds(30);
// How often the status line and the ages are drawn anew.
constexpr absl::Duration kTick = absl::Seconds(1);
constexpr absl::Duration kIdleTick = absl::Seconds(5);
constexpr size_t kTitleColumns = 60;

}  // namespace

DashboardSession::DashboardSession(
    const DashboardOptions& options, Model* model,
    std::function<void(absl::string_view)> remember, const Io& io)
    : options_(options),
      model_(*model),
      remember_(std::move(remember)),
      io_(io),
      start_(client::Starter(options.address, options.environment,
                             [this](absl::string_view notice) {
                               requests_.Post(
                                   [this, text = std::string(notice)] {
                                     model_.Say(text);
                                   });
                             })),
      requests_(options.address, {.start = start_, .timeout = kRequestTimeout},
                &clock_),
      starter_(&requests_, start_),
      api_(options.address, {.start = starter_.Function()}),
      watch_({.requests = &requests_,
              .api = &api_,
              .clock = &clock_,
              .rows = &model->transcript(),
              .color = ColorFor(options.view, options.environment, io.out)}) {
  Connect();
}

void DashboardSession::Connect() {
  list_ = std::make_unique<client::EventStream>(
      api_.address(), "/api/v1/events",
      client::EventStreamOptions{.clock = &clock_,
                                 .start = api_.options().start});
}

Moment DashboardSession::Now() {
  clock_.FollowRealTime();
  return {.now = clock_.Now(), .awake = clock_.Awake()};
}

DashboardSession::End DashboardSession::Run() {
  absl::StatusOr<std::unique_ptr<CursesScreen>> screen =
      CursesScreen::Open(io_, options_.environment);
  if (!screen.ok()) {
    return {.code = kExitUsage, .why = std::string(screen.status().message())};
  }
  screen_ = *std::move(screen);
  while (!end_) {
    Advance();
    SendInputs();
    SendCreations();
    Draw();
    Pause();
    for (const int signal : signals_.Take()) OnSignal(signal);
  }
  if (end_->code == kExitOk) SendLast();
  screen_.reset();
  SayUnsent();
  return *end_;
}

void DashboardSession::SayUnsent() {
  std::vector<std::string> parts;
  size_t unsent = 0;
  for (const auto& [task, outbox] : outboxes_) unsent += outbox.size();
  if (unsent > 0) {
    parts.push_back(
        absl::StrCat(unsent, unsent == 1 ? " message was" : " messages were",
                     " not sent, because the server does not answer"));
  }
  if (!creations_.empty()) {
    parts.push_back(absl::StrCat(
        creations_.size(), creations_.size() == 1 ? " task" : " tasks",
        " may not have been made, because the server does not answer (look "
        "with troika tasks)"));
  }
  // After attaching, the dashboard has them still.
  if (end_->attach.empty()) {
    const std::vector<std::string> drafts = model_.TakeDrafts();
    for (const std::string& text : drafts) remember_(text);
    if (!drafts.empty()) {
      parts.push_back(
          absl::StrCat(drafts.size(), drafts.size() == 1 ? " text" : " texts",
                       " that you had begun ",
                       drafts.size() == 1 ? "was" : "were", " not sent"));
    }
  }
  if (parts.empty()) return;
  if (!end_->why.empty()) parts.insert(parts.begin(), end_->why);
  end_->why = absl::StrCat(absl::StrJoin(parts, "; "),
                           ": Up in troika attach gets back what you typed");
}

void DashboardSession::Advance() {
  const absl::Status listed =
      list_->Advance([&](client::SseEvent&& event) { OnListEvent(event); });
  if (absl::IsUnavailable(listed)) {
    model_.SayError(absl::StrCat(listed.message(), "; trying again"));
    Connect();
  } else if (!listed.ok()) {
    return Leave({.code = kExitFailure, .why = std::string(listed.message())});
  }
  const absl::Time awake = clock_.Awake();
  if (awake >= list_at_) ReadList();
  watch_.Follow(model_.selected(), Model::PaneSize(screen_->size()));
  watch_.Advance();
  model_.SetWatched(watch_.watched());
  model_.Update(Now());
  for (const std::string& text : model_.TakeOrphans()) remember_(text);
  // The selection may have changed.
  watch_.Follow(model_.selected(), Model::PaneSize(screen_->size()));
  if (const std::string asked = model_.TakeWanted(); !asked.empty()) {
    watch_.LoadAsked(asked, [this](const std::string& id, Asked whole) {
      model_.Present(id, std::move(whole));
    });
  }
  const absl::Duration waited = awake - requests_.waiting_since();
  model_.SetServerProblem(list_->interrupted() ? "no server: connecting again"
                          : waited >= kSlowAnswer
                              ? absl::StrCat("the server has not answered for ",
                                             absl::ToInt64Seconds(waited), " s")
                              : "");
}

void DashboardSession::OnListEvent(const client::SseEvent& event) {
  if (event.name == "ready" || event.name == "reset") return ReadList();
  v1::Task task;
  if ((event.name != "task" && event.name != "gone") ||
      !FromJson(event.data, &task, UnknownFields::kIgnore).ok()) {
    return;
  }
  if (event.name == "gone") return model_.book().Remove(task.id());
  const std::string title = SanitizedLine(task.title(), kTitleColumns);
  const std::string state = StateText(task);
  switch (model_.book().Put(std::move(task), Now().now)) {
    case TaskBook::Change::kNothing:
      return;
    case TaskBook::Change::kBeganToAsk:
      return screen_->Send(AlertBytes(absl::StrCat("the agent asks: ", title)));
    case TaskBook::Change::kEnded:
      return screen_->Send(AlertBytes(absl::StrCat(state, ": ", title)));
  }
}

void DashboardSession::Draw() {
  if (end_ || clock_.Awake() - drawn_at_ < kFrame) return;
  drawn_at_ = clock_.Awake();
  screen_->Draw(model_.Draw(screen_->size(), Now()));
}

void DashboardSession::Pause() {
  if (end_) return;
  std::vector<pollfd> fds = list_->PollFds();
  for (const pollfd& fd : watch_.PollFds()) fds.push_back(fd);
  fds.push_back({.fd = signals_.fd(), .events = POLLIN});
  fds.push_back(requests_.PollFd());
  fds.push_back({.fd = io_.in, .events = POLLIN});
  const bool busy = watch_.is_at_work() || !requests_.idle();
  absl::Time wake_at =
      std::min({list_->wake_at(), watch_.wake_at(), keys_wake_at_, list_at_,
                drawn_at_ + (busy ? kTick : kIdleTick)});
  for (const auto& [task, outbox] : outboxes_) {
    wake_at = std::min(wake_at, outbox.retry_at());
  }
  if (!creations_.empty() && !creating_) {
    wake_at = std::min(wake_at, create_at_);
  }
  // What came since the last frame is drawn with the next one.
  if (pending_frame_) wake_at = std::min(wake_at, drawn_at_ + kFrame);
  pending_frame_ = Wait(&fds, wake_at, clock_);
  requests_.RunDone();
  ReadKeys(fds.back().revents);
}

void DashboardSession::ReadKeys(int16_t events) {
  std::vector<Key> keys;
  if (events != 0) {
    char buffer[65536];
    const absl::StatusOr<size_t> n = ReadSome(io_.in, absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) return Leave({.code = kExitFailure});
    keys = decoder_.Feed(absl::string_view(buffer, *n));
  } else if (clock_.Awake() >= keys_wake_at_) {
    keys = decoder_.Expire();
  } else {
    return;
  }
  keys_wake_at_ = clock_.Awake() + decoder_.patience();
  for (const Key& key : keys) {
    if (end_) return;
    const Moment moment = Now();
    for (const DashboardAction& action : model_.OnKey(key, moment)) {
      Act(action);
    }
    // So that the next key finds what this one has opened.
    model_.SetWatched(watch_.watched());
    model_.Update(moment);
  }
}

void DashboardSession::OnSignal(int signal) {
  switch (signal) {
    case SIGWINCH:
      return screen_->Resize();
    case SIGTSTP:
      return Suspend();
    case SIGCONT:
      return screen_->Resume();
    default:
      return Leave({.code = kExitSignal + signal});
  }
}

void DashboardSession::Suspend() {
  screen_->Suspend();
  StopJob();
  screen_->Resume();
}

void DashboardSession::Leave(End end) {
  if (!end_) end_ = std::move(end);
}

}  // namespace troika::cli
