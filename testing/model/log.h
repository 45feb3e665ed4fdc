// Writes the lines of --log.
#ifndef TROIKA_TESTING_MODEL_LOG_H_
#define TROIKA_TESTING_MODEL_LOG_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "http/message.h"
#include "testing/model/request.h"

namespace troika::model {

// Returns "main", "side" or "unknown".
absl::string_view KindName(Purpose purpose);

// Describes a request, without headers that contain secrets. `answer` is the
// number of the answer that it used. Ends with a newline, as all lines here do.
std::string RequestLine(const http::Request& http, Wire wire, Purpose purpose,
                        std::optional<int> answer);
std::string NoteLine(absl::string_view note, int answer);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_LOG_H_
