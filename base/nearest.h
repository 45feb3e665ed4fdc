// Suggests corrections of typing errors.
#ifndef TROIKA_BASE_NEAREST_H_
#define TROIKA_BASE_NEAREST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika {

// Returns the candidate most similar to `word`, or "" if none is similar.
std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& candidates);

}  // namespace troika

#endif  // TROIKA_BASE_NEAREST_H_
