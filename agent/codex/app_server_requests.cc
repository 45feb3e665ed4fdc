#include "agent/codex/app_server_requests.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/codex/app_server_answers.h"
#include "base/json_writer.h"

namespace troika::codex {
namespace {

constexpr auto kOmitted = rpc::VersionMember::kOmitted;

constexpr absl::string_view kCommandApproval =
    "item/commandExecution/requestApproval";
constexpr absl::string_view kFileApproval = "item/fileChange/requestApproval";
constexpr absl::string_view kPermissionsApproval =
    "item/permissions/requestApproval";
constexpr absl::string_view kUserInputRequest = "item/tool/requestUserInput";
constexpr absl::string_view kElicitation = "mcpServer/elicitation/request";

// Questions beyond this limit are not shown, and get no answer.
constexpr size_t kMaxQuestions = 64;
// What is kept of all open requests together.
constexpr size_t kMaxOpenBytes = size_t{64} << 20;

bool IsApproval(absl::string_view method) {
  return method == kCommandApproval || method == kFileApproval;
}

bool IsAbsent(json::Value value) { return !value.exists() || value.IsNull(); }

std::vector<std::string> Strings(json::Value list) {
  std::vector<std::string> strings;
  for (const json::Value item : list.items()) {
    strings.emplace_back(item.StringOr(""));
  }
  return strings;
}

// The values that a property of a form's schema allows, if it lists them.
std::vector<std::string> OptionsOf(json::Value property) {
  if (property.Get("enum").IsArray()) return Strings(property.Get("enum"));
  std::vector<std::string> options;
  for (const json::Value option : property.Get("oneOf").items()) {
    options.emplace_back(option.Get("const").StringOr(""));
  }
  for (const json::Value option : property.Get("anyOf").items()) {
    options.emplace_back(option.Get("const").StringOr(""));
  }
  if (property.Get("type").StringOr("") == "boolean") {
    options = {"true", "false"};
  }
  return options;
}

}  // namespace

std::optional<std::string> AppServerRequests::Ask(const rpc::Message& request,
                                                  const AskParams& params,
                                                  const AskedItem* item,
                                                  Emitter& out) {
  if (open_.Find(request.id) != nullptr ||
      LateAnswer(request.id) != late_.end()) {
    // A reply would count for both.
    out.EmitRaw(request.method, "a request of this id is open");
    return std::nullopt;
  }
  const bool known =
      IsApproval(request.method) || request.method == kPermissionsApproval ||
      request.method == kUserInputRequest || request.method == kElicitation;
  if (!known) {
    return Refuse(request, "Troika has no answer to it", out);
  }
  std::optional<Open> open = OpenOf(request, params, item);
  if (!open) {
    return Refuse(request, "it can't be shown to anybody", out);
  }
  std::visit(
      [&](auto& asked) {
        asked.id = absl::StrCat("request-", generation_, ".", ++asked_);
        asked.tool_use_id = item == nullptr ? "" : item->tool_use_id;
      },
      open->request);
  const std::variant<Approval, Question> asked = open->request;
  if (auto* const approval = std::get_if<Approval>(&open->request)) {
    // These are empty once it is decided.
    approval->input_json.clear();
    approval->reason.clear();
    approval->choices.clear();
    approval->diff.clear();
    approval->paths.clear();
    approval->exact = false;
  }
  size_t bytes = BytesOf(*open);
  for (const Book::Call& call : open_.open()) bytes += BytesOf(call.tag);
  if (bytes > kMaxOpenBytes ||
      !open_.Add({request.id, std::string(request.method), *std::move(open)})) {
    return Refuse(request, "too many requests are open", out);
  }
  std::visit([&](const auto& message) { out.Emit(message); }, asked);
  return std::nullopt;
}

std::optional<std::string> AppServerRequests::RefuseLong(
    const rpc::Message& request, Emitter& out) {
  if (open_.Find(request.id) != nullptr ||
      LateAnswer(request.id) != late_.end()) {
    return std::nullopt;
  }
  return Refuse(request, "it is too long to be shown to anybody", out);
}

size_t AppServerRequests::BytesOf(const Open& open) {
  size_t bytes = open.permissions_json.size();
  for (const Field& field : open.fields) bytes += field.name.size();
  if (const auto* const approval = std::get_if<Approval>(&open.request)) {
    return bytes + approval->command.size() + approval->cwd.size();
  }
  for (const Question::Item& item : std::get<Question>(open.request).items) {
    bytes += item.header.size() + item.text.size();
    for (const std::string& option : item.options) bytes += option.size();
    for (const std::string& text : item.descriptions) bytes += text.size();
  }
  return bytes;
}

std::optional<AppServerRequests::Open> AppServerRequests::OpenOf(
    const rpc::Message& request, const AskParams& params,
    const AskedItem* item) {
  if (request.method == kElicitation) return Elicitation(params, item);
  if (params.item_id.empty()) return std::nullopt;
  if (request.method == kUserInputRequest) {
    if (params.questions.size() == 0) return std::nullopt;
    return UserInput(params);
  }
  const AskedItem none;
  const AskedItem& known = item == nullptr ? none : *item;
  if (request.method == kFileApproval) {
    return Decision(params, known, Approval::Kind::kEdit);
  }
  if (request.method == kCommandApproval) {
    Open open = Decision(params, known, Approval::Kind::kCommandLine);
    const auto& approval = std::get<Approval>(open.request);
    if (!approval.command.empty()) return open;
    // Without a command, it is about a connection to the network.
    if (!params.network_context.IsObject()) return std::nullopt;
    std::get<Approval>(open.request).kind = Approval::Kind::kPermission;
    return open;
  }
  if (!params.permissions.IsObject()) return std::nullopt;
  Open open;
  open.kind = Kind::kPermissions;
  open.permissions_json = params.permissions.ToJson();
  open.request = Approval{
      .tool_name = known.tool_name,
      .input_json = open.permissions_json,
      .reason = std::string(params.reason),
      .kind = Approval::Kind::kPermission,
      .cwd = std::string(params.cwd),
      .choices = {std::string(kApprove), std::string(kApproveForSession),
                  std::string(kDeny)}};
  return open;
}

AppServerRequests::Open AppServerRequests::Decision(const AskParams& params,
                                                    const AskedItem& item,
                                                    Approval::Kind kind) const {
  Approval approval;
  approval.kind = kind;
  approval.tool_name = item.tool_name;
  approval.reason = std::string(params.reason);
  approval.choices = ChoicesOf(params.available_decisions);
  json::ObjectWriter input;
  if (kind == Approval::Kind::kEdit) {
    if (approval.tool_name.empty()) approval.tool_name = "Edit";
    approval.diff = item.diff;
    if (!params.grant_root.empty()) {
      input.String("grant_root", params.grant_root);
    } else {
      approval.paths = item.paths;
    }
  } else {
    if (approval.tool_name.empty()) approval.tool_name = "Bash";
    approval.command =
        params.command.empty() ? item.command : std::string(params.command);
    approval.cwd = params.cwd.empty() ? item.cwd : std::string(params.cwd);
    // An answer would grant these, too.
    approval.exact = IsAbsent(params.network_context) &&
                     IsAbsent(params.additional_permissions);
    if (!approval.command.empty()) input.String("command", approval.command);
    if (!params.network_context.IsNull()) {
      input.Value("network", params.network_context);
    }
    if (!params.additional_permissions.IsNull()) {
      input.Value("permissions", params.additional_permissions);
    }
  }
  approval.input_json = input.Take();
  Open open;
  open.request = std::move(approval);
  return open;
}

AppServerRequests::Open AppServerRequests::UserInput(const AskParams& params) {
  Open open;
  open.kind = Kind::kUserInput;
  Question question;
  for (const json::Value value : params.questions.items()) {
    if (question.items.size() == kMaxQuestions) break;
    const auto asked = Read<AskedQuestion>(value, {drift_, "questions[]"});
    Question::Item item;
    item.header = std::string(asked.header);
    item.text = std::string(asked.question);
    item.secret = asked.is_secret.value_or(false);
    bool described = false;
    for (const json::Value option : asked.options.items()) {
      item.options.emplace_back(option.Get("label").StringOr(""));
      item.descriptions.emplace_back(option.Get("description").StringOr(""));
      described = described || !item.descriptions.back().empty();
    }
    if (!described) item.descriptions.clear();
    question.items.push_back(std::move(item));
    open.fields.push_back({.name = std::string(asked.id), .type = ""});
  }
  open.request = std::move(question);
  return open;
}

std::optional<AppServerRequests::Open> AppServerRequests::Elicitation(
    const AskParams& params, const AskedItem* item) const {
  if (params.mode != "form") return std::nullopt;
  Open open;
  const json::Value properties = params.requested_schema.Get("properties");
  if (params.meta.Get("codex_approval_kind").StringOr("") == "mcp_tool_call" ||
      properties.size() == 0) {
    open.kind = Kind::kToolForm;
    const json::Value arguments = params.meta.Get("tool_params");
    Approval approval;
    approval.tool_name =
        item == nullptr ? std::string(params.server_name) : item->tool_name;
    approval.server = std::string(params.server_name);
    approval.exact = item != nullptr && item->certain;
    approval.input_json = arguments.exists() ? arguments.ToJson() : "{}";
    approval.reason = std::string(params.message);
    approval.choices = {std::string(kApprove)};
    for (const json::Value persist : params.meta.Get("persist").items()) {
      if (persist.StringOr("") != "session") continue;
      approval.choices.emplace_back(kApproveForSession);
    }
    approval.choices.emplace_back(kDeny);
    approval.choices.emplace_back(kCancel);
    open.request = std::move(approval);
    return open;
  }
  open.kind = Kind::kForm;
  Question question;
  for (const json::Member& property : properties.members()) {
    if (question.items.size() == kMaxQuestions) return std::nullopt;
    const json::Value schema = property.value;
    Question::Item asked;
    asked.header = std::string(schema.Get("title").StringOr(property.key));
    asked.text = std::string(
        schema.Get("description").StringOr(schema.Get("title").StringOr("")));
    if (question.items.empty() && !params.message.empty()) {
      asked.text = absl::StrCat(params.message, asked.text.empty() ? "" : "\n",
                                asked.text);
    }
    const std::string type(schema.Get("type").StringOr("string"));
    asked.multi_select = type == "array";
    asked.options = OptionsOf(type == "array" ? schema.Get("items") : schema);
    question.items.push_back(std::move(asked));
    open.fields.push_back({.name = std::string(property.key), .type = type});
  }
  open.request = std::move(question);
  return open;
}

std::string AppServerRequests::Refuse(const rpc::Message& request,
                                      absl::string_view why, Emitter& out) {
  out.Emit(Notice{.kind = Notice::Kind::kPermissionDenied,
                  .text = absl::StrCat("refused the agent's request ",
                                       request.method, ": ", why),
                  .by = "default"});
  if (IsApproval(request.method)) {
    return rpc::ResponseLine(request.id, DecisionResult(kDeny), kOmitted);
  }
  if (request.method == kPermissionsApproval) {
    return rpc::ResponseLine(request.id, PermissionsResult(kDeny, ""),
                             kOmitted);
  }
  if (request.method == kElicitation) {
    return rpc::ResponseLine(request.id, ToolFormResult(kDeny), kOmitted);
  }
  if (request.method == kUserInputRequest) {
    return rpc::ResponseLine(request.id, R"({"answers":{}})", kOmitted);
  }
  return rpc::ErrorLine(
      request.id,
      {rpc::kMethodNotFound, absl::StrCat(request.method, ": ", why)},
      kOmitted);
}

std::optional<std::string> AppServerRequests::ResultOf(
    const Open& open, const AnswerGiven& answer) {
  if (std::holds_alternative<Approval>(open.request)) {
    const auto* const decision = std::get_if<ApprovalAnswer>(&answer.answer);
    // The wire takes no changed input.
    if (decision == nullptr ||
        (decision->allow && !decision->input_json.empty())) {
      return std::nullopt;
    }
    absl::string_view choice = decision->choice;
    if (choice.empty()) choice = decision->allow ? kApprove : kDeny;
    switch (open.kind) {
      case Kind::kPermissions:
        return PermissionsResult(choice, open.permissions_json);
      case Kind::kToolForm:
        return ToolFormResult(choice);
      default:
        return DecisionResult(choice);
    }
  }
  const auto* const given = std::get_if<QuestionAnswer>(&answer.answer);
  if (given == nullptr) return std::nullopt;
  json::ObjectWriter by_name;
  for (size_t i = 0; i < open.fields.size(); ++i) {
    const Field& field = open.fields[i];
    const std::vector<std::string> answers = i < given->answers.size()
                                                 ? given->answers[i]
                                                 : std::vector<std::string>();
    if (open.kind == Kind::kUserInput) {
      by_name.Json(field.name,
                   json::ObjectWriter()
                       .Json("answers", *FieldValue("array", answers))
                       .Take());
      continue;
    }
    if (answers.empty()) continue;
    const std::optional<std::string> value = FieldValue(field.type, answers);
    if (!value) return std::nullopt;
    by_name.Json(field.name, *value);
  }
  if (open.kind == Kind::kForm) return FormResult(by_name.Take());
  return json::ObjectWriter().Json("answers", by_name.Take()).Take();
}

std::optional<AppServerRequests::Reply> AppServerRequests::ReplyTo(
    const AnswerGiven& answer, Emitter& out) {
  for (const Book::Call& call : open_.open()) {
    const std::string& id = std::visit(
        [](const auto& asked) -> const std::string& { return asked.id; },
        call.tag.request);
    if (id != answer.id) continue;
    if (call.tag.answered) return std::nullopt;
    Open& open = open_.Find(call.id)->tag;
    open.answered = true;
    open.by = answer.by;
    open.via = answer.via;
    const auto* const decision = std::get_if<ApprovalAnswer>(&answer.answer);
    if (decision != nullptr) open.reason = decision->reason;
    Reply reply;
    if (const auto result = ResultOf(open, answer)) {
      reply.line = rpc::ResponseLine(call.id, *result, kOmitted);
    } else {
      rpc::Message request;
      request.id = call.id;
      request.method = call.method;
      reply.line = Refuse(request, "its answer can't be given to Codex", out);
    }
    if (decision != nullptr && !decision->allow && !decision->reason.empty()) {
      reply.remark = absl::StrCat(
          answer.by == "rule" ? "The user's rules do not allow this request: "
                              : "The user declined this request: ",
          decision->reason);
    }
    return reply;
  }
  return std::nullopt;
}

void AppServerRequests::OnReply(const rpc::Message& reply, Emitter& out) {
  if (const auto late = LateAnswer(reply.id); late != late_.end()) {
    late_.erase(late);
    return;
  }
  std::optional<Book::Call> call = open_.Take(reply.id);
  if (call) EmitSettled(std::move(call->tag), reply, out);
}

void AppServerRequests::EmitSettled(Open open, const rpc::Message& reply,
                                    Emitter& out) const {
  const absl::string_view choice =
      reply.kind == rpc::Kind::kResponse ? ChoiceOf(reply.result) : kDeny;
  const bool allowed = choice == kApprove || choice == kApproveForSession;
  if (auto* const approval = std::get_if<Approval>(&open.request)) {
    approval->state =
        allowed ? Approval::State::kAllowed : Approval::State::kDenied;
    approval->choice = std::string(choice);
    approval->reason = open.reason.empty() ? reply.error.message : open.reason;
    approval->by = open.by;
    approval->via = open.via;
    out.Emit(std::move(*approval));
    return;
  }
  auto& question = std::get<Question>(open.request);
  const json::Value answers = reply.result.Get("answers");
  const json::Value content = reply.result.Get("content");
  const bool answered = answers.IsObject() || content.IsObject();
  question.state =
      answered ? Question::State::kAnswered : Question::State::kCancelled;
  for (size_t i = 0; i < question.items.size(); ++i) {
    const std::string& name = open.fields[i].name;
    const json::Value value = answers.IsObject()
                                  ? answers.Get(name).Get("answers")
                                  : content.Get(name);
    if (value.IsArray()) {
      question.items[i].answers = Strings(value);
    } else if (value.exists()) {
      question.items[i].answers = {
          value.IsString() ? std::string(value.StringOr("")) : value.ToJson()};
    }
    HideAnswers(question.items[i]);
  }
  out.Emit(std::move(question));
}

std::vector<rpc::Id>::iterator AppServerRequests::LateAnswer(
    const rpc::Id& id) {
  return std::find(late_.begin(), late_.end(), id);
}

void AppServerRequests::EmitWithdrawn(Book::Call call, absl::string_view why,
                                      Emitter& out) {
  Open& open = call.tag;
  if (open.answered && late_.size() < Book::kMaxOpen) late_.push_back(call.id);
  if (auto* const approval = std::get_if<Approval>(&open.request)) {
    approval->state = Approval::State::kCancelled;
    approval->reason = std::string(why);
    out.Emit(std::move(*approval));
    return;
  }
  auto& question = std::get<Question>(open.request);
  question.state = Question::State::kCancelled;
  out.Emit(std::move(question));
}

bool AppServerRequests::Withdraw(const rpc::Id& id, absl::string_view why,
                                 Emitter& out) {
  std::optional<Book::Call> call = open_.Take(id);
  if (call) EmitWithdrawn(*std::move(call), why, out);
  return call.has_value();
}

void AppServerRequests::WithdrawAll(absl::string_view why, Emitter& out) {
  for (Book::Call& call : open_.TakeAll()) {
    EmitWithdrawn(std::move(call), why, out);
  }
}

}  // namespace troika::codex
