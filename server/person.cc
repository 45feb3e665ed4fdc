#include "server/person.h"

#include <pwd.h>
#include <stdio.h>

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/ancestry.h"

namespace troika {
namespace {

constexpr size_t kMaxName = 100;

// As it can be shown anywhere.
std::string Printable(absl::string_view text) {
  std::string name(text.substr(0, kMaxName));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !absl::ascii_isprint(c); },
      '?');
  return name;
}

std::string UserName(uid_t uid) {
  // Not getpwuid(), which may ask servers on the network.
  const std::unique_ptr<FILE, int (*)(FILE*)> users(fopen("/etc/passwd", "re"),
                                                    fclose);
  if (users != nullptr) {
    while (const passwd* const user = fgetpwent(users.get())) {
      if (user->pw_uid == uid) return Printable(user->pw_name);
    }
  }
  return absl::StrCat("uid ", uid);
}

}  // namespace

Person PersonOf(const http::Request& request) {
  const bool is_unix = request.peer.kind == http::Peer::Kind::kUnix;
  Person person = {.user = is_unix ? UserName(request.peer.uid) : "token",
                   .client = Printable(request.Header("user-agent"))};
  if (person.client.empty() && is_unix) {
    const Ancestry ancestry = ReadAncestry(request.peer.pid);
    if (!ancestry.processes.empty()) {
      person.client = Printable(ancestry.processes.front().name);
    }
  }
  return person;
}

}  // namespace troika
