// Whether a request is what the script expects.
#ifndef TROIKA_TESTING_MODEL_EXPECT_H_
#define TROIKA_TESTING_MODEL_EXPECT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/message.h"
#include "testing/model/request.h"
#include "testing/model/script.h"

namespace troika::model {

struct Mismatch {
  int line = 0;
  std::string text;  // What was expected, and what came instead.
};

// In the order of the script; empty where all holds. `folder` stands for
// ${cwd}.
std::vector<Mismatch> CheckExpectations(const Answer& answer,
                                        const Request& request,
                                        const http::Request& http,
                                        absl::string_view folder);

// What the request is about, for a person: the newest texts, results, tools.
std::string Describe(const Request& request);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_EXPECT_H_
