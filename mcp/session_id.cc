#include "mcp/session_id.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "base/json.h"
#include "base/json_writer.h"

namespace troika::mcp {
namespace {

constexpr size_t kMaxId = 1024;
constexpr size_t kRandomLength = 32;

}  // namespace

std::string SessionId(const Session& session) {
  const Client& client = session.client;
  return absl::WebSafeBase64Escape(
      json::ObjectWriter()
          .String("version", client.version)
          .String("name", client.name)
          .Json("elicitation", client.elicitation ? "true" : "false")
          .String("random", session.random)
          .Take());
}

std::optional<Session> ReadSessionId(absl::string_view id) {
  std::string text;
  if (id.size() > kMaxId || !absl::WebSafeBase64Unescape(id, &text)) {
    return std::nullopt;
  }
  json::Parser parser;
  const auto value = parser.Parse(text);
  if (!value.ok()) return std::nullopt;
  Session session = {
      .client = {.version = std::string(value->Get("version").StringOr("")),
                 .name = std::string(value->Get("name").StringOr("")),
                 .elicitation = value->Get("elicitation").BoolOr(false)},
      .random = std::string(value->Get("random").StringOr(""))};
  if (!IsSessionVersion(session.client.version) ||
      session.random.size() != kRandomLength ||
      !std::all_of(session.random.begin(), session.random.end(),
                   absl::ascii_isxdigit) ||
      SessionId(session) != id) {
    return std::nullopt;
  }
  return session;
}

}  // namespace troika::mcp
