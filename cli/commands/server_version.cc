#include "cli/commands/server_version.h"

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "cli/timeline/terminal_text.h"
#include "client/api.h"

namespace troika::cli {

std::string ServerVersion(const Server& server) {
  client::ApiClient api(server.api.address(), {.timeout = absl::Seconds(3)});
  const absl::StatusOr<std::string> health = api.GetHealth();
  if (!health.ok()) return "";
  json::Parser parser;
  const absl::StatusOr<json::Value> said = parser.Parse(*health);
  const std::string version =
      said.ok() ? HarmlessLine(said->Get("version").StringOr("")) : "";
  return version.empty() ? "running" : version;
}

}  // namespace troika::cli
