// Checks whether a request meets the script's expectations.
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
  std::string text;  // The expectation and what came instead.
};

// Returns the mismatches in the order of the script. `folder` replaces ${cwd}.
std::vector<Mismatch> CheckExpectations(const Answer& answer,
                                        const Request& request,
                                        const http::Request& http,
                                        absl::string_view folder);

// Summarizes the request for people: its newest texts, results, tools.
std::string Describe(const Request& request);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_EXPECT_H_
