// Requests as the query of a URL: each field by its name of the .proto.
#ifndef TROIKA_CLIENT_QUERY_H_
#define TROIKA_CLIENT_QUERY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "dto/troika.pb.h"

namespace troika::client {

// Empty values and zeros are left out: they filter nothing.
class Query {
 public:
  void Add(absl::string_view name, absl::string_view value);
  void Add(absl::string_view name, int value);
  // "?states=idle&text=x"; empty where nothing was added.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string QueryOf(const v1::ListTasksRequest& request);
std::string QueryOf(const v1::UsageRequest& request);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_QUERY_H_
