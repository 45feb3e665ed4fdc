#include "server/secrets.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "task/home.h"

namespace troika {
namespace {

using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using google::protobuf::Reflection;

std::string ProblemText(absl::string_view task, absl::string_view what) {
  return absl::StrCat("the environment of the task ", what,
                      ", so it is not known what is secret; `troika log ", task,
                      "` shows its owner everything");
}

bool IsAsWritten(const Environment& environment,
                 const notes::Request& request) {
  // Before there was a digest, a file that lost its contents was the only sign.
  if (request.env_digest.empty()) return !environment.variables().empty();
  return EnvironmentDigest(environment) == request.env_digest;
}

// Whether a field holds the words of the request or of Troika, not the agent's:
// they are shown even if the secrets are not known.
bool IsOwners(const FieldDescriptor& field) {
  static constexpr absl::string_view kFields[] = {
      "troika.v1.Task.cwd",
      "troika.v1.Task.prompt",
      "troika.v1.Task.title",
      "troika.v1.Task.trouble",
      "troika.v1.Task.LabelsEntry.key",
      "troika.v1.Task.LabelsEntry.value"};
  return std::find(std::begin(kFields), std::end(kFields), field.full_name()) !=
         std::end(kFields);
}

std::string Redacted(const Redactor& redactor, const FieldDescriptor& field,
                     std::string text) {
  if (!redactor.problem().empty()) {
    if (IsShownWithheld(field.json_name(), text)) return text;
    if (IsOwners(field)) {
      static const Redactor* const kShapes =
          new Redactor(std::vector<std::string>());
      kShapes->RedactPlain(&text);
      return text;
    }
  }
  redactor.RedactPlain(&text);
  return text;
}

void RedactField(const Redactor& redactor, const FieldDescriptor& field,
                 ProtoMessage* message) {
  const Reflection& reflection = *message->GetReflection();
  const int count =
      field.is_repeated() ? reflection.FieldSize(*message, &field) : 0;
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    for (int i = 0; i < count; ++i) {
      RedactTexts(redactor,
                  reflection.MutableRepeatedMessage(message, &field, i));
    }
    if (!field.is_repeated()) {
      RedactTexts(redactor, reflection.MutableMessage(message, &field));
    }
  } else if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    for (int i = 0; i < count; ++i) {
      reflection.SetRepeatedString(
          message, &field, i,
          Redacted(redactor, field,
                   reflection.GetRepeatedString(*message, &field, i)));
    }
    if (!field.is_repeated()) {
      reflection.SetString(
          message, &field,
          Redacted(redactor, field, reflection.GetString(*message, &field)));
    }
  }
}

}  // namespace

KnownSecrets TaskSecrets(absl::string_view task,
                         const absl::StatusOr<Environment>& environment,
                         const notes::Request* /*nullable*/ request) {
  KnownSecrets secrets = {
      .values =
          SecretsOf(environment.ok() ? *environment : Environment(),
                    request == nullptr ? LaunchOptions() : request->options)};
  if (!environment.ok()) {
    secrets.problem = ProblemText(task, "can't be read");
  } else if (request != nullptr && !IsAsWritten(*environment, *request)) {
    secrets.problem = ProblemText(task, "is not the one that was kept");
  }
  return secrets;
}

void RedactTexts(const Redactor& redactor, google::protobuf::Message* message) {
  std::vector<const FieldDescriptor*> fields;
  message->GetReflection()->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    RedactField(redactor, *field, message);
  }
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

}  // namespace troika
