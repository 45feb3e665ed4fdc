#include "cli/asker.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "cli/terminal_text.h"

namespace troika::cli {
namespace {

template <typename Pending>
std::string Oldest(const Pending& pending, const std::string& without) {
  const std::string* oldest = nullptr;
  EventId asked;
  for (const auto& [id, one] : pending) {
    if (id == without || (oldest != nullptr && asked < one.asked)) continue;
    oldest = &id;
    asked = one.asked;
  }
  return oldest == nullptr ? "" : *oldest;
}

bool Waits(const TaskState& state, const std::string& id) {
  return state.approvals.count(id) > 0 || state.questions.count(id) > 0;
}

absl::StatusOr<v1::RespondRequest> ReadApproval(const std::string& id,
                                                absl::string_view typed) {
  if (typed.empty()) {
    return absl::InvalidArgumentError(
        "type y to allow it, n to deny it, or a reason to deny it");
  }
  v1::RespondRequest request;
  request.set_id(id);
  const std::string word = absl::AsciiStrToLower(typed);
  auto& approval = *request.mutable_approval();
  approval.set_allow(word == "y" || word == "yes");
  const bool plain = approval.allow() || word == "n" || word == "no";
  if (!plain) approval.set_reason(std::string(typed));
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

void Asker::Look(const TaskState& state) {
  if (!Waits(state, answered_)) answered_.clear();
  if (asks() && Waits(state, id_)) return;
  question_.reset();
  given_.clear();
  id_ = Oldest(state.approvals, answered_);
  if (!id_.empty()) return;
  id_ = Oldest(state.questions, answered_);
  if (!id_.empty()) question_ = state.questions.at(id_);
  // One without a question is answered by any words.
  if (question_ && question_->items.empty()) question_->items.emplace_back();
}

std::string Asker::prompt() const {
  if (!question_) return "allow it? y/n, or why not: ";
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

absl::StatusOr<std::optional<v1::RespondRequest>> Asker::Type(
    absl::string_view line) {
  const absl::string_view typed = absl::StripAsciiWhitespace(line);
  v1::RespondRequest request;
  if (!question_) {
    ASSIGN_OR_RETURN(request, ReadApproval(id_, typed));
  } else {
    ASSIGN_OR_RETURN(auto answers,
                     ReadChoice(question_->items[given_.size()], typed));
    given_.push_back(std::move(answers));
    if (given_.size() < question_->items.size()) {
      return std::optional<v1::RespondRequest>();
    }
    request.set_id(id_);
    for (const std::vector<std::string>& item : given_) {
      v1::RespondRequest::QuestionAnswer::Item& out =
          *request.mutable_question()->add_items();
      for (const std::string& answer : item) out.add_answers(answer);
    }
  }
  answered_ = std::exchange(id_, "");
  question_.reset();
  given_.clear();
  return std::optional<v1::RespondRequest>(std::move(request));
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
