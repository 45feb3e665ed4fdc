#include "client/curl.h"

#include <fcntl.h>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/version.h"
#include "dto/status.h"
#include "task/home.h"

namespace troika::client {
namespace {

constexpr long kConnectMillis = 5000;

// libcurl's own initialization is not thread-safe everywhere.
void InitOnce() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)done;
}

}  // namespace

void CurlRequest::Prepare(const ServerAddress& address, absl::string_view path,
                          const std::vector<std::string>& headers) {
  InitOnce();
  if (handle_ == nullptr) {
    handle_.reset(curl_easy_init());
    error_ = std::make_unique<char[]>(CURL_ERROR_SIZE);
  }
  CURL* const handle = handle_.get();
  // Keeps the connection.
  curl_easy_reset(handle);
  error_[0] = '\0';
  curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error_.get());
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMillis);
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_USERAGENT,
                   absl::StrCat("troika/", kVersion).c_str());
  // No proxy may see the token.
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_URL,
                   absl::StrCat(address.url, path).c_str());
  // A task's id may consist of dots.
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  if (address.is_local()) {
    // The path goes through the folder's descriptor, because a socket's address
    // has room for 107 bytes only.
    if (!home_.ok()) {
      home_ = UniqueFd(
          open(address.home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    curl_easy_setopt(
        handle, CURLOPT_UNIX_SOCKET_PATH,
        absl::StrFormat("/proc/self/fd/%d/%s", home_.get(), kServerSocket)
            .c_str());
  }
  curl_slist* list = nullptr;
  // Otherwise libcurl waits for "100 Continue" before it sends a long body.
  list = curl_slist_append(list, "Expect:");
  for (const std::string& header : headers) {
    list = curl_slist_append(list, header.c_str());
  }
  if (!address.token.empty()) {
    list = curl_slist_append(
        list, absl::StrCat("Authorization: Bearer ", address.token).c_str());
  }
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
  headers_.reset(list);
}

void CurlRequest::Reset() {
  handle_.reset();
  home_.Reset();
}

absl::Status CurlRequest::Error(const ServerAddress& address,
                                CURLcode code) const {
  const absl::string_view what =
      error_[0] != '\0' ? error_.get() : curl_easy_strerror(code);
  return absl::UnavailableError(absl::StrCat(
      "connect to the server at ", address.Name(), ": ", what,
      address.is_local()
          ? "; `troika doctor` finds out what is wrong"
          : "; check that it runs there and that TROIKA_URL is right"));
}

int CurlRequest::http_status() const {
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool NeverArrived(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
}

absl::Status ErrorFromBody(int http, absl::string_view body) {
  v1::Error error;
  // A binary Error can't begin with this byte.
  if (absl::StartsWith(body, "{")) {
    json::Parser parser;
    const absl::StatusOr<json::Value> parsed = parser.Parse(body);
    if (parsed.ok()) {
      error.set_code(std::string(parsed->Get("code").StringOr("")));
      error.set_message(std::string(parsed->Get("message").StringOr("")));
    }
  } else if (!error.ParseFromArray(body.data(),
                                   static_cast<int>(body.size())) ||
             error.code().empty()) {
    error.Clear();
  }
  return FromError(http, error);
}

std::string UrlEscaped(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
        absl::string_view("-._~").find(c) != absl::string_view::npos) {
      out += c;
    } else {
      absl::StrAppendFormat(&out, "%%%02X", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace troika::client
