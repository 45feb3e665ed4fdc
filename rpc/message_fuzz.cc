#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/json.h"
#include "rpc/message.h"
#include "rpc/pending.h"

namespace troika::rpc {
namespace {

std::string JsonOf(json::Value value) {
  return value.exists() ? value.ToJson() : "";
}

std::string Rewrite(const Message& message, VersionMember version) {
  switch (message.kind) {
    case Kind::kRequest:
      return RequestLine(message.id, message.method, JsonOf(message.params),
                         version);
    case Kind::kNotification:
      return NotificationLine(message.method, JsonOf(message.params), version);
    case Kind::kResponse:
      return ResponseLine(message.id, JsonOf(message.result), version);
    case Kind::kError:
      return ErrorLine(message.id, message.error, version);
    case Kind::kInvalid:
      break;
  }
  return "";
}

// What we write of a message is one line that reads as the same message.
void CheckRewrites(const Message& message, VersionMember version) {
  const std::string line = Rewrite(message, version);
  CHECK(line.find('\n') == line.size() - 1);
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  CHECK(value.ok());
  const Message again = Parse(*value);
  CHECK(again.kind == message.kind);
  CHECK(again.id == message.id);
  CHECK(again.method == message.method);
  CHECK(again.params.type() == message.params.type());
  CHECK(again.result.type() == message.result.type());
  CHECK(again.error.code == message.error.code);
  CHECK(again.error.message == message.error.message);
  CHECK(Rewrite(again, version) == line);
}

void CheckPending(const Message& message) {
  Pending<int> pending;
  const bool added = pending.Add({message.id, std::string(message.method), 1});
  CHECK(added == message.id.exists());
  CHECK(!pending.Add({message.id, "", 2}));
  CHECK(pending.Take(message.id).has_value() == added);
  CHECK(!pending.Take(message.id).has_value());
}

}  // namespace
}  // namespace troika::rpc

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  troika::json::Parser parser;
  const auto value = parser.Parse(text);
  if (!value.ok()) return 0;
  const troika::rpc::Message message = troika::rpc::Parse(*value);
  troika::rpc::CheckPending(message);
  if (message.kind == troika::rpc::Kind::kInvalid) {
    CHECK(!message.fault.empty());
    return 0;
  }
  for (const auto version : {troika::rpc::VersionMember::kIncluded,
                             troika::rpc::VersionMember::kOmitted}) {
    troika::rpc::CheckRewrites(message, version);
  }
  return 0;
}
