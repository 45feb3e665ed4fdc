#include "mcp/session_id.h"

#include "absl/strings/escaping.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::mcp {
namespace {

constexpr size_t kMaxId = 1024;

}  // namespace

std::string SessionId(const Client& client, absl::string_view random) {
  return absl::WebSafeBase64Escape(
      json::ObjectWriter()
          .String("version", client.version)
          .String("name", client.name)
          .Json("elicitation", client.elicitation ? "true" : "false")
          .String("random", random)
          .Take());
}

std::optional<Client> ReadSessionId(absl::string_view id) {
  std::string text;
  if (id.size() > kMaxId || !absl::WebSafeBase64Unescape(id, &text)) {
    return std::nullopt;
  }
  json::Parser parser;
  const auto value = parser.Parse(text);
  if (!value.ok()) return std::nullopt;
  Client client = {.version = std::string(value->Get("version").StringOr("")),
                   .name = std::string(value->Get("name").StringOr("")),
                   .elicitation = value->Get("elicitation").BoolOr(false)};
  const absl::string_view random = value->Get("random").StringOr("");
  if (!IsSessionVersion(client.version) || random.empty() ||
      SessionId(client, random) != id) {
    return std::nullopt;
  }
  return client;
}

}  // namespace troika::mcp
