#include "agent/claude/requests.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/claude/approval.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::claude {
namespace {

// The CLI allows four. Questions beyond this limit appear only in the tool use.
constexpr size_t kMaxQuestions = 64;

std::vector<Question::Item> QuestionsOf(json::Value input) {
  std::vector<Question::Item> items;
  for (const json::Value question : input.Get("questions").items()) {
    if (items.size() == kMaxQuestions) break;
    Question::Item item;
    item.header = std::string(question.Get("header").StringOr(""));
    item.text = std::string(question.Get("question").StringOr(""));
    item.multi_select = question.Get("multiSelect").BoolOr(false);
    bool described = false;
    for (const json::Value option : question.Get("options").items()) {
      item.options.emplace_back(option.Get("label").StringOr(""));
      item.descriptions.emplace_back(option.Get("description").StringOr(""));
      described = described || !item.descriptions.back().empty();
    }
    if (!described) item.descriptions.clear();
    items.push_back(std::move(item));
  }
  return items;
}

// `answers` maps a question's text to a string or an array of strings.
void FillAnswers(json::Value answers, std::vector<Question::Item>* items) {
  for (const json::Member& answer : answers.members()) {
    for (Question::Item& item : *items) {
      if (item.text != answer.key || !item.answers.empty()) continue;
      if (answer.value.IsArray()) {
        for (const json::Value one : answer.value.items()) {
          item.answers.emplace_back(one.StringOr(""));
        }
      } else {
        item.answers.emplace_back(answer.value.StringOr(""));
      }
      break;
    }
  }
}

// Adds the answers to the tool's input in the form that the CLI expects: each
// is one string, keyed by the question's text.
std::string WithAnswers(absl::string_view input_json,
                        const std::vector<Question::Item>& items,
                        const std::vector<std::vector<std::string>>& given) {
  std::map<std::string, std::string> answers;
  for (size_t i = 0; i < std::min(items.size(), given.size()); ++i) {
    answers.emplace(items[i].text, absl::StrJoin(given[i], ", "));
  }
  json::ObjectWriter by_text;
  for (const auto& [text, answer] : answers) by_text.String(text, answer);
  json::ObjectWriter input;
  json::Parser parser;
  const absl::StatusOr<json::Value> asked = parser.Parse(input_json);
  if (asked.ok()) {
    for (const json::Member& member : asked->members()) {
      if (member.key != "answers") input.Value(member.key, member.value);
    }
  }
  return input.Json("answers", by_text.Take()).Take();
}

// Sets how an approval was decided. The CLI treats an error, or a response that
// it can't parse, as a denial.
void Settle(const ControlResponse& response, const PermissionAnswer& answer,
            Approval* approval) {
  const bool allowed =
      response.subtype == "success" && answer.behavior == "allow";
  approval->state =
      allowed ? Approval::State::kAllowed : Approval::State::kDenied;
  approval->reason =
      std::string(answer.message.empty() ? response.error : answer.message);
  approval->choice = std::string(ChoiceOf(answer));
  approval->delivery = Delivery::kDelivered;
}

void Settle(const ControlResponse& response, const PermissionAnswer& answer,
            Question* question) {
  const bool answered =
      response.subtype == "success" && answer.behavior == "allow";
  question->state =
      answered ? Question::State::kAnswered : Question::State::kCancelled;
  question->delivery = Delivery::kDelivered;
  FillAnswers(answer.updated_input.Get("answers"), &question->items);
}

}  // namespace

bool Requests::IsOpen(absl::string_view request_id) const {
  return std::any_of(
             open_.begin(), open_.end(),
             [&](const Open& open) { return open.native_id == request_id; }) ||
         std::find(late_.begin(), late_.end(), request_id) != late_.end();
}

bool Requests::full() const {
  size_t bytes = 0;
  for (const Open& open : open_) bytes += open.input_json.size();
  return open_.size() >= kMaxOpen || bytes >= kMaxBytes;
}

std::string Requests::CancelOldest(Emitter& out) {
  std::string native_id = open_.front().native_id;
  EmitCancelled(std::move(open_.front()), "too many open requests", out);
  open_.erase(open_.begin());
  return native_id;
}

std::vector<std::string> Requests::OpenIds() const {
  std::vector<std::string> ids;
  for (const Open& open : open_) {
    if (!open.answered) ids.push_back(open.id);
  }
  return ids;
}

void Requests::Ask(absl::string_view request_id,
                   const PermissionRequest& request, const Ledger& ledger,
                   Emitter& out) {
  // Nobody could answer a request without an id.
  Open open = {.id = request_id.empty()
                         ? absl::StrCat("request-", EventIdText(out.NextId()))
                         : std::string(request_id),
               .native_id = std::string(request_id),
               .native_tool_id = std::string(request.tool_use_id),
               .agent = std::string(request.agent_id),
               .parent_tool_use_id = out.parent_tool_use_id(),
               .request = {},
               .input_json = request.input.ToJson()};
  const std::string tool_use_id =
      request.tool_use_id.empty() ? "" : ledger.ToolId(request.tool_use_id);
  if (request.tool_name == "AskUserQuestion") {
    const Question question = {.id = open.id,
                               .state = Question::State::kAsked,
                               .tool_use_id = tool_use_id,
                               .items = QuestionsOf(request.input)};
    out.Emit(question);
    open.request = question;
  } else {
    Approval approval = ApprovalOf(request);
    approval.id = open.id;
    approval.tool_use_id = tool_use_id;
    open.session_permissions = SessionPermissions(request);
    open.request = Approval{.id = approval.id,
                            .tool_use_id = approval.tool_use_id,
                            .tool_name = approval.tool_name,
                            .kind = approval.kind};
    out.Emit(std::move(approval));
  }
  open_.push_back(std::move(open));
}

void Requests::OnResponse(const ControlResponse& response, Emitter& out) {
  if (std::erase(late_, response.request_id) > 0) return;
  const Iterator it = Find(response.request_id);
  if (it == open_.end()) return;
  const auto answer = Read<PermissionAnswer>(response.response, {});
  std::visit(
      [&](auto& request) {
        Settle(response, answer, &request);
        out.EmitFor(it->parent_tool_use_id, std::move(request));
      },
      it->request);
  open_.erase(it);
}

std::optional<std::string> Requests::ResponseTo(const AnswerGiven& answer,
                                                Emitter& out) {
  const Iterator it =
      std::find_if(open_.begin(), open_.end(),
                   [&](const Open& open) { return open.id == answer.id; });
  if (it == open_.end() || std::exchange(it->answered, true)) {
    return std::nullopt;
  }
  std::optional<std::string> response;
  if (const auto* question = std::get_if<Question>(&it->request)) {
    const auto* const answers = std::get_if<QuestionAnswer>(&answer.answer);
    response =
        json::ObjectWriter()
            .String("behavior", "allow")
            .Json("updatedInput",
                  WithAnswers(it->input_json, question->items,
                              answers == nullptr ? QuestionAnswer().answers
                                                 : answers->answers))
            .Take();
  } else if (const auto* decision =
                 std::get_if<ApprovalAnswer>(&answer.answer)) {
    response = EncodeAnswer(*decision, it->input_json, it->session_permissions);
  }
  if (!response) {
    const std::string why =
        absl::StrCat("the answer to ", it->id,
                     " has no form that the agent knows, so it is denied");
    out.Emit(Notice{.kind = Notice::Kind::kError, .text = why});
    response = EncodeDenial(why);
  }
  return json::ObjectWriter()
      .String("subtype", "success")
      .String("request_id", it->native_id)
      .Json("response", *response)
      .Take();
}

bool Requests::Cancel(absl::string_view request_id, Emitter& out) {
  const Iterator it = Find(request_id);
  if (it == open_.end()) return false;
  EmitCancelled(std::move(*it), "withdrawn by the agent", out);
  open_.erase(it);
  return true;
}

void Requests::OnToolEnded(absl::string_view native_tool_id, Emitter& out) {
  if (open_.empty() || native_tool_id.empty()) return;
  CancelIf(
      [&](const Open& open) { return open.native_tool_id == native_tool_id; },
      "the tool ended and no answer was seen", out);
}

void Requests::OnTurnEnded(absl::FunctionRef<bool(absl::string_view)> works_on,
                           Emitter& out) {
  CancelIf([&](const Open& open) { return !works_on(open.agent); },
           "the turn ended and no answer was seen", out);
}

void Requests::OnAgentEnded(absl::string_view agent, Emitter& out) {
  if (agent.empty()) return;
  CancelIf([&](const Open& open) { return open.agent == agent; },
           "the subagent ended and no answer was seen", out);
}

void Requests::OnProcessEnded(Emitter& out) {
  CancelIf([](const Open&) { return true; }, "the process ended", out);
}

Requests::Iterator Requests::Find(absl::string_view native_id) {
  return std::find_if(open_.begin(), open_.end(), [&](const Open& open) {
    return open.native_id == native_id;
  });
}

void Requests::EmitCancelled(Open open, absl::string_view why, Emitter& out) {
  if (open.answered && late_.size() < kMaxOpen) late_.push_back(open.native_id);
  if (auto* const question = std::get_if<Question>(&open.request)) {
    question->state = Question::State::kCancelled;
    out.EmitFor(open.parent_tool_use_id, std::move(*question));
  } else {
    auto& approval = std::get<Approval>(open.request);
    approval.state = Approval::State::kCancelled;
    approval.reason = std::string(why);
    out.EmitFor(open.parent_tool_use_id, std::move(approval));
  }
}

template <typename Predicate>
void Requests::CancelIf(Predicate predicate, absl::string_view why,
                        Emitter& out) {
  const Iterator first =
      std::stable_partition(open_.begin(), open_.end(), std::not_fn(predicate));
  for (Iterator it = first; it != open_.end(); ++it) {
    EmitCancelled(std::move(*it), why, out);
  }
  open_.erase(first, open_.end());
}

}  // namespace troika::claude
