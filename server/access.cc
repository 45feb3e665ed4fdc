#include "server/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/fd.h"
#include "base/read_file.h"
#include "base/status_macros.h"

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

constexpr size_t kRandomBytes = 32;
constexpr size_t kMaxToken = 1024;

int64_t ChangedNs(const struct stat& info) {
  return info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec;
}

absl::Status Make(const std::string& path) {
  char random[kRandomBytes];
  if (getrandom(random, sizeof(random), 0) != sizeof(random)) {
    return absl::ErrnoToStatus(errno, "make a token");
  }
  const std::string text = absl::StrCat(
      absl::WebSafeBase64Escape(absl::string_view(random, sizeof(random))),
      "\n");
  // Whole or not at all, whoever else makes one.
  const std::string draft = absl::StrCat(path, ".", getpid());
  {
    const UniqueFd file(
        open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.ok() || write(file.get(), text.data(), text.size()) !=
                          static_cast<ssize_t>(text.size())) {
      const int error = errno;
      unlink(draft.c_str());
      return absl::ErrnoToStatus(error, absl::StrCat("write ", draft));
    }
  }
  const int linked = link(draft.c_str(), path.c_str());
  const int error = errno;
  unlink(draft.c_str());
  if (linked != 0 && error != EEXIST) {
    return absl::ErrnoToStatus(error, absl::StrCat("make ", path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Token> Token::Open(const std::string& path) {
  Token token(path);
  if (access(path.c_str(), F_OK) != 0) {
    const absl::Status made = Make(path);
    // Without a token nobody gets in by TCP, but a server has to start on a
    // full disk, too: else nothing could be stopped.
    if (absl::IsResourceExhausted(made)) return token;
    RETURN_IF_ERROR(made);
  }
  RETURN_IF_ERROR(token.Read());
  return token;
}

absl::Status Token::Read() {
  value_.clear();
  problem_ = absl::FailedPreconditionError("the token file can't be read");
  ASSIGN_OR_RETURN(const RegularFile file, OpenRegularFile(AT_FDCWD, path_));
  struct stat info = {};
  if (fstat(file.fd.get(), &info) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("read ", path_));
  }
  inode_ = info.st_ino;
  changed_ns_ = ChangedNs(info);
  if ((info.st_mode & 077) != 0 || info.st_uid != geteuid()) {
    problem_ = absl::FailedPreconditionError(
        "the token file can be read by others: chmod 600 it");
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        " can be read by others: chmod 600 it, or remove it for a new "
        "one"));
  }
  std::string text(kMaxToken, '\0');
  const ssize_t n = read(file.fd.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  text = std::string(absl::StripAsciiWhitespace(text));
  if (text.size() < 16) {
    problem_ = absl::FailedPreconditionError(
        "the token file holds no token of 16 characters or more");
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        " holds no token of 16 characters or more: remove it for a new "
        "one"));
  }
  value_ = std::move(text);
  problem_ = absl::OkStatus();
  return absl::OkStatus();
}

bool Token::Matches(absl::string_view given) {
  struct stat info = {};
  if (stat(path_.c_str(), &info) != 0) {
    value_.clear();
    inode_ = 0;
    problem_ = absl::FailedPreconditionError("the token file is gone");
  } else if (info.st_ino != inode_ || ChangedNs(info) != changed_ns_) {
    Read().IgnoreError();
  }
  unsigned char difference = value_.size() == given.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    const char own = value_.empty() ? '\0' : value_[i % value_.size()];
    difference |= static_cast<unsigned char>(own ^ given[i]);
  }
  return difference == 0 && !value_.empty();
}

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

// Browsers send cookies by themselves, whoever asks for the request.
absl::Status Access::CheckSession(const http::Request& request) {
  const absl::string_view site = request.Header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none") {
    return absl::PermissionDeniedError(
        "pages of another origin may not use this server");
  }
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && request.Header("origin").empty()) {
    return absl::PermissionDeniedError(
        "a change by a browser's session needs an Origin; programs use the "
        "token, which `troika token` prints");
  }
  if (sessions_.Find(request)) return absl::OkStatus();
  return absl::UnauthenticatedError(
      "this browser's session has ended: run `troika open`");
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
  if (given.empty() && PageSessions::HasCookie(request)) {
    return CheckSession(request);
  }
  return absl::UnauthenticatedError(
      "a token is needed: send \"Authorization: Bearer TOKEN\", which `troika "
      "token` prints");
}

}  // namespace troika
