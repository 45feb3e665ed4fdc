#include "cli/approvals/answering.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/approvals/respond.h"
#include "cli/timeline/approval_text.h"
#include "cli/timeline/table.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kFewestColumns = 20;
// Assumed if the terminal does not know its width.
constexpr size_t kUsualColumns = 80;

std::string IdOf(const Payload& payload) {
  if (const auto* approval = std::get_if<Approval>(&payload)) {
    return approval->id;
  }
  const auto* question = std::get_if<Question>(&payload);
  return question == nullptr ? "" : question->id;
}

bool IsAsked(const Payload& payload) {
  if (const auto* approval = std::get_if<Approval>(&payload)) {
    return approval->state == Approval::State::kAsked;
  }
  const auto* question = std::get_if<Question>(&payload);
  return question != nullptr && question->state == Question::State::kAsked;
}

// What the state has of an approval or question, which may be cut, and the
// event that asked.
struct Known {
  Payload payload;
  EventId asked;
};

Known Find(const TaskState& state, const std::string& id) {
  if (const auto it = state.approvals.find(id); it != state.approvals.end()) {
    return {.payload = it->second.request, .asked = it->second.asked};
  }
  const auto it = state.questions.find(id);
  if (it == state.questions.end()) return {.payload = Question{.id = id}};
  return {.payload = it->second.request, .asked = it->second.asked};
}

}  // namespace

Answering::Answering(client::ApiClient* api, std::string task, TaskView* view,
                     const Io& io, AnsweringOptions options)
    : api_(*api),
      task_(std::move(task)),
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

void Answering::Remember(const Message& message) {
  const std::string id = IdOf(message.payload);
  if (id.empty()) return;
  known_.erase(id);
  if (IsAsked(message.payload)) known_.emplace(id, message.payload);
}

void Answering::Update(const TaskState& state) {
  const bool waits = Waits(state);
  if (!can_ask_ || !IsInForeground()) {
    if (waits && !told_) {
      view_.Say("the agent waits for an answer: " + HowToAnswer(state));
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

// Drops what was typed, which must not answer what is asked next.
void Answering::StopAsking() {
  view_.Prompt("");
  presented_.clear();
  typed_.clear();
  pager_.reset();
  keys_.reset();
  tcflush(io_.in, TCIFLUSH);
}

Answering::Asked Answering::Load(const TaskState& state) {
  const std::string& id = asker_.id();
  if (const auto it = known_.find(id); it != known_.end()) {
    return {.payload = it->second};
  }
  Known known = Find(state, id);
  absl::StatusOr<Message> whole = absl::UnavailableError(
      "the server does not say which event asked: is it older than this "
      "troika?");
  if (known.asked != EventId()) {
    whole = api_.GetEvent(task_, EventIdText(known.asked));
  }
  if (whole.ok() && IdOf(whole->payload) == id) {
    known_[id] = whole->payload;
    return {.payload = std::move(whole->payload)};
  }
  return {.payload = std::move(known.payload),
          .problem = whole.ok() ? "the server sent another event"
                                : std::string(whole.status().message())};
}

std::vector<std::string> Answering::RowsOf(const Asked& asked) const {
  std::vector<std::string> rows;
  if (const auto* approval = std::get_if<Approval>(&asked.payload)) {
    rows = view_.timeline().Rows(*approval);
  } else if (const auto* question = std::get_if<Question>(&asked.payload)) {
    rows = view_.timeline().Rows(*question);
  }
  if (asked.problem.empty()) return rows;
  const size_t width = view_.width();
  for (std::string& row :
       WrapToWidth(absl::StrCat(
                       "! THIS IS INCOMPLETE, because the rest can't be read: ",
                       SanitizedLine(asked.problem)),
                   width == 0 ? 0 : std::max(kFewestColumns, width - 1))) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Answering::Statement(const Payload& payload) const {
  const auto* approval = std::get_if<Approval>(&payload);
  if (approval == nullptr) return "";
  const ApprovalText text = DescribeApproval(*approval);
  const std::string head =
      absl::StrCat("allow ", text.tool, " (", SizeText(text), ")? ");
  const size_t width = view_.width() == 0 ? kUsualColumns : view_.width();
  const size_t used = DisplayWidth(head) + 1;
  return absl::StrCat(
      head, CutMiddleToWidth(
                text.summary,
                std::max(kFewestColumns, width > used ? width - used : 0)));
}

void Answering::Present(const TaskState& state) {
  presented_ = asker_.id();
  const Asked asked = Load(state);
  const std::vector<std::string> rows = RowsOf(asked);
  statement_ = Statement(asked.payload);
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
