// Leaves nothing of an event but its kind, ids, times and numbers: for a task
// whose secrets are not known.
#ifndef TROIKA_DTO_WITHHOLD_H_
#define TROIKA_DTO_WITHHOLD_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika {

inline constexpr absl::string_view kWithheld = "[withheld]";

// `json` from `from` on is one event, perhaps with a line end. It still reads
// as an event of the same kind.
void WithholdEvent(std::string* json, size_t from);

}  // namespace troika

#endif  // TROIKA_DTO_WITHHOLD_H_
