#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/json.h"
#include "mcp/elicitation.h"
#include "mcp/protocol.h"
#include "mcp/schema.h"
#include "mcp/session_id.h"
#include "mcp/tool.h"

namespace troika::mcp {
namespace {

// A field of each type.
const std::vector<Field>& Fields() {
  static const auto* const kFields = new std::vector<Field>{
      {.name = "prompt",
       .description = "text",
       .need = Field::Need::kRequired,
       .max_bytes = 100},
      {.name = "mode", .description = "choice", .values = {"a", "b"}},
      {.name = "limit",
       .type = Field::Type::kInteger,
       .description = "number",
       .default_json = "5",
       .min = 1,
       .max = 9},
      {.name = "flag", .type = Field::Type::kBoolean, .description = "flag"},
      {.name = "list",
       .type = Field::Type::kStrings,
       .description = "list",
       .max = 3},
      {.name = "object", .type = Field::Type::kObject, .description = "any"}};
  return *kFields;
}

const Form& AForm() {
  static const auto* const kForm = new Form{
      .message = "Which?",
      .fields = {
          {.name = "decision",
           .type = FormField::Type::kChoice,
           .title = "Decision",
           .choices = {"approve", "deny"},
           .required = true},
          {.name = "reason", .title = "Reason"},
          {.name = "yes", .type = FormField::Type::kBoolean, .title = "Yes"}}};
  return *kForm;
}

void CheckArguments(json::Value value) {
  const auto args = Arguments::Read(Fields(), value);
  if (!args.ok()) {
    CHECK(!args.status().message().empty());
    return;
  }
  CHECK(!args->String("prompt").empty() &&
        args->String("prompt").size() <= 100);
  CHECK(args->Int("limit") >= 1 && args->Int("limit") <= 9);
  CHECK(args->Strings("list").size() <= 3);
}

void CheckFormReply(json::Value value) {
  const auto reply = ReadFormReply(AForm(), value);
  if (!reply.ok() || reply->action != FormReply::Action::kAccept) return;
  const std::string decision = reply->Get("decision");
  CHECK(decision == "approve" || decision == "deny");
}

void CheckClient(json::Value value) {
  const rpc::Message message = rpc::Parse(value);
  if (message.kind == rpc::Kind::kInvalid) return;
  Client client;
  if (const auto fault = ReadClient(message, &client)) {
    CHECK(!fault->error.message.empty());
    return;
  }
  (void)CheckHeaders(message, client,
                     {.version = client.version,
                      .method = message.method,
                      .name = message.params.Get("name").StringOr("")});
  const Client opened = ReadInitialize(message.params);
  CHECK(IsSessionVersion(opened.version));
  const Session session = {.client = opened, .random = std::string(32, 'f')};
  CHECK(ReadSessionId(SessionId(session)) == session);
  const std::string token = ProgressToken(message);
  if (token.empty()) return;
  json::Parser parser;
  CHECK(parser.Parse(ProgressLine(token, 1, message.method)).ok());
}

}  // namespace
}  // namespace troika::mcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  (void)troika::mcp::ReadSessionId(text);
  std::string quoted;
  const absl::string_view cut = troika::mcp::CutForJson(text, size / 2 + 2);
  if (troika::json::IsValidUtf8(text)) {
    troika::json::AppendQuoted(cut, &quoted);
    CHECK(quoted.size() <= size / 2 + 2);
  }
  troika::json::Parser parser;
  const auto value = parser.Parse(text);
  if (!value.ok()) return 0;
  troika::mcp::CheckArguments(*value);
  troika::mcp::CheckFormReply(*value);
  troika::mcp::CheckClient(*value);
  return 0;
}
