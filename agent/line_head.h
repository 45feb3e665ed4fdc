// The beginning of a line that is too long to be parsed.
#ifndef TROIKA_AGENT_LINE_HEAD_H_
#define TROIKA_AGENT_LINE_HEAD_H_

#include <string>

#include "absl/strings/string_view.h"

namespace troika {

// Returns an object of the first members of the object that begins with
// `start`, up to one that is an array, an object or not complete:
//   {"id":7,"method":"ask","params":{"a":…   becomes {"id":7,"method":"ask"}
// Whatever is not JSON ends it, too. The result may still have to be refused by
// a parser.
std::string LineHead(absl::string_view start);

}  // namespace troika

#endif  // TROIKA_AGENT_LINE_HEAD_H_
