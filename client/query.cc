#include "client/query.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "client/curl.h"

namespace troika::client {
namespace {

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E*SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

}  // namespace

void Query::Add(absl::string_view name, absl::string_view value) {
  if (value.empty()) return;
  absl::StrAppend(&text_, text_.empty() ? "?" : "&", name, "=",
                  UrlEscaped(value));
}

void Query::Add(absl::string_view name, int value) {
  if (value != 0) Add(name, absl::StrCat(value));
}

std::string QueryOf(const v1::ListTasksRequest& request) {
  Query query;
  for (const int state : request.states()) {
    query.Add("states",
              v1::Task::State_Name(static_cast<v1::Task::State>(state)));
  }
  for (const std::string& harness : request.harnesses()) {
    query.Add("harnesses", harness);
  }
  query.Add("cwd", request.cwd());
  // Sorted, so that equal requests have equal queries.
  const std::map<std::string, std::string> labels(request.labels().begin(),
                                                  request.labels().end());
  for (const auto& [key, value] : labels) {
    query.Add("labels", absl::StrCat(key, "=", value));
  }
  query.Add("text", request.text());
  query.Add("page_size", request.page_size());
  query.Add("page_token", request.page_token());
  return query.text();
}

std::string QueryOf(const v1::UsageRequest& request) {
  Query query;
  if (request.has_since()) query.Add("since", TimeText(request.since()));
  if (request.has_until()) query.Add("until", TimeText(request.until()));
  return query.text();
}

}  // namespace troika::client
