#include "client/curl.h"

#include <fcntl.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace troika::client {
namespace {

constexpr long kConnectMillis = 5000;

// Once, before the first handle: libcurl's own is not thread-safe everywhere.
void InitOnce() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  (void)done;
}

}  // namespace

void CurlRequest::Prepare(const Place& place, absl::string_view path,
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
  // The token is the server's alone.
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_URL, absl::StrCat(place.url, path).c_str());
  // A task's id is any text, also one of dots.
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  if (place.is_local()) {
    // Through the folder's descriptor: paths are often longer than a socket's
    // address has room for.
    if (!home_.ok()) {
      home_ =
          UniqueFd(open(place.home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    curl_easy_setopt(
        handle, CURLOPT_UNIX_SOCKET_PATH,
        absl::StrFormat("/proc/self/fd/%d/%s", home_.get(), kServerSocket)
            .c_str());
  }
  curl_slist* list = nullptr;
  // Without it a long body waits for a "100 Continue" first.
  list = curl_slist_append(list, "Expect:");
  for (const std::string& header : headers) {
    list = curl_slist_append(list, header.c_str());
  }
  if (!place.token.empty()) {
    list = curl_slist_append(
        list, absl::StrCat("Authorization: Bearer ", place.token).c_str());
  }
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, list);
  headers_.reset(list);
}

void CurlRequest::Forget() {
  handle_.reset();
  home_.Reset();
}

absl::Status CurlRequest::Error(const Place& place, CURLcode code) const {
  const absl::string_view what =
      error_[0] != '\0' ? error_.get() : curl_easy_strerror(code);
  return absl::UnavailableError(absl::StrCat(
      "ask the server at ", place.Name(), ": ", what,
      place.is_local() ? "; `troika doctor` looks what is wrong"
                       : "; see whether it runs there, and TROIKA_URL"));
}

int CurlRequest::http_status() const {
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

bool NeverArrived(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST;
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
