// Converts an answer of the script to an HTTP response.
#ifndef TROIKA_TESTING_MODEL_ANSWER_H_
#define TROIKA_TESTING_MODEL_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "http/message.h"
#include "testing/model/events.h"
#include "testing/model/request.h"
#include "testing/model/script.h"

namespace troika::model {

// A response, which is complete if there are no steps. The steps are sent after
// it, each after its delay.
struct Output {
  // How a stream ends.
  enum class End {
    kGood,
    kCut,    // The connection is closed within the body.
    kStall,  // Nothing more is sent; the client must give up.
  };
  http::Response head;
  bool streams = false;
  absl::Duration wait;  // Delay before a complete response.
  std::vector<Step> steps;
  End end = End::kGood;
  std::string keep_alive;  // Sent while it stalls; empty: nothing.
};

// Ids are derived from `serial`. InvalidArgument names the line if the wire
// can't express the script's answer.
absl::StatusOr<Output> MakeOutput(const Answer& answer, const Request& request,
                                  int serial, absl::string_view folder);

// Splits the text into at most `count` pieces of about the same length, each of
// which is valid UTF-8 if the text is.
Pieces Cut(absl::string_view text, int64_t count);

// Returns pseudo-random bytes, the same each time.
std::string Garbage(int64_t count);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_ANSWER_H_
