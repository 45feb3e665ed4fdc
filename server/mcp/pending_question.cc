#include "server/mcp/pending_question.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "agent/message.h"
#include "base/json_writer.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "mcp/tool.h"

namespace troika {
namespace {

// How many bytes of JSON the texts of a question may have.
constexpr size_t kQuestionRoom = 12000;

std::string Quoted(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return json;
}

// The name of the agent for people: "Codex", "Claude", "Gemini".
std::string AgentName(const v1::Task& task) {
  std::string name = task.harness();
  if (!name.empty()) name[0] = absl::ascii_toupper(name[0]);
  return name;
}

std::string TypeOf(const v1::Approval& approval) {
  switch (approval.kind()) {
    case v1::Approval::command_line:
      return "command_approval";
    case v1::Approval::edit:
      return "patch_approval";
    case v1::Approval::plan:
      return "plan_approval";
    default:
      return "tool_approval";
  }
}

std::string ApprovalText(const v1::Task& task, const v1::Approval& approval) {
  std::string text = AgentName(task);
  const std::string input =
      approval.has_input() ? ToJson(approval.input()) : "";
  switch (approval.kind()) {
    case v1::Approval::command_line:
      absl::StrAppend(&text, " wants to execute: ", approval.command());
      if (!approval.cwd().empty() && approval.cwd() != task.cwd()) {
        absl::StrAppend(&text, "\nin ", approval.cwd());
      }
      break;
    case v1::Approval::edit:
      absl::StrAppend(&text, " wants to change files:\n",
                      approval.diff().empty() ? input : approval.diff());
      break;
    case v1::Approval::plan:
      absl::StrAppend(&text, " wants to begin with its plan: ", input);
      break;
    default:
      absl::StrAppend(&text, " wants to use ", approval.tool_name(), ": ",
                      input);
  }
  if (!approval.reason().empty()) {
    absl::StrAppend(&text, "\nReason: ", approval.reason());
  }
  return text;
}

// Whether nobody has answered the approval or question.
template <typename T>
bool IsPending(const T& asked) {
  return asked.state() == T::asked &&
         asked.delivery() == v1::Approval::unanswered;
}

PendingQuestion OfApproval(const v1::Task& task, const v1::Approval& approval) {
  PendingQuestion::Part part = {
      .question = ApprovalText(task, approval),
      .options = {approval.choices().begin(), approval.choices().end()}};
  if (part.options.empty()) {
    part.options = {std::string(kApprove), std::string(kDeny)};
  }
  return {.id = approval.id(),
          .type = TypeOf(approval),
          .parts = {std::move(part)}};
}

PendingQuestion OfQuestion(const v1::Question& question) {
  PendingQuestion pending = {.id = question.id(), .type = "question"};
  for (const v1::Question::Item& item : question.items()) {
    pending.parts.push_back(
        {.question = item.text().empty() ? item.header() : item.text(),
         .options = {item.options().begin(), item.options().end()},
         .multi_select = item.multi_select()});
  }
  return pending;
}

// An answer that may have a reason behind its first colon.
absl::StatusOr<v1::RespondRequest> ReadDecision(const PendingQuestion& question,
                                                absl::string_view answer) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(answer, absl::MaxSplits(':', 1));
  const absl::string_view choice = absl::StripAsciiWhitespace(parts.first);
  const absl::string_view reason = absl::StripAsciiWhitespace(parts.second);
  const std::vector<std::string>& options = question.parts[0].options;
  if (std::find(options.begin(), options.end(), choice) == options.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "answers: \"", choice, "\" is none of ", absl::StrJoin(options, ", ")));
  }
  v1::RespondRequest request;
  request.set_id(question.id);
  request.set_via("mcp");
  request.mutable_approval()->set_choice(std::string(choice));
  request.mutable_approval()->set_allow(choice == kApprove ||
                                        choice == kApproveForSession);
  request.mutable_approval()->set_reason(std::string(reason));
  return request;
}

// The options of a part that an answer names, with commas between them.
std::vector<std::string> Selected(const PendingQuestion::Part& part,
                                  const std::string& answer) {
  if (!part.multi_select) return {answer};
  std::vector<std::string> selected;
  for (const absl::string_view one : absl::StrSplit(answer, ',')) {
    const std::string option(absl::StripAsciiWhitespace(one));
    if (std::find(part.options.begin(), part.options.end(), option) ==
        part.options.end()) {
      return {answer};  // Some other text.
    }
    selected.push_back(option);
  }
  return selected;
}

}  // namespace

std::string PendingQuestionJson(const v1::Task& task,
                                const PendingQuestion& pending) {
  std::vector<std::string> questions;
  size_t room = kQuestionRoom;
  bool cut = false;
  for (const PendingQuestion::Part& part : pending.parts) {
    const absl::string_view shown = mcp::CutForJson(part.question, room);
    cut = cut || shown.size() < part.question.size();
    room -= std::min(room, Quoted(shown).size());
    questions.push_back(
        json::ObjectWriter()
            .String("question", shown)
            .Json("options",
                  absl::StrCat("[",
                               absl::StrJoin(part.options, ",",
                                             [](std::string* out,
                                                const std::string& option) {
                                               out->append(Quoted(option));
                                             }),
                               "]"))
            .Take());
  }
  json::ObjectWriter writer;
  writer.String("id", pending.id)
      .String("type", pending.type)
      .Json("questions", absl::StrCat("[", absl::StrJoin(questions, ","), "]"));
  if (cut) {
    writer.String("rest", absl::StrCat("the text is cut: `troika show ",
                                       task.id(), "` has all of it"));
  }
  return writer.Take();
}

bool HasPendingQuestion(const v1::Task& task) {
  return std::any_of(task.approvals().begin(), task.approvals().end(),
                     [](const auto& one) { return IsPending(one); }) ||
         std::any_of(task.questions().begin(), task.questions().end(),
                     [](const auto& one) { return IsPending(one); });
}

std::optional<PendingQuestion> PendingQuestionById(const v1::Task& task,
                                                   absl::string_view id) {
  for (const v1::Approval& approval : task.approvals()) {
    if ((id.empty() || approval.id() == id) && IsPending(approval)) {
      return OfApproval(task, approval);
    }
  }
  for (const v1::Question& question : task.questions()) {
    if ((id.empty() || question.id() == id) && IsPending(question)) {
      return OfQuestion(question);
    }
  }
  return std::nullopt;
}

std::optional<PendingQuestion> PendingQuestionOf(const v1::Task& task) {
  return PendingQuestionById(task, "");
}

absl::StatusOr<v1::RespondRequest> AnswerToUnknown(
    const std::string& id, const std::vector<std::string>& answers) {
  const PendingQuestion approval = {
      .id = id,
      .type = "tool_approval",
      .parts = {{.options = {std::string(kApprove), std::string(kDeny),
                             std::string(kApproveForSession),
                             std::string(kCancel)}}}};
  auto request = ReadAnswers(approval, answers);
  if (request.ok()) return request;
  // It may have been a question.
  v1::RespondRequest other;
  other.set_id(id);
  other.set_via("mcp");
  for (const std::string& answer : answers) {
    other.mutable_question()->add_items()->add_answers(answer);
  }
  return other;
}

absl::StatusOr<v1::RespondRequest> ReadAnswers(
    const PendingQuestion& question, const std::vector<std::string>& answers) {
  if (answers.size() != question.parts.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("answers: ", question.id, " needs ", question.parts.size(),
                     " of them, one for each question, "
                     "and there are ",
                     answers.size()));
  }
  if (question.is_approval()) return ReadDecision(question, answers[0]);
  v1::RespondRequest request;
  request.set_id(question.id);
  request.set_via("mcp");
  for (size_t i = 0; i < answers.size(); ++i) {
    auto& item = *request.mutable_question()->add_items();
    for (std::string& one : Selected(question.parts[i], answers[i])) {
      item.add_answers(std::move(one));
    }
  }
  return request;
}

mcp::Form FormOf(const v1::Task& task, const PendingQuestion& question) {
  mcp::Form form;
  if (question.is_approval()) {
    const PendingQuestion::Part& part = question.parts[0];
    const absl::string_view shown =
        mcp::CutForJson(part.question, kQuestionRoom);
    form.message = std::string(shown);
    if (shown.size() < part.question.size()) {
      absl::StrAppend(&form.message, "\n[The text is cut: `troika show ",
                      task.id(), "` has all of it.]");
    }
    form.fields = {{.name = "decision",
                    .type = mcp::FormField::Type::kChoice,
                    .title = "Decision",
                    .choices = part.options,
                    .required = true},
                   {.name = "reason", .title = "Reason, if you deny it"}};
    return form;
  }
  form.message = absl::StrCat(AgentName(task), " asks:");
  for (size_t i = 0; i < question.parts.size(); ++i) {
    const PendingQuestion::Part& part = question.parts[i];
    const std::string name = absl::StrCat("q", i + 1);
    absl::StrAppend(&form.message, "\n",
                    mcp::CutForJson(part.question, kQuestionRoom / 4));
    if (part.options.empty()) {
      form.fields.push_back(
          {.name = name, .title = part.question, .required = true});
    } else if (!part.multi_select) {
      form.fields.push_back({.name = name,
                             .type = mcp::FormField::Type::kChoice,
                             .title = part.question,
                             .choices = part.options,
                             .required = true});
    } else {
      for (size_t j = 0; j < part.options.size(); ++j) {
        form.fields.push_back({.name = absl::StrCat(name, "_", j + 1),
                               .type = mcp::FormField::Type::kBoolean,
                               .title = part.options[j]});
      }
    }
  }
  return form;
}

absl::StatusOr<std::optional<v1::RespondRequest>> ReadForm(
    const PendingQuestion& question, const mcp::FormReply& reply) {
  using Action = mcp::FormReply::Action;
  if (reply.action == Action::kCancel) return std::nullopt;
  if (question.is_approval()) {
    const std::string decision = reply.action == Action::kDecline
                                     ? std::string(kDeny)
                                     : reply.Get("decision");
    const std::string reason = reply.Get("reason");
    ASSIGN_OR_RETURN(
        v1::RespondRequest request,
        ReadAnswers(question,
                    {reason.empty() ? decision
                                    : absl::StrCat(decision, ": ", reason)}));
    return request;
  }
  // A question that nobody wants to answer stays open.
  if (reply.action == Action::kDecline) return std::nullopt;
  v1::RespondRequest request;
  request.set_id(question.id);
  request.set_via("mcp");
  for (size_t i = 0; i < question.parts.size(); ++i) {
    const PendingQuestion::Part& part = question.parts[i];
    const std::string name = absl::StrCat("q", i + 1);
    auto& item = *request.mutable_question()->add_items();
    if (!part.multi_select || part.options.empty()) {
      item.add_answers(reply.Get(name));
      continue;
    }
    for (size_t j = 0; j < part.options.size(); ++j) {
      if (reply.Get(absl::StrCat(name, "_", j + 1)) == "true") {
        item.add_answers(part.options[j]);
      }
    }
  }
  return request;
}

}  // namespace troika
