#include "cli/commands/server.h"

#include <sys/random.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/timeline/terminal_text.h"
#include "client/address.h"
#include "client/autostart.h"
#include "dto/proto_json.h"
#include "dto/request.h"

namespace troika::cli {

absl::StatusOr<std::unique_ptr<Server>> FindServer() {
  Environment environment = ProcessEnvironment();
  ASSIGN_OR_RETURN(client::ServerAddress address,
                   client::FindServerAddress(environment));
  auto start =
      client::Starter(address, environment,
                      [](absl::string_view notice) { Note(Io(), notice); });
  return std::unique_ptr<Server>(new Server{
      .environment = std::move(environment),
      .api =
          client::ApiClient(std::move(address), {.start = std::move(start)})});
}

std::string ServerVersion(const Server& server) {
  client::ApiClient api(server.api.address(), {.timeout = absl::Seconds(3)});
  const absl::StatusOr<std::string> health = api.Get("/healthz", "*/*");
  if (!health.ok()) return "";
  json::Parser parser;
  const absl::StatusOr<json::Value> said = parser.Parse(*health);
  const std::string version =
      said.ok() ? SanitizedLine(said->Get("version").StringOr("")) : "";
  return version.empty() ? "running" : version;
}

absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(Server& server) {
  auto list = server.api.ProbeHarnesses(ToProbeRequest(server.environment));
  if (!absl::IsNotFound(list.status())) return list;
  return absl::UnavailableError(absl::StrCat(
      "the server at ", server.api.address().Name(),
      " is older than this troika and can't use your environment: restart it"));
}

int FailWith(const Io& io, const absl::Status& error) {
  // The message may come from an agent's CLI.
  Fail(io, Sanitized(error.message()));
  const bool refused =
      absl::IsInvalidArgument(error) || absl::IsNotFound(error) ||
      absl::IsFailedPrecondition(error) || absl::IsUnimplemented(error);
  return refused ? kExitUsage : kExitFailure;
}

std::string JsonLine(const google::protobuf::Message& message) {
  return absl::StrCat(ToJson(message), "\n");
}

int PrintJson(const Io& io, const google::protobuf::Message& message) {
  return Print(io, JsonLine(message));
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path whole =
      std::filesystem::absolute(path, error).lexically_normal();
  std::string text = error ? path : whole.string();
  if (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

std::string NewIdempotencyKey() {
  uint64_t random[2] = {};
  (void)!getrandom(random, sizeof(random), 0);
  return absl::StrFormat("cli-%016x%016x", random[0], random[1]);
}

}  // namespace troika::cli
