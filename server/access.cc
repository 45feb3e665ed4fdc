#include "server/access.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

constexpr absl::string_view kLocal[] = {"localhost", "127.0.0.1", "::1"};

bool IsAddress(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

absl::string_view PortOf(absl::string_view host, absl::string_view usual) {
  const size_t name_end = host.find(']');
  if (name_end != absl::string_view::npos) host.remove_prefix(name_end + 1);
  const size_t colon = host.find(':');
  // Several colons and no brackets: an address as it is.
  if (colon == absl::string_view::npos || colon != host.rfind(':')) {
    return usual;
  }
  return host.substr(colon + 1);
}

absl::Status CheckPeer(const http::Peer& peer) {
  if (peer.uid == geteuid() || peer.uid == 0) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("this server belongs to another user (uid ", geteuid(),
                   "): start your own"));
}

}  // namespace

std::string HostWithoutPort(absl::string_view host) {
  if (absl::ConsumePrefix(&host, "[")) {
    return absl::AsciiStrToLower(host.substr(0, host.find(']')));
  }
  // Several colons and no brackets: an address as it is.
  if (std::count(host.begin(), host.end(), ':') == 1) {
    host = host.substr(0, host.find(':'));
  }
  return absl::AsciiStrToLower(host);
}

bool IsOwnPage(absl::string_view origin, absl::string_view host) {
  const bool plain = absl::ConsumePrefix(&origin, "http://");
  if (!plain && !absl::ConsumePrefix(&origin, "https://")) return false;
  const absl::string_view port = plain ? "80" : "443";
  return HostWithoutPort(origin) == HostWithoutPort(host) &&
         PortOf(origin, port) == PortOf(host, port);
}

bool Access::IsOurs(absl::string_view host) const {
  const std::string name = HostWithoutPort(host);
  if (std::find(std::begin(kLocal), std::end(kLocal), name) !=
          std::end(kLocal) ||
      std::find(options_.hosts.begin(), options_.hosts.end(), name) !=
          options_.hosts.end()) {
    return true;
  }
  return options_.reach == AccessOptions::Reach::kAnywhere && IsAddress(name);
}

absl::Status Access::Check(const http::Request& request, Need need) {
  if (request.peer.kind == http::Peer::Kind::kUnix) {
    return CheckPeer(request.peer);
  }
  if (!IsOurs(request.Header("host"))) {
    return absl::PermissionDeniedError(
        "this Host is not known here: use localhost or 127.0.0.1, or name it "
        "with --host");
  }
  const absl::string_view origin = request.Header("origin");
  if (!origin.empty() && !IsOwnPage(origin, request.Header("host"))) {
    return absl::PermissionDeniedError(
        "pages of another origin may not use this server");
  }
  if (need == Need::kNothing) return absl::OkStatus();
  absl::string_view given = request.Header("authorization");
  // The scheme is written in any case.
  if (given.size() > 7 &&
      absl::EqualsIgnoreCase(given.substr(0, 7), "bearer ")) {
    given.remove_prefix(7);
    if (token_.Matches(absl::StripAsciiWhitespace(given))) {
      return absl::OkStatus();
    }
    if (!token_.problem().ok()) {
      return absl::UnauthenticatedError(token_.problem().message());
    }
    return absl::UnauthenticatedError(
        "the token is wrong: `troika token` prints the right one");
  }
  return absl::UnauthenticatedError(
      "a token is needed: send \"Authorization: Bearer TOKEN\", which `troika "
      "token` prints");
}

}  // namespace troika
