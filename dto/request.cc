#include "dto/request.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "agent/harness.h"
#include "agent/registry.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/proto_fields.h"
#include "dto/proto_json.h"

namespace troika {
namespace {

constexpr size_t kMaxLabels = 64;
constexpr size_t kMaxKey = 256;
constexpr size_t kMaxTitle = 1000;
constexpr int kMaxNotices = 10;
constexpr int kMaxPolicyFiles = 16;

absl::StatusOr<absl::Duration> CheckedDuration(
    absl::Duration value, absl::string_view name,
    absl::Duration least = absl::Milliseconds(1)) {
  if (value < least || value > absl::Hours(24 * 365)) {
    return absl::InvalidArgumentError(absl::StrCat(name, " must be ",
                                                   absl::FormatDuration(least),
                                                   " to a year, as \"90s\""));
  }
  return value;
}

absl::Status TooLong(absl::string_view what, size_t limit) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is over ", limit, " bytes: make it shorter"));
}

// Checks what a CreateTaskRequest and a ForkRequest share.
template <typename Body>
absl::Status CheckSizes(const Body& body) {
  if (body.title().size() > kMaxTitle) return TooLong("title", kMaxTitle);
  RETURN_IF_ERROR(CheckKey(body.idempotency_key()));
  if (static_cast<size_t>(body.labels().size()) > kMaxLabels) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are more than ", kMaxLabels, " labels"));
  }
  for (const auto& [key, value] : body.labels()) {
    if (key.empty()) {
      return absl::InvalidArgumentError("a label has no name");
    }
    if (key.size() > kMaxKey || value.size() > kMaxTitle) {
      return TooLong(absl::StrCat("the label ", key), kMaxKey);
    }
  }
  return absl::OkStatus();
}

void SetVariables(const Environment& environment,
                  google::protobuf::Map<std::string, std::string>* out) {
  const Environment allowed = ForAgents(environment);
  for (const auto& [name, value] : allowed.variables()) {
    // Protobuf carries only UTF-8, and other variables hardly matter to agents.
    if (!json::IsValidUtf8(name) || !json::IsValidUtf8(value)) continue;
    (*out)[name] = value;
  }
}

}  // namespace

absl::Status CheckVariables(
    const google::protobuf::Map<std::string, std::string>& env) {
  for (const auto& [name, value] : env) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos ||
        value.find('\0') != std::string::npos) {
      return absl::InvalidArgumentError(
          "env has a variable whose name is empty or holds '=', or that holds "
          "a NUL");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<notes::Timeouts> ToTimeouts(const v1::Timeouts& from) {
  notes::Timeouts timeouts;
  absl::Status status;
  ForEachField<notes::Timeouts>([&](const auto& field) {
    const ProtoField given(from, field.number);
    if (!status.ok() || !given.is_set()) return;
    absl::Duration value;
    given.Read(value);
    status = CheckedDuration(value, absl::StrCat("timeouts.", given.name()))
                 .status();
    field.Of(timeouts).value = value;
  });
  RETURN_IF_ERROR(status);
  return timeouts;
}

v1::Timeouts ToTimeouts(const notes::Timeouts& timeouts) {
  v1::Timeouts out;
  ProtoSink sink(&out);
  ForEachField<notes::Timeouts>([&](const auto& field) {
    const std::optional<absl::Duration>& timeout = field.Of(timeouts).value;
    if (!timeout) return;
    // The API shows 0 if there is no deadline.
    const bool none = *timeout == absl::InfiniteDuration();
    sink.Put({field.number, field.name},
             none ? absl::ZeroDuration() : *timeout);
  });
  return out;
}

absl::StatusOr<notes::Budget> ToBudget(const v1::Budget& from) {
  constexpr double kMaxUsd = 1e9;
  constexpr int64_t kMaxTokens = 1'000'000'000'000'000;
  notes::Budget budget;
  if (from.has_cost_usd()) {
    // A NaN is neither.
    if (!(from.cost_usd() >= 1e-6 && from.cost_usd() <= kMaxUsd)) {
      return absl::InvalidArgumentError(
          "budget.cost_usd must be above 0, in dollars: 2.50");
    }
    budget.cost_microusd = static_cast<int64_t>(from.cost_usd() * 1e6 + 0.5);
  }
  if (from.has_tokens()) {
    if (from.tokens() < 1 || from.tokens() > kMaxTokens) {
      return absl::InvalidArgumentError("budget.tokens must be 1 or more");
    }
    budget.tokens = from.tokens();
  }
  if (from.has_turns()) {
    if (from.turns() < 1) {
      return absl::InvalidArgumentError("budget.turns must be 1 or more");
    }
    budget.turns = from.turns();
  }
  if (from.has_time()) {
    ASSIGN_OR_RETURN(const absl::Duration time,
                     CheckedDuration(FromProto(from.time()), "budget.time"));
    budget.time_ms = absl::ToInt64Milliseconds(time);
  }
  return budget;
}

v1::Budget ToBudget(const notes::Budget& budget) {
  v1::Budget out;
  if (budget.cost_microusd) {
    out.set_cost_usd(static_cast<double>(*budget.cost_microusd) / 1e6);
  }
  if (budget.tokens) out.set_tokens(*budget.tokens);
  if (budget.turns) {
    out.set_turns(
        static_cast<int>(std::clamp<int64_t>(*budget.turns, 0, INT32_MAX)));
  }
  if (budget.time_ms) {
    *out.mutable_time() = ToProto(absl::Milliseconds(*budget.time_ms));
  }
  return out;
}

absl::Status CheckKey(absl::string_view key) {
  if (key.size() > kMaxKey) return TooLong("idempotency_key", kMaxKey);
  if (std::any_of(key.begin(), key.end(), absl::ascii_iscntrl)) {
    return absl::InvalidArgumentError(
        "idempotency_key holds a control character: leave those out");
  }
  return absl::OkStatus();
}

EditMode ToEditMode(v1::EditMode mode) {
  return EditModeFromId(v1::EditMode_Name(mode)).value_or(EditMode::kResearch);
}

v1::EditMode ToEditMode(EditMode mode) {
  return static_cast<v1::EditMode>(mode);
}

absl::StatusOr<TaskRequest> ToTaskRequest(const v1::CreateTaskRequest& body) {
  if (body.harness().empty()) {
    return absl::InvalidArgumentError(
        "harness is missing: GET /api/v1/harnesses lists them");
  }
  if (body.options().acp_command_size() > 0) {
    return absl::InvalidArgumentError(
        "acp_command: name the agent by harness instead, as acp:COMMAND or as "
        "config.toml names it");
  }
  if (body.options().wire() == v1::LaunchOptions::session_file) {
    return absl::InvalidArgumentError(
        "options.wire: session_file is the format of a CLI's files, which no "
        "process talks; leave it out");
  }
  const auto backend = BackendById(body.harness());
  const Harness harness = backend.ok() ? (*backend)->harness : Harness::kAcp;
  if (!absl::StartsWith(body.cwd(), "/")) {
    return absl::InvalidArgumentError(
        "cwd must be the absolute path of the folder to work in");
  }
  RETURN_IF_ERROR(CheckSizes(body));
  if (body.document().title().size() > kMaxTitle) {
    return TooLong("document.title", kMaxTitle);
  }
  RETURN_IF_ERROR(CheckVariables(body.env()));
  if (body.output_limit_bytes() < 0) {
    return absl::InvalidArgumentError(
        "output_limit_bytes must be 0, for no limit, or more");
  }
  if (body.notices_size() > kMaxNotices) {
    return absl::InvalidArgumentError(
        absl::StrCat("notices: at most ", kMaxNotices, " are taken"));
  }
  for (const std::string& notice : body.notices()) {
    if (notice.size() > kMaxTitle) return TooLong("notices", kMaxTitle);
  }
  TaskRequest request = {
      .harness = harness,
      .agent = harness == Harness::kAcp ? body.harness() : "",
      .prompt = body.prompt(),
      .cwd = body.cwd(),
      .title = body.title(),
      .labels = {body.labels().begin(), body.labels().end()},
      .resume_session = body.resume_session(),
      .fork_session = body.fork_session(),
      .idempotency_key = body.idempotency_key(),
      .output_limit_bytes = body.output_limit_bytes(),
      .base_instructions_text = body.base_instructions_text(),
      .output_schema_json = body.output_schema_json(),
      .document = {.wanted = body.has_document(),
                   .title = body.document().title()},
      .model_fallback = body.model_fallback(),
      .no_queue = body.no_queue()};
  request.notices = {body.notices().begin(), body.notices().end()};
  if (body.policy_size() > kMaxPolicyFiles) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy: at most ", kMaxPolicyFiles, " files are taken"));
  }
  request.policy_files = {body.policy().begin(), body.policy().end()};
  request.require_policy = body.require_policy();
  FieldsFromProto(body.options(), &request.options);
  ASSIGN_OR_RETURN(request.timeouts, ToTimeouts(body.timeouts()));
  ASSIGN_OR_RETURN(request.budget, ToBudget(body.budget()));
  return request;
}

absl::Status ApplyForkRequest(const v1::ForkRequest& body,
                              TaskRequest* request) {
  RETURN_IF_ERROR(CheckSizes(body));
  ASSIGN_OR_RETURN(const notes::Timeouts timeouts, ToTimeouts(body.timeouts()));
  notes::MergeTimeouts(timeouts, &request->timeouts);
  ASSIGN_OR_RETURN(const notes::Budget budget, ToBudget(body.budget()));
  notes::MergeBudget(budget, &request->budget);
  request->prompt = body.prompt();
  request->title = body.title();
  request->idempotency_key = body.idempotency_key();
  for (const auto& [key, value] : body.labels()) request->labels[key] = value;
  LaunchOptions& options = request->options;
  options.images = {body.images().begin(), body.images().end()};
  if (body.has_model()) options.model = body.model();
  if (body.has_edit_mode()) {
    UseEditMode(ToEditMode(body.edit_mode()), &options);
  }
  return absl::OkStatus();
}

namespace {

constexpr absl::string_view kWays[] = {"api", "terminal", "page", "mcp"};

absl::StatusOr<ApprovalAnswer> ToApproval(
    const v1::RespondRequest::ApprovalAnswer& body) {
  ApprovalAnswer answer = {
      .allow = body.allow(), .reason = body.reason(), .choice = body.choice()};
  if (body.has_input()) answer.input_json = ToJson(body.input());
  if (!body.always().empty()) {
    const bool agrees = answer.choice.empty() || answer.choice == kApprove;
    if (!agrees || body.has_input()) {
      return absl::InvalidArgumentError(
          "approval.always allows what was asked for, as it is: leave out "
          "input, and any choice but approve");
    }
    answer.allow = true;
  }
  if (answer.choice.empty()) {
    answer.choice = std::string(answer.allow ? kApprove : kDeny);
    return answer;
  }
  const bool approves =
      answer.choice == kApprove || answer.choice == kApproveForSession;
  if (answer.allow && !approves) {
    return absl::InvalidArgumentError(
        absl::StrCat("approval.allow and the choice ", answer.choice,
                     " contradict each other: leave one of them out"));
  }
  answer.allow = approves;
  return answer;
}

}  // namespace

absl::StatusOr<AnswerGiven> ToAnswer(const v1::RespondRequest& body) {
  if (body.id().empty()) {
    return absl::InvalidArgumentError(
        "id is missing: the task's approvals and questions have it");
  }
  AnswerGiven answer = {
      .id = body.id(),
      .by = "user",
      .via = body.via().empty() ? std::string(kWays[0]) : body.via()};
  if (std::find(std::begin(kWays), std::end(kWays), answer.via) ==
      std::end(kWays)) {
    return absl::InvalidArgumentError(absl::StrCat("via is one of ",
                                                   absl::StrJoin(kWays, ", "),
                                                   ", and not ", body.via()));
  }
  switch (body.answer_case()) {
    case v1::RespondRequest::kApproval: {
      ASSIGN_OR_RETURN(answer.answer, ToApproval(body.approval()));
      answer.always = body.approval().always();
      return answer;
    }
    case v1::RespondRequest::kQuestion: {
      QuestionAnswer question;
      for (const auto& item : body.question().items()) {
        question.answers.emplace_back(item.answers().begin(),
                                      item.answers().end());
      }
      answer.answer = std::move(question);
      return answer;
    }
    case v1::RespondRequest::ANSWER_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "the answer is missing: set approval or question");
}

absl::StatusOr<std::optional<absl::Duration>> GraceOf(
    const v1::StopRequest& body) {
  std::optional<absl::Duration> grace;
  if (body.has_grace()) {
    ASSIGN_OR_RETURN(grace, CheckedDuration(FromProto(body.grace()), "grace",
                                            absl::ZeroDuration()));
  }
  return grace;
}

v1::CreateTaskRequest ToCreateRequest(const TaskRequest& request,
                                      const Environment& environment) {
  v1::CreateTaskRequest out;
  out.set_harness(request.agent.empty()
                      ? std::string(HarnessId(request.harness))
                      : json::ToValidUtf8(request.agent));
  out.set_prompt(json::ToValidUtf8(request.prompt));
  out.set_cwd(json::ToValidUtf8(request.cwd));
  FieldsToProto(request.options, out.mutable_options());
  out.set_title(json::ToValidUtf8(request.title));
  for (const auto& [key, value] : request.labels) {
    (*out.mutable_labels())[json::ToValidUtf8(key)] = json::ToValidUtf8(value);
  }
  *out.mutable_timeouts() = ToTimeouts(request.timeouts);
  if (request.budget != notes::Budget()) {
    *out.mutable_budget() = ToBudget(request.budget);
  }
  out.set_resume_session(json::ToValidUtf8(request.resume_session));
  out.set_fork_session(request.fork_session);
  out.set_output_limit_bytes(request.output_limit_bytes);
  if (request.document.wanted) {
    out.mutable_document()->set_title(
        json::ToValidUtf8(request.document.title));
  }
  out.set_model_fallback(request.model_fallback);
  out.set_no_queue(request.no_queue);
  for (const std::string& path : request.policy_files) {
    out.add_policy(json::ToValidUtf8(path));
  }
  out.set_require_policy(request.require_policy);
  SetVariables(environment, out.mutable_env());
  return out;
}

v1::ProbeHarnessesRequest ToProbeRequest(const Environment& environment) {
  v1::ProbeHarnessesRequest out;
  SetVariables(environment, out.mutable_env());
  return out;
}

}  // namespace troika
