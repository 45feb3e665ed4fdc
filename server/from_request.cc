#include "server/from_request.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/registry.h"
#include "base/check.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/proto_json.h"
#include "dto/redact.h"

namespace troika {
namespace {

using google::protobuf::FieldDescriptor;

constexpr size_t kMaxLabels = 64;
constexpr size_t kMaxKey = 256;
constexpr size_t kMaxTitle = 1000;

// The message has the fields of the struct under the same names.
LaunchOptions ToLaunchOptions(const v1::LaunchOptions& from) {
  LaunchOptions options;
  const auto& reflection = *from.GetReflection();
  ForEachField<LaunchOptions>([&](const auto& field) {
    const FieldDescriptor* const source =
        from.GetDescriptor()->FindFieldByName(std::string(field.name));
    CHECK(source != nullptr);
    auto& to = field.Of(options);
    using To = std::decay_t<decltype(to)>;
    if constexpr (std::is_same_v<To, std::string>) {
      to = reflection.GetString(from, source);
    } else if constexpr (std::is_same_v<To, bool>) {
      to = reflection.GetBool(from, source);
    } else if constexpr (std::is_same_v<To, std::vector<std::string>>) {
      for (int i = 0; i < reflection.FieldSize(from, source); ++i) {
        to.push_back(reflection.GetRepeatedString(from, source, i));
      }
    } else if constexpr (std::is_same_v<To, std::optional<bool>>) {
      if (reflection.HasField(from, source)) {
        to = reflection.GetBool(from, source);
      }
    } else {
      if (reflection.HasField(from, source)) {
        to = ToEditMode(from.edit_mode());
      }
    }
  });
  return options;
}

absl::StatusOr<absl::Duration> ToDuration(
    const google::protobuf::Duration& duration, absl::string_view name,
    absl::Duration least = absl::Milliseconds(1)) {
  const absl::Duration value =
      absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
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

absl::Status CheckSizes(const v1::CreateTaskRequest& body) {
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
  return CheckVariables(body.env());
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
  if (from.has_start()) {
    ASSIGN_OR_RETURN(timeouts.start,
                     ToDuration(from.start(), "timeouts.start"));
  }
  if (from.has_idle()) {
    ASSIGN_OR_RETURN(timeouts.idle, ToDuration(from.idle(), "timeouts.idle"));
  }
  if (from.has_turn()) {
    ASSIGN_OR_RETURN(timeouts.turn, ToDuration(from.turn(), "timeouts.turn"));
  }
  if (from.has_task()) {
    ASSIGN_OR_RETURN(timeouts.task, ToDuration(from.task(), "timeouts.task"));
  }
  return timeouts;
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

absl::StatusOr<TaskRequest> ToTaskRequest(const v1::CreateTaskRequest& body) {
  if (body.harness().empty()) {
    return absl::InvalidArgumentError(
        "harness is missing: GET /api/v1/harnesses lists them");
  }
  auto backend = BackendById(body.harness());
  if (!backend.ok()) {
    return absl::InvalidArgumentError(backend.status().message());
  }
  if (!absl::StartsWith(body.cwd(), "/")) {
    return absl::InvalidArgumentError(
        "cwd must be the absolute path of the folder to work in");
  }
  RETURN_IF_ERROR(CheckSizes(body));
  TaskRequest request = {.harness = (*backend)->harness,
                         .prompt = body.prompt(),
                         .cwd = body.cwd(),
                         .options = ToLaunchOptions(body.options()),
                         .title = body.title(),
                         .labels = {body.labels().begin(), body.labels().end()},
                         .resume_session = body.resume_session(),
                         .idempotency_key = body.idempotency_key()};
  ASSIGN_OR_RETURN(request.timeouts, ToTimeouts(body.timeouts()));
  return request;
}

absl::StatusOr<AnswerRequest> ToAnswer(const v1::RespondRequest& body) {
  if (body.id().empty()) {
    return absl::InvalidArgumentError(
        "id is missing: the task's approvals and questions have it");
  }
  AnswerRequest answer = {.id = body.id()};
  switch (body.answer_case()) {
    case v1::RespondRequest::kApproval: {
      ApprovalAnswer approval = {.allow = body.approval().allow(),
                                 .reason = body.approval().reason()};
      if (body.approval().has_input()) {
        approval.input_json = ToJson(body.approval().input());
      }
      answer.answer = std::move(approval);
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
    ASSIGN_OR_RETURN(grace,
                     ToDuration(body.grace(), "grace", absl::ZeroDuration()));
  }
  return grace;
}

absl::Status ErrorForClient(const absl::Status& error,
                            const std::vector<std::string>& secrets) {
  std::string message(error.message());
  Redactor(secrets).RedactPlain(&message);
  // Nothing but the text says which system call it is from.
  const auto is = [&](int number) {
    return absl::StrContains(message, std::strerror(number));
  };
  if (absl::IsResourceExhausted(error) && (is(ENOSPC) || is(EDQUOT))) {
    return absl::UnavailableError(
        absl::StrCat("the disk is full: free some space (", message, ")"));
  }
  return absl::Status(error.code(), message);
}

std::string TasksPageJson(const std::vector<std::string>& tasks,
                          absl::string_view next_page_token) {
  return absl::StrCat("{\"tasks\":[", absl::StrJoin(tasks, ","),
                      "],\"nextPageToken\":\"", next_page_token, "\"}");
}

}  // namespace troika
