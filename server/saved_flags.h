// Remembers the flags of `troika serve` while it runs.
//
// The file is removed when that server stops. If it was killed, the file tells
// the automatic server that follows where to listen and which limits to keep.
#ifndef TROIKA_SERVER_SAVED_FLAGS_H_
#define TROIKA_SERVER_SAVED_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace troika {

// All take the descriptor of the state folder.
absl::Status SaveFlags(int home_fd, absl::Span<const std::string> flags);
// The flags, or nothing if there are none of this boot of the machine.
std::optional<std::vector<std::string>> ReadSavedFlags(int home_fd);
void RemoveSavedFlags(int home_fd);

}  // namespace troika

#endif  // TROIKA_SERVER_SAVED_FLAGS_H_
