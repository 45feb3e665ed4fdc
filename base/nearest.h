// What somebody may have meant.
#ifndef TROIKA_BASE_NEAREST_H_
#define TROIKA_BASE_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika {

// The candidate that most looks like `word`; empty where none does.
std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& candidates);

}  // namespace troika

#endif  // TROIKA_BASE_NEAREST_H_
