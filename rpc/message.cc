#include "rpc/message.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"

namespace troika::rpc {
namespace {

// JSON strings have no raw line breaks, so these are only between tokens.
std::string OnOneLine(absl::string_view json) {
  std::string line(json);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  return line;
}

json::ObjectWriter Begin(VersionMember version) {
  json::ObjectWriter writer;
  if (version == VersionMember::kIncluded) writer.String("jsonrpc", "2.0");
  return writer;
}

std::string End(json::ObjectWriter& writer) {
  return absl::StrCat(writer.Take(), "\n");
}

Message Invalid(Message message, absl::string_view fault) {
  message.kind = Kind::kInvalid;
  message.fault = fault;
  return message;
}

Message ParseCall(json::Value line, json::Value id, Message message) {
  message.method = line.Get("method").StringOr("");
  message.params = line.Get("params");
  message.wants_reply = id.exists();
  if (!line.Get("method").IsString()) {
    return Invalid(std::move(message), "the method is not a string");
  }
  if (!id.exists()) {
    message.kind = Kind::kNotification;
  } else if (message.id.exists()) {
    message.kind = Kind::kRequest;
  } else {
    return Invalid(std::move(message),
                   "the id is neither a string nor a number, or too long");
  }
  return message;
}

Message ParseReply(json::Value line, Message message) {
  const json::Value error = line.Get("error");
  if (error.exists() && !error.IsNull()) {
    message.kind = Kind::kError;
    message.error.code = error.Get("code").IntOr(0);
    // Some servers send only a text.
    message.error.message =
        std::string(error.StringOr(error.Get("message").StringOr("")));
    const json::Value data = error.Get("data");
    if (data.exists()) message.error.data_json = data.ToJson();
    return message;
  }
  message.result = line.Get("result");
  if (!message.result.exists()) {
    return Invalid(std::move(message), "neither method, result nor error");
  }
  if (!message.id.exists()) {
    return Invalid(std::move(message), "a response without an id");
  }
  message.kind = Kind::kResponse;
  return message;
}

}  // namespace

Id Id::FromInt(int64_t number) { return Id(absl::StrCat(number)); }

Id Id::FromString(absl::string_view text) {
  std::string json;
  json::AppendQuoted(text, &json);
  return Id(std::move(json));
}

Id Id::FromJson(json::Value value) {
  Id id;
  if (value.IsString()) id = FromString(value.StringOr(""));
  if (value.type() == json::Type::kNumber) id = Id(value.ToJson());
  return id.json_.size() > kMaxBytes ? Id() : id;
}

Message Parse(json::Value line) {
  Message message;
  if (!line.IsObject()) return Invalid(std::move(message), "not an object");
  const json::Value id = line.Get("id");
  message.id = Id::FromJson(id);
  return line.Get("method").exists() ? ParseCall(line, id, std::move(message))
                                     : ParseReply(line, std::move(message));
}

std::string RequestLine(const Id& id, absl::string_view method,
                        absl::string_view params_json, VersionMember version) {
  json::ObjectWriter writer = Begin(version);
  writer.Json("id", id.exists() ? id.json() : "null").String("method", method);
  if (!params_json.empty()) writer.Json("params", OnOneLine(params_json));
  return End(writer);
}

std::string NotificationLine(absl::string_view method,
                             absl::string_view params_json,
                             VersionMember version) {
  json::ObjectWriter writer = Begin(version);
  writer.String("method", method);
  if (!params_json.empty()) writer.Json("params", OnOneLine(params_json));
  return End(writer);
}

std::string ResponseLine(const Id& id, absl::string_view result_json,
                         VersionMember version) {
  json::ObjectWriter writer = Begin(version);
  writer.Json("id", id.exists() ? id.json() : "null")
      .Json("result", OnOneLine(result_json));
  return End(writer);
}

std::string ErrorLine(const Id& id, const Error& error, VersionMember version) {
  json::ObjectWriter object;
  object.Json("code", absl::StrCat(error.code))
      .String("message", error.message);
  if (!error.data_json.empty()) object.Json("data", OnOneLine(error.data_json));
  json::ObjectWriter writer = Begin(version);
  writer.Json("id", id.exists() ? id.json() : "null")
      .Json("error", object.Take());
  return End(writer);
}

}  // namespace troika::rpc
