#include "cli/approvals/asked.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/timeline/approval_text.h"
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

absl::Status NoEvent() {
  return absl::UnavailableError(
      "the server does not say which event asked: is it older than this "
      "troika?");
}

void AskedPayloads::Remember(const Message& message) {
  const std::string id = IdOf(message.payload);
  if (id.empty()) return;
  known_.erase(id);
  if (IsAsked(message.payload)) known_.emplace(id, message.payload);
}

std::string AskedPayloads::EventToRead(const TaskState& state,
                                       const std::string& id) const {
  if (known_.contains(id)) return "";
  const EventId asked = Find(state, id).asked;
  return asked == EventId() ? "" : EventIdText(asked);
}

Asked AskedPayloads::Load(const TaskState& state, const std::string& id) {
  const std::string event = EventToRead(state, id);
  if (event.empty()) return Take(state, id, NoEvent());
  return Take(state, id, api_.GetEvent(task_, event));
}

Asked AskedPayloads::Take(const TaskState& state, const std::string& id,
                          absl::StatusOr<Message> whole) {
  if (const auto it = known_.find(id); it != known_.end()) {
    return {.payload = it->second};
  }
  if (whole.ok() && IdOf(whole->payload) == id) {
    known_[id] = whole->payload;
    return {.payload = std::move(whole->payload)};
  }
  return {.payload = Find(state, id).payload,
          .problem = whole.ok() ? "the server sent another event"
                                : std::string(whole.status().message())};
}

std::vector<std::string> RowsOf(const Asked& asked, const Timeline& timeline,
                                size_t width) {
  std::vector<std::string> rows;
  if (const auto* approval = std::get_if<Approval>(&asked.payload)) {
    rows = timeline.Rows(*approval);
  } else if (const auto* question = std::get_if<Question>(&asked.payload)) {
    rows = timeline.Rows(*question);
  }
  if (asked.problem.empty()) return rows;
  for (std::string& row :
       WrapToWidth(absl::StrCat(
                       "! THIS IS INCOMPLETE, because the rest can't be read: ",
                       SanitizedLine(asked.problem)),
                   width == 0 ? 0 : std::max(kFewestColumns, width - 1))) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string StatementOf(const Payload& payload, size_t width) {
  const auto* approval = std::get_if<Approval>(&payload);
  if (approval == nullptr) return "";
  const ApprovalText text = DescribeApproval(*approval);
  const std::string head =
      absl::StrCat("allow ", text.tool, " (", SizeText(text), ")? ");
  if (width == 0) width = kUsualColumns;
  const size_t used = DisplayWidth(head) + 1;
  return absl::StrCat(
      head, CutMiddleToWidth(
                text.summary,
                std::max(kFewestColumns, width > used ? width - used : 0)));
}

}  // namespace troika::cli
