// HTTP requests by libcurl, for ApiClient and EventStream.
#ifndef TROIKA_CLIENT_CURL_H_
#define TROIKA_CLIENT_CURL_H_

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "client/address.h"

namespace troika::client {

// libcurl's handles are all void*.
template <auto kDelete>
struct CurlDeleter {
  template <typename T>
  void operator()(T* handle) const {
    kDelete(handle);
  }
};
using CurlHandle = std::unique_ptr<CURL, CurlDeleter<&curl_easy_cleanup>>;
using CurlMulti = std::unique_ptr<CURLM, CurlDeleter<&curl_multi_cleanup>>;
using CurlHeaders =
    std::unique_ptr<curl_slist, CurlDeleter<&curl_slist_free_all>>;

// Sends one request after the other to a server over one connection.
class CurlRequest {
 public:
  CurlRequest() = default;
  CurlRequest(CurlRequest&&) = default;
  CurlRequest& operator=(CurlRequest&&) = default;

  // Sets up a request for `path` ("/api/v1/tasks?…") with `headers`
  // ("Accept: …") and the token. `*this` must not move until the request ends.
  void Prepare(const ServerAddress& address, absl::string_view path,
               const std::vector<std::string>& headers);

  // Drops the connection and the state folder's descriptor, because the folder
  // may have been replaced.
  void Reset();

  CURL* handle() const { return handle_.get(); }
  // Unavailable, with the reason for `code` and what to do about it.
  absl::Status Error(const ServerAddress& address, CURLcode code) const;
  // 0 if no reply came.
  int http_status() const;

 private:
  // These three outlive the handle, which refers to them.
  std::unique_ptr<char[]> error_;
  CurlHeaders headers_;
  UniqueFd home_;  // State folder, through which the socket is reached.
  CurlHandle handle_;
};

// Whether the transfer failed before the server got the request.
bool NeverArrived(CURLcode code);

// Reads the error in a reply: an Error message, binary or JSON, or anything
// else if it was not our server that replied. Never OK.
absl::Status ErrorFromBody(int http, absl::string_view body);

// Escapes a name or value for a path or a query.
std::string UrlEscaped(absl::string_view text);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_CURL_H_
