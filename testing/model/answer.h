// From an answer of the script to what goes over the wire.
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

// A response, which is whole where there are no steps. The steps are sent after
// it, each in its time.
struct Output {
  // How a stream ends.
  enum class End {
    kGood,
    kCut,    // The connection closes within the body.
    kStall,  // It does not; the client leaves.
  };
  http::Response head;
  bool streams = false;
  absl::Duration wait;  // Before a whole response.
  std::vector<Step> steps;
  End end = End::kGood;
  std::string keep_alive;  // While it stalls; empty: none.
};

// `serial` is the number that ids are made of. InvalidArgument, with the line,
// where the wire can't say what the script says.
absl::StatusOr<Output> MakeOutput(const Answer& answer, const Request& request,
                                  int serial, absl::string_view folder);

// The text in so many pieces, or fewer, of about the same length, each of which
// is valid UTF-8 where the text is.
Pieces Cut(absl::string_view text, int64_t count);

// Bytes that look like chance and are the same every time.
std::string Garbage(int64_t count);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_ANSWER_H_
