#include "cli/approvals/asker.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/approvals/respond.h"
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

}  // namespace

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
  if (!id_.empty()) question_ = state.questions.at(id_).request;
  // A question without items takes any words as its answer.
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
  const Question::Item& item = question_->items[given_.size()];
  const std::string which =
      question_->items.size() == 1
          ? ""
          : SanitizedLine(Labelled(item.header, item.text)) + " ";
  if (item.options.empty()) return absl::StrCat(which, "your answer: ");
  return absl::StrCat(which, "1-", item.options.size(),
                      item.multi_select ? ", several with commas" : "",
                      ", or your own words: ");
}

Asker::Response Asker::TypeApproval(absl::string_view typed) {
  if (std::exchange(gives_reason_, false)) {
    if (typed.empty()) return std::nullopt;
    return ApprovalResponse(id_, false, typed);
  }
  const std::string word = absl::AsciiStrToLower(typed);
  const bool yes = word == "y" || word == "yes";
  if (word == "n" || word == "no") return ApprovalResponse(id_, false, "");
  if (seen_ == Seen::kAll ? yes : word == "allow") {
    return ApprovalResponse(id_, true, "");
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

Asker::Response Asker::TypeQuestion(absl::string_view typed) {
  ASSIGN_OR_RETURN(auto answers,
                   ReadChoice(question_->items[given_.size()], typed));
  given_.push_back(std::move(answers));
  if (given_.size() < question_->items.size()) return std::nullopt;
  return QuestionResponse(id_, given_);
}

Asker::Response Asker::Type(absl::string_view line) {
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
  return absl::StrCat(
      "answer it with: troika respond ", state.task,
      state.approvals.empty() ? " --answer TEXT" : " --allow, or --deny");
}

}  // namespace troika::cli
