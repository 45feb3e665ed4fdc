// What our use of libcurl has in common.
#ifndef TROIKA_CLIENT_CURL_H_
#define TROIKA_CLIENT_CURL_H_

#include <curl/curl.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/fd.h"
#include "client/place.h"

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

// One request after the other to one server; its connection stays open.
class CurlRequest {
 public:
  CurlRequest() = default;
  CurlRequest(CurlRequest&&) = default;
  CurlRequest& operator=(CurlRequest&&) = default;

  // Begins a request for `path` ("/api/v1/tasks?…"), with the headers
  // ("Accept: …") and the token. `*this` must stay where it is until its end.
  void Prepare(const Place& place, absl::string_view path,
               const std::vector<std::string>& headers);

  // The connection, and where it led: the folder may be another one by now.
  void Forget();

  CURL* handle() const { return handle_.get(); }
  // Unavailable, with what to do: that the transfer ended in `code`.
  absl::Status Error(const Place& place, CURLcode code) const;
  // 0 where no answer came.
  int http_status() const;

 private:
  std::unique_ptr<char[]>
      error_;  // This, and the next two, outlive the handle.
  CurlHeaders headers_;
  UniqueFd home_;  // Through which the socket is reached.
  CurlHandle handle_;
};

// Whether the server never heard of the request.
bool NeverArrived(CURLcode code);

// A name or a value as a part of a path or a query.
std::string UrlEscaped(absl::string_view text);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_CURL_H_
