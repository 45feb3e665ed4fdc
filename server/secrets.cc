#include "server/secrets.h"

#include "agent/launch_json.h"
#include "base/json.h"

namespace troika {
namespace {

using google::protobuf::FieldDescriptor;
using ProtoMessage = google::protobuf::Message;
using google::protobuf::Reflection;

LaunchOptions OptionsOf(const notes::Request& request) {
  json::Parser parser;
  const auto json = parser.Parse(request.options_json);
  if (!json.ok()) return {};
  auto options = LaunchOptionsFromJson(*json);
  return options.ok() ? *std::move(options) : LaunchOptions();
}

std::string Redacted(const Redactor& redactor, std::string text) {
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
          Redacted(redactor,
                   reflection.GetRepeatedString(*message, &field, i)));
    }
    if (!field.is_repeated()) {
      reflection.SetString(
          message, &field,
          Redacted(redactor, reflection.GetString(*message, &field)));
    }
  }
}

}  // namespace

std::vector<std::string> TaskSecrets(
    const TaskFolder& folder, const notes::Request* /*nullable*/ request) {
  const auto environment = ReadEnvironment(folder);
  return SecretsOf(environment.ok() ? *environment : Environment(),
                   request == nullptr ? LaunchOptions() : OptionsOf(*request));
}

void RedactTexts(const Redactor& redactor, google::protobuf::Message* message) {
  std::vector<const FieldDescriptor*> fields;
  message->GetReflection()->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) {
    RedactField(redactor, *field, message);
  }
}

}  // namespace troika
