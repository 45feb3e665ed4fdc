#include "cli/attach/dialog.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troika::cli {
namespace {

using Kind = UserAction::Kind;

// Whether the user wants another line: an odd number of backslashes ends it.
bool IsContinued(absl::string_view line) {
  const size_t last = line.find_last_not_of('\\');
  const size_t first = last == absl::string_view::npos ? 0 : last + 1;
  return (line.size() - first) % 2 == 1;
}

bool IsBlank(absl::string_view line) {
  return absl::StripAsciiWhitespace(line).empty();
}

// Returns who has answered this, such as "user (terminal)"; empty if nobody
// has.
std::string AnsweredBy(const TaskState& state, const std::string& id) {
  const auto text = [](absl::string_view by, absl::string_view via) {
    return absl::StrCat(by, via.empty() ? "" : absl::StrCat(" (", via, ")"));
  };
  if (id.empty()) return "";
  const auto approval = state.approvals.find(id);
  if (approval != state.approvals.end() && approval->second.answered) {
    return text(approval->second.request.by, approval->second.request.via);
  }
  const auto question = state.questions.find(id);
  if (question != state.questions.end() && question->second.answered) {
    return text(question->second.request.by, question->second.request.via);
  }
  for (const Settled& settled : state.settled) {
    if (settled.id == id) return text(settled.by, settled.via);
  }
  return "";
}

absl::StatusOr<UserAction> Message(absl::string_view command,
                                   absl::string_view text,
                                   v1::InputRequest::Mode mode) {
  if (text.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(command, " needs a text: ", command, " TEXT"));
  }
  return UserAction{
      .kind = Kind::kSend, .text = std::string(text), .mode = mode};
}

absl::StatusOr<UserAction> Alone(absl::string_view command,
                                 absl::string_view text, Kind kind) {
  if (text.empty()) {
    return UserAction{.kind = kind, .text = std::string(command)};
  }
  return absl::InvalidArgumentError(
      absl::StrCat(command, " takes no text; nothing was done"));
}

}  // namespace

absl::StatusOr<UserAction> ReadUserLine(absl::string_view line) {
  if (!absl::StartsWith(line, "/")) {
    return UserAction{.kind = Kind::kSend, .text = std::string(line)};
  }
  if (absl::StartsWith(line, "//")) {
    return UserAction{.kind = Kind::kSend, .text = std::string(line.substr(1))};
  }
  const size_t end = line.find_first_of(" \n\t");
  const absl::string_view command = line.substr(0, end);
  const absl::string_view text =
      end == absl::string_view::npos
          ? ""
          : absl::StripAsciiWhitespace(line.substr(end));
  if (command == "/steer") {
    return Message(command, text, v1::InputRequest::steer);
  }
  if (command == "/queue") {
    if (text.empty()) return UserAction{.kind = Kind::kShowQueue};
    return Message(command, text, v1::InputRequest::queue);
  }
  if (command == "/interrupt") {
    if (text.empty()) return Alone(command, text, Kind::kInterrupt);
    return Message(command, text, v1::InputRequest::interrupt);
  }
  if (command == "/stop") return Alone(command, text, Kind::kStop);
  if (command == "/detach") return Alone(command, text, Kind::kDetach);
  if (command == "/help") return Alone(command, text, Kind::kShowHelp);
  return absl::InvalidArgumentError(
      absl::StrCat("there is no command ", command,
                   ": /help lists them; a text that begins with a slash is "
                   "sent with two of them"));
}

void Dialog::BeginAnswer(absl::Time now) {
  if (answers_ || !asker_.asks()) return;
  answers_ = true;
  changed_ = now;
}

Dialog::Step Dialog::Update(const TaskState& state, absl::string_view line,
                            absl::Time now) {
  asker_.Update(state);
  Step step;
  if (asker_.id() == last_asked_) return step;
  if (const std::string who = AnsweredBy(state, last_asked_); !who.empty()) {
    step.say = absl::StrCat("it was answered elsewhere, by ", who);
  }
  last_asked_ = asker_.id();
  std::string rest(line);
  if (std::exchange(answers_, false)) {
    // It was answered elsewhere, or the agent no longer asks. What was typed
    // for it becomes a message.
    if (!other_line_.empty()) {
      rest = absl::StrCat(other_line_, rest.empty() ? "" : "\n", rest);
      step.line = rest;
    }
    changed_ = now;
  }
  // Half an answer is none to what is asked next.
  other_line_.clear();
  if (rest.empty()) BeginAnswer(now);
  return step;
}

Dialog::Step Dialog::TakeAnswer(absl::string_view line) {
  Asker::Response response = asker_.Type(line);
  if (!response.ok()) {
    return {.say = std::string(response.status().message()), .line = ""};
  }
  if (!response->has_value()) return {.line = ""};
  answers_ = false;
  last_asked_.clear();
  return {.action = {.kind = Kind::kRespond, .response = **response},
          .line = std::exchange(other_line_, "")};
}

Dialog::Step Dialog::OnEnter(absl::string_view line, absl::Time now) {
  if (!line.empty() && now - changed_ < kSettling) {
    return {.say =
                "this was not taken yet, because the line has just got "
                "another meaning: press Enter again"};
  }
  if (answers_) return TakeAnswer(line);
  if (IsContinued(line)) {
    return {.line = absl::StrCat(absl::StripSuffix(line, "\\"), "\n")};
  }
  if (IsBlank(line)) {
    BeginAnswer(now);
    return {.line = ""};
  }
  absl::StatusOr<UserAction> action = ReadUserLine(line);
  if (!action.ok()) return {.say = std::string(action.status().message())};
  BeginAnswer(now);
  return {.action = *std::move(action), .line = ""};
}

Dialog::Step Dialog::OnCtrlC(absl::string_view line, Agent agent,
                             absl::Time now) {
  if (!line.empty()) {
    BeginAnswer(now);
    return {.line = ""};
  }
  if (answers_ && asker_.GoBack()) return {};
  if (now - std::exchange(ctrl_c_, now) < kDoubleCtrlC) {
    return {.action = {.kind = Kind::kDetach}};
  }
  if (agent == Agent::kRests) {
    return {.say = "no turn runs; Ctrl-C again detaches"};
  }
  return {.action = {.kind = Kind::kInterrupt, .text = "Ctrl-C"},
          .say = "interrupting the turn; Ctrl-C again detaches"};
}

Dialog::Step Dialog::OnTab(absl::string_view line) {
  if (!asker_.asks()) return {};
  answers_ = !answers_;
  return {.line = std::exchange(other_line_, std::string(line))};
}

std::vector<std::string> Dialog::Explanation() const {
  if (!asker_.asks()) return {};
  std::vector<std::string> lines = absl::StrSplit(asker_.prompt(), '\n');
  std::string& last = lines.back();
  last = std::string(absl::StripSuffix(last, ": "));
  if (asker_.gives_reason()) absl::StrAppend(&last, "; Ctrl-C goes back");
  if (!answers_) last = "Tab answers it; the line is a message to the agent";
  return lines;
}

}  // namespace troika::cli
