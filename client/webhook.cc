#include "client/webhook.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/version.h"
#include "client/curl.h"

namespace troika::client {
namespace {

constexpr size_t kMaxKept = 300;  // Bytes of the reply, for errors.
constexpr size_t kMaxReply = size_t{1} << 16;
constexpr curl_off_t kMaxRetryAfter = 24 * 3600;

struct ReplyBody {
  std::string beginning;
  size_t size = 0;
};

size_t OnBytes(char* bytes, size_t, size_t count, void* to) {
  ReplyBody& body = *static_cast<ReplyBody*>(to);
  body.size += count;
  body.beginning.append(bytes,
                        std::min(count, kMaxKept - body.beginning.size()));
  // Another count ends the transfer. The status has come before.
  return body.size > kMaxReply ? 0 : count;
}

}  // namespace

WebhookReply PostWebhook(const WebhookRequest& request) {
  const CurlHandle handle(curl_easy_init());
  if (handle == nullptr) return {.error = "libcurl can't be initialized"};
  CURL* const curl = handle.get();
  char error[CURL_ERROR_SIZE] = "";
  ReplyBody body;
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : request.headers) {
    list = curl_slist_append(list, header.c_str());
  }
  const CurlHeaders headers(list);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(request.timeout_ms));
  curl_easy_setopt(curl, CURLOPT_USERAGENT,
                   absl::StrCat("troika/", kVersion).c_str());
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &OnBytes);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  const CURLcode code = curl_easy_perform(curl);
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  // What comes after the status does not matter: a body may be cut or endless.
  if (code != CURLE_OK && status < 200) {
    return {.error = error[0] != '\0' ? error : curl_easy_strerror(code)};
  }
  curl_off_t retry_after = 0;
  curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &retry_after);
  return {
      .status = static_cast<int>(status),
      .retry_after_seconds = static_cast<int>(
          std::clamp<curl_off_t>(retry_after, 0, kMaxRetryAfter)),
      .error = json::ToValidUtf8(absl::StripAsciiWhitespace(body.beginning))};
}

}  // namespace troika::client
