#include "client/address.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "task/home.h"

namespace troika::client {

std::string ServerAddress::Name() const {
  return is_local() ? absl::StrCat(home, "/", kServerSocket) : url;
}

absl::StatusOr<ServerAddress> FindServerAddress(
    const Environment& environment) {
  absl::string_view url = environment.Get("TROIKA_URL");
  if (url.empty()) {
    ASSIGN_OR_RETURN(const Home home, Home::Open(environment));
    // The host is not used, because the request goes to the socket.
    return ServerAddress{.url = "http://troika", .home = home.path()};
  }
  const std::string given(url);
  absl::ConsumeSuffix(&url, "/");
  absl::string_view host = url;
  const bool http = absl::ConsumePrefix(&host, "http://") ||
                    absl::ConsumePrefix(&host, "https://");
  if (!http || host.empty() ||
      host.find_first_of("/?#@ ") != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("TROIKA_URL is \"", given,
                     "\": write it as http://HOST:PORT, with nothing after"));
  }
  return ServerAddress{.url = std::string(url),
                       .token = std::string(environment.Get("TROIKA_TOKEN"))};
}

}  // namespace troika::client
