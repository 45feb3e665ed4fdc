#include "cli/approvals/asker.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/approvals/respond.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

// The longest-waiting one, or `only` if that is given and waits.
template <typename T>
std::string Next(const std::map<std::string, Pending<T>>& pending,
                 const std::string& without, const std::string& only) {
  if (only.empty()) return Oldest(pending, without);
  const auto it = pending.find(only);
  const bool waits =
      it != pending.end() && !it->second.answered && only != without;
  return waits ? only : "";
}

bool IsOpen(const TaskState& state, const std::string& id) {
  const auto is_open = [&](const auto& pending) {
    const auto it = pending.find(id);
    return it != pending.end() && !it->second.answered;
  };
  return is_open(state.approvals) || is_open(state.questions);
}

// What can be typed for a choice.
struct Key {
  absl::string_view choice;
  absl::string_view letter;
  absl::string_view word;
  absl::string_view offer;  // In the prompt.
  absl::string_view help;
};
constexpr Key kKeys[] = {
    {kApprove, "y", "yes", "y(es)", "y to allow it"},
    {kDeny, "n", "no", "n(o)", "n to deny it"},
    {kApproveForSession, "s", "session", "s(ession)",
     "s to allow it for the session"},
    {kCancel, "c", "cancel", "c(ancel the turn)",
     "c to deny it and end the turn"},
};
constexpr absl::string_view kAlwaysOffer = "a to make it a rule";

using Choices = std::vector<std::string>;

bool Offers(const Choices& choices, absl::string_view choice) {
  // Servers of before 2026-11-17 list none.
  if (choices.empty()) return choice == kApprove || choice == kDeny;
  return std::find(choices.begin(), choices.end(), choice) != choices.end();
}

bool Approves(const Key& key) {
  return key.choice == kApprove || key.choice == kApproveForSession;
}

// A choice of a newer server has none, and is typed as it is.
bool HasKey(absl::string_view choice) {
  return std::any_of(std::begin(kKeys), std::end(kKeys),
                     [&](const Key& key) { return key.choice == choice; });
}

// "y(es), n(o), or s(ession)"
std::string OffersText(const Choices& choices, Asker::Seen seen, bool has_rules,
                       absl::string_view Key::*text) {
  const bool whole = seen == Asker::Seen::kAll;
  std::vector<absl::string_view> offers;
  for (const Key& key : kKeys) {
    if (!Offers(choices, key.choice) || (Approves(key) && !whole)) continue;
    offers.push_back(key.*text);
  }
  for (const std::string& choice : choices) {
    if (!HasKey(choice)) offers.push_back(choice);
  }
  if (whole && has_rules) offers.push_back(kAlwaysOffer);
  if (!whole) offers.push_back("the word allow");
  const absl::string_view last = offers.back();
  offers.pop_back();
  return offers.empty()
             ? std::string(last)
             : absl::StrCat(absl::StrJoin(offers, ", "), ", or ", last);
}

}  // namespace

void Asker::Reset() {
  id_.clear();
  statement_.clear();
  choices_.clear();
  seen_ = Seen::kAll;
  gives_reason_ = false;
  picks_rule_ = false;
  rules_.clear();
  question_.reset();
  given_.clear();
}

void Asker::Update(const TaskState& state) {
  if (!IsOpen(state, answered_)) answered_.clear();
  if (asks() && IsOpen(state, id_)) return;
  Reset();
  id_ = Next(state.approvals, answered_, only_);
  if (!id_.empty()) {
    choices_ = state.approvals.at(id_).request.choices;
    rules_ = state.approvals.at(id_).request.proposed_rules;
    return;
  }
  id_ = Next(state.questions, answered_, only_);
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
      return "why not? The agent is told (an empty line gives no reason): ";
    }
    if (picks_rule_) {
      return absl::StrCat(
          "rules that would allow it from now on, the narrowest first:\n",
          ProposalsText(rules_),
          "the number of the one to add, or an empty line to go back: ");
    }
    return absl::StrCat(
        statement_, statement_.empty() ? "" : "\n",
        OffersText(choices_, seen_, !rules_.empty(), &Key::offer), ": ");
  }
  const Question::Item& item = question_->items[given_.size()];
  const std::string which =
      question_->items.size() == 1
          ? ""
          : SanitizedLine(Labelled(item.header, item.text)) + " ";
  if (item.options.empty()) {
    return absl::StrCat(which, item.secret
                                   ? "your answer (seen while you type, hidden "
                                     "afterwards): "
                                   : "your answer: ");
  }
  return absl::StrCat(which, "1-", item.options.size(),
                      item.multi_select ? ", several with commas" : "",
                      ", or your own words: ");
}

Asker::Response Asker::TypeApproval(absl::string_view typed) {
  if (std::exchange(gives_reason_, false)) {
    return ApprovalResponse(id_, kDeny, typed);
  }
  if (picks_rule_) return TypeRule(typed);
  const std::string word = absl::AsciiStrToLower(typed);
  const bool whole = seen_ == Seen::kAll;
  if (whole && !rules_.empty() && (word == "a" || word == "always")) {
    picks_rule_ = true;
    return std::nullopt;
  }
  if (!whole && word == "allow") return ApprovalResponse(id_, kApprove, "");
  for (const Key& key : kKeys) {
    if (word != key.letter && word != key.word) continue;
    if (!Offers(choices_, key.choice) || (Approves(key) && !whole)) break;
    if (key.choice == kDeny) {
      gives_reason_ = true;
      return std::nullopt;
    }
    return ApprovalResponse(id_, key.choice, "");
  }
  if (whole && !HasKey(word) && !choices_.empty() && Offers(choices_, word)) {
    return ApprovalResponse(id_, word, "");
  }
  if (!whole) {
    return absl::InvalidArgumentError(
        "not all of it was shown: type the word allow to allow it all the "
        "same, or n to deny it");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "type ", OffersText(choices_, seen_, !rules_.empty(), &Key::help)));
}

Asker::Response Asker::TypeRule(absl::string_view typed) {
  size_t number = 0;
  if (typed.empty()) {
    picks_rule_ = false;
    return std::nullopt;
  }
  if (!absl::SimpleAtoi(typed, &number) || number < 1 ||
      number > rules_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "type 1 to ", rules_.size(), ", or an empty line to go back"));
  }
  picks_rule_ = false;
  return AlwaysResponse(id_, rules_[number - 1]);
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
  return absl::StrCat("answer it with: troika respond ", state.task,
                      Oldest(state.approvals).empty() ? " --answer TEXT"
                                                      : " --allow, or --deny");
}

}  // namespace troika::cli
