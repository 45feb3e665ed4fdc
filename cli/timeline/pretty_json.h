#ifndef TROIKA_CLI_TIMELINE_PRETTY_JSON_H_
#define TROIKA_CLI_TIMELINE_PRETTY_JSON_H_

#include <string>
#include <vector>

#include "base/json.h"

namespace troika::cli {

// `value` as JSON that a person can read, a member or element a line. Within a
// string a new line begins after each \n. Everything in it is shown, members of
// the same name too, and each line is exact (exact_text.h).
std::vector<std::string> PrettyJson(json::Value value);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_PRETTY_JSON_H_
