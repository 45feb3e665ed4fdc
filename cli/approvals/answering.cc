#include "cli/approvals/answering.h"

#include <termios.h>
#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/approvals/respond.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {

Answering::Answering(client::ApiClient* api, std::string task, TaskView* view,
                     const Io& io, AnsweringOptions options)
    : api_(*api),
      task_(task),
      asked_(api, std::move(task)),
      view_(*view),
      io_(io),
      can_ask_(options.ask == AnsweringOptions::Ask::kOnTerminals &&
               isatty(io.in) != 0 && isatty(io.out) != 0 &&
               view->output() == ViewOptions::Output::kText) {
  asker_.AskOnly(std::move(options.only));
  if (can_ask_) view_.LimitToScreen();
}

// A job in the background would be stopped if it read from its terminal. A
// terminal that is not our controlling one has no such jobs.
bool Answering::IsInForeground() const {
  const pid_t foreground = tcgetpgrp(io_.in);
  return foreground < 0 || foreground == getpgrp();
}

void Answering::Update(const TaskState& state) {
  const bool waits = Waits(state);
  if (waits && !view_.person_is_asked()) return;  // Rules may answer it.
  if (!can_ask_ || !IsInForeground()) {
    if (waits && !told_) {
      view_.Say("the agent waits for you; " + HowToAnswer(state));
    }
    told_ = waits;
    return;
  }
  asker_.Update(state);
  // If another one was shown meanwhile, shows again what is asked for.
  const bool is_other = !pager_ && !view_.last_asked().empty() &&
                        view_.last_asked() != presented_;
  if (asker_.id() != presented_) {
    StopAsking();
    if (asker_.asks()) Present(state);
  } else if (asker_.asks() && is_other) {
    Present(state);
  }
  view_.Prompt(!asker_.asks() ? ""
               : pager_       ? pager_->prompt()
                              : asker_.prompt());
}

// What was typed must not answer what is asked next.
void Answering::StopAsking() {
  const bool was_line = !presented_.empty() && !pager_;
  const std::string typed = was_line ? TakeTyped() : "";
  view_.Prompt("");
  presented_.clear();
  typed_.clear();
  pager_.reset();
  keys_.reset();
  tcflush(io_.in, TCIFLUSH);
  // A letter is quickly typed again, but not a reason.
  if (typed.size() > 1) {
    view_.Say(
        absl::StrCat("this is no longer asked; what you had typed: ", typed));
  }
}

// The terminal keeps a line until it is whole, unless it passes on each key.
std::string Answering::TakeTyped() {
  std::string typed = std::exchange(typed_, "");
  const KeyMode keys(io_.in, KeyMode::Pending::kKept);
  pollfd ready = {.fd = io_.in, .events = POLLIN, .revents = 0};
  char buffer[4096];
  while (poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN) != 0) {
    const absl::StatusOr<size_t> n = ReadSome(io_.in, absl::MakeSpan(buffer));
    if (!n.ok() || *n == 0) break;
    typed.append(buffer, *n);
  }
  return SanitizedLine(typed);
}

void Answering::Present(const TaskState& state) {
  presented_ = asker_.id();
  const Asked asked = asked_.Load(state, presented_);
  const std::vector<std::string> rows =
      RowsOf(asked, view_.timeline(), view_.width());
  statement_ = StatementOf(asked.payload, view_.width());
  asker_.Describe(statement_, asked.problem.empty() ? Asker::Seen::kAll
                                                    : Asker::Seen::kPart);
  const size_t height = TerminalHeight(io_.out);
  if (height > 0 && rows.size() + kRowsToAsk > height) {
    pager_.emplace(rows, height);
    keys_.emplace(io_.in);
    view_.ShowRows(pager_->FirstPage(), TaskView::Block::kNew);
  } else if (view_.last_asked() != presented_ || !asked.problem.empty()) {
    view_.ShowRows(rows, TaskView::Block::kNew);
  }
  if (pager_ && pager_->done()) pager_.reset();
  if (!pager_) keys_.reset();
}

std::optional<pollfd> Answering::PollFd() const {
  if (!can_ask_ || !asker_.asks() || !IsInForeground()) return std::nullopt;
  return pollfd{.fd = io_.in, .events = POLLIN, .revents = 0};
}

void Answering::OnInput() {
  char buffer[4096];
  const absl::StatusOr<size_t> n = ReadSome(io_.in, absl::MakeSpan(buffer));
  const bool ctrl_d = n.ok() && *n > 0 && pager_ && buffer[0] == '\x04';
  if (!n.ok() || *n == 0 || ctrl_d) {
    // The end of input is not an answer.
    StopAsking();
    can_ask_ = false;
    return;
  }
  const absl::string_view bytes(buffer, *n);
  pager_ ? OnKeys(bytes) : OnLines(bytes);
}

void Answering::OnKeys(absl::string_view keys) {
  for (const char key : keys) {
    view_.ErasePrompt();
    view_.ShowRows(pager_->OnKey(key), TaskView::Block::kSame);
    if (!pager_->done()) continue;
    // Keys that come after the last page are not an answer.
    if (!pager_->has_shown_all()) {
      asker_.Describe(statement_, Asker::Seen::kPart);
    }
    pager_.reset();
    keys_.reset();
    return;
  }
}

void Answering::OnLines(absl::string_view bytes) {
  absl::StrAppend(&typed_, bytes);
  for (size_t end = typed_.find('\n'); end != std::string::npos;
       end = typed_.find('\n')) {
    const std::string line = typed_.substr(0, end);
    typed_.erase(0, end + 1);
    view_.PromptTyped();
    if (asker_.asks()) OnLine(line);
  }
}

void Answering::OnLine(absl::string_view line) {
  const auto answer = asker_.Type(line);
  if (!answer.ok()) return view_.Say(answer.status().message());
  if (!answer->has_value()) return;
  const absl::Status sent = api_.Respond(task_, **answer).status();
  if (sent.ok()) return;
  view_.Say(Sanitized(sent.message()));
  // If it was answered elsewhere, its event withdraws it.
  asker_.AskAgain();
}

}  // namespace troika::cli
