#include "cli/approvals/asker.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

template <typename Pending>
std::string Oldest(const Pending& pending, const std::string& without,
                   const std::string& only) {
  const std::string* oldest = nullptr;
  EventId asked;
  for (const auto& [id, one] : pending) {
    if (id == without || (!only.empty() && id != only)) continue;
    if (oldest != nullptr && asked < one.asked) continue;
    oldest = &id;
    asked = one.asked;
  }
  return oldest == nullptr ? "" : *oldest;
}

bool Waits(const TaskState& state, const std::string& id) {
  return state.approvals.count(id) > 0 || state.questions.count(id) > 0;
}

v1::RespondRequest Decision(const std::string& id, bool allow,
                            absl::string_view reason) {
  v1::RespondRequest request;
  request.set_id(id);
  request.mutable_approval()->set_allow(allow);
  request.mutable_approval()->set_reason(json::ToValidUtf8(reason));
  return request;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadChoice(
    const PendingQuestion::Item& item, absl::string_view typed) {
  typed = absl::StripAsciiWhitespace(typed);
  if (typed.empty()) {
    return absl::InvalidArgumentError(
        item.options.empty() ? "type an answer"
                             : "type the number of an option, or an answer");
  }
  for (const std::string& option : item.options) {
    if (absl::EqualsIgnoreCase(typed, absl::StripAsciiWhitespace(option))) {
      return std::vector<std::string>{option};
    }
  }
  std::vector<std::string> answers;
  for (const absl::string_view part :
       absl::StrSplit(typed, absl::ByAnyChar(", "), absl::SkipEmpty())) {
    size_t number = 0;
    // Anything else is an answer in the user's own words.
    if (!absl::SimpleAtoi(part, &number) || item.options.empty()) {
      return std::vector<std::string>{std::string(typed)};
    }
    if (number < 1 || number > item.options.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no option ", part, ": type 1 to ", item.options.size()));
    }
    answers.push_back(item.options[number - 1]);
  }
  if (answers.size() > 1 && !item.multi_select) {
    return absl::InvalidArgumentError("only one option can be chosen");
  }
  return answers;
}

void Asker::Reset() {
  id_.clear();
  statement_.clear();
  seen_ = Seen::kAll;
  gives_reason_ = false;
  question_.reset();
  given_.clear();
}

void Asker::Update(const TaskState& state) {
  if (!Waits(state, answered_)) answered_.clear();
  if (asks() && Waits(state, id_)) return;
  Reset();
  id_ = Oldest(state.approvals, answered_, only_);
  if (!id_.empty()) return;
  id_ = Oldest(state.questions, answered_, only_);
  if (!id_.empty()) question_ = state.questions.at(id_);
  // One without a question is answered by any words.
  if (question_ && question_->items.empty()) question_->items.emplace_back();
}

void Asker::Describe(std::string statement, Seen seen) {
  statement_ = std::move(statement);
  seen_ = seen;
}

std::string Asker::prompt() const {
  if (!question_) {
    if (gives_reason_) {
      return "why not? The agent is told (an empty line goes back): ";
    }
    const absl::string_view choices =
        seen_ == Seen::kAll
            ? "y(es), n(o), or r to deny it with a reason: "
            : "n(o), r to deny it with a reason, or the word allow: ";
    return absl::StrCat(statement_, statement_.empty() ? "" : "\n", choices);
  }
  const PendingQuestion::Item& item = question_->items[given_.size()];
  const std::string which =
      question_->items.size() == 1
          ? ""
          : HarmlessLine(Labelled(item.header, item.text)) + " ";
  if (item.options.empty()) return absl::StrCat(which, "your answer: ");
  return absl::StrCat(which, "1-", item.options.size(),
                      item.multi_select ? ", several with commas" : "",
                      ", or your own words: ");
}

Asker::Answer Asker::TypeApproval(absl::string_view typed) {
  if (std::exchange(gives_reason_, false)) {
    if (typed.empty()) return std::nullopt;
    return Decision(id_, false, typed);
  }
  const std::string word = absl::AsciiStrToLower(typed);
  const bool yes = word == "y" || word == "yes";
  if (word == "n" || word == "no") return Decision(id_, false, "");
  if (seen_ == Seen::kAll ? yes : word == "allow") {
    return Decision(id_, true, "");
  }
  if (word == "r") {
    gives_reason_ = true;
    return std::nullopt;
  }
  if (seen_ == Seen::kPart) {
    return absl::InvalidArgumentError(
        "not all of it was shown: type the word allow to allow it all the "
        "same, n to deny it, or r to deny it with a reason");
  }
  return absl::InvalidArgumentError(
      "type y to allow it, n to deny it, or r to deny it with a reason");
}

Asker::Answer Asker::TypeQuestion(absl::string_view typed) {
  ASSIGN_OR_RETURN(auto answers,
                   ReadChoice(question_->items[given_.size()], typed));
  given_.push_back(std::move(answers));
  if (given_.size() < question_->items.size()) return std::nullopt;
  v1::RespondRequest request;
  request.set_id(id_);
  for (const std::vector<std::string>& item : given_) {
    v1::RespondRequest::QuestionAnswer::Item& out =
        *request.mutable_question()->add_items();
    for (const std::string& answer : item) {
      out.add_answers(json::ToValidUtf8(answer));
    }
  }
  return request;
}

Asker::Answer Asker::Type(absl::string_view line) {
  const absl::string_view typed = absl::StripAsciiWhitespace(line);
  ASSIGN_OR_RETURN(std::optional<v1::RespondRequest> answer,
                   question_ ? TypeQuestion(typed) : TypeApproval(typed));
  if (answer) {
    answered_ = id_;
    Reset();
  }
  return answer;
}

std::string HowToAnswer(const TaskState& state) {
  if (!state.approvals.empty()) {
    return absl::StrCat("answer it with: troika respond ", state.task,
                        " --allow, or --deny");
  }
  return absl::StrCat("answer it with: troika respond ", state.task,
                      " --answer TEXT");
}

}  // namespace troika::cli
