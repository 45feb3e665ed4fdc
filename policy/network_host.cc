#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "policy/read_rules.h"

namespace troika::policy {
namespace {

bool IsPort(absl::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

}  // namespace

std::string NetworkHostProblem(absl::string_view host) {
  constexpr absl::string_view kEmpty = "host can't be empty";
  host = absl::StripAsciiWhitespace(host);
  if (host.empty()) return std::string(kEmpty);
  if (host.find_first_of("/?#") != absl::string_view::npos) {
    return "host must be a name or an address, without scheme and path";
  }
  if (absl::ConsumePrefix(&host, "[")) {
    const size_t end = host.find(']');
    if (end == absl::string_view::npos) return "host has no closing ]";
    const absl::string_view rest = host.substr(end + 1);
    if (!rest.empty() && !(rest[0] == ':' && IsPort(rest.substr(1)))) {
      return absl::StrCat("host has something after its ]: ", rest);
    }
    host = host.substr(0, end);
  } else if (std::count(host.begin(), host.end(), ':') == 1) {
    const size_t colon = host.find(':');
    if (colon > 0 && IsPort(host.substr(colon + 1))) {
      host = host.substr(0, colon);
    }
  }
  while (absl::ConsumeSuffix(&host, ".")) {
  }
  host = absl::StripAsciiWhitespace(host);
  if (host.empty()) return std::string(kEmpty);
  if (absl::StrContains(host, '*')) {
    return "host must be one host: wildcards are not allowed";
  }
  if (std::any_of(host.begin(), host.end(), absl::ascii_isspace)) {
    return "host can't have blanks in it";
  }
  return "";
}

}  // namespace troika::policy
