// The routes of the API as data: one table dispatches requests and describes
// them (OpenApiJson).
#ifndef TROIKA_SERVER_ROUTES_H_
#define TROIKA_SERVER_ROUTES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/descriptor.h"
#include "server/access.h"
#include "server/handlers.h"

namespace troika {

inline constexpr absl::string_view kStreamType = "text/event-stream";

struct Route {
  absl::string_view method;
  absl::string_view path;  // With what varies in braces.
  absl::string_view summary;
  Handler* handle = nullptr;
  // The messages of the request and the reply, or null.
  const google::protobuf::Descriptor* (*body)() = nullptr;
  const google::protobuf::Descriptor* (*query)() = nullptr;
  const google::protobuf::Descriptor* (*reply)() = nullptr;
  int status = 200;
  // The type of a reply that is no message.
  absl::string_view media_type = "application/json";
  Access::Need need = Access::Need::kToken;
  // Query parameters of routes whose query is no message.
  std::vector<absl::string_view> parameters = {};
};

absl::Span<const Route> Routes();

struct Match {
  const Route* /*nullable*/ route = nullptr;
  std::vector<std::string> args;
  // The methods of the path, if the request's is none of them.
  std::vector<absl::string_view> methods;
};

// `path` is as the request has it. HEAD is matched as GET.
Match MatchRoute(absl::string_view method, absl::string_view path);

// InvalidArgument if the query has a parameter that the route does not take. A
// query that is a message is checked when it is read.
absl::Status CheckParameters(const Route& route, absl::string_view query);

// The OpenAPI document of all routes (openapi.cc).
std::string OpenApiJson();

}  // namespace troika

#endif  // TROIKA_SERVER_ROUTES_H_
