#include "cli/answering.h"

#include <unistd.h>

#include <utility>

#include "cli/terminal_text.h"

namespace troika::cli {

Answering::Answering(client::ApiClient* api, std::string task, TaskView* view,
                     const Io& io)
    : api_(*api),
      task_(std::move(task)),
      view_(*view),
      io_(io),
      can_ask_(isatty(io.in) != 0 && isatty(io.out) != 0 &&
               view->output() == ViewOptions::Output::kText) {}

void Answering::Look(const TaskState& state) {
  const bool waits = !state.approvals.empty() || !state.questions.empty();
  if (!can_ask_) {
    if (waits && !told_) {
      view_.Say("the agent waits for an answer: " + HowToAnswer(state));
    }
    told_ = waits;
    return;
  }
  asker_.Look(state);
  view_.Prompt(asker_.asks() ? asker_.prompt() : "");
}

std::optional<pollfd> Answering::PollFd() const {
  if (!can_ask_ || !asker_.asks()) return std::nullopt;
  return pollfd{.fd = io_.in, .events = POLLIN, .revents = 0};
}

void Answering::OnInput() {
  char buffer[4096];
  const absl::StatusOr<size_t> n = ReadSome(io_.in, absl::MakeSpan(buffer));
  if (!n.ok() || *n == 0) {
    // Ctrl-D: nobody answers here any more.
    can_ask_ = false;
    view_.Prompt("");
    return;
  }
  typed_.append(buffer, *n);
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
  view_.Say(Harmless(sent.message()));
  // Where somebody else has answered, it goes by itself.
  asker_.AskAgain();
}

}  // namespace troika::cli
