#include "agent/line_head.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

// Removes a string with its quotes from `rest`; empty if there is none.
absl::string_view TakeString(absl::string_view* rest) {
  if (rest->empty() || (*rest)[0] != '"') return "";
  for (size_t i = 1; i < rest->size(); ++i) {
    if ((*rest)[i] == '\\') {
      ++i;
    } else if ((*rest)[i] == '"') {
      const absl::string_view taken = rest->substr(0, i + 1);
      rest->remove_prefix(i + 1);
      return taken;
    }
  }
  return "";
}

// Does the same with a string, a number, true, false or null.
absl::string_view TakeScalar(absl::string_view* rest) {
  if (!rest->empty() && (*rest)[0] == '"') return TakeString(rest);
  const size_t end = rest->find_first_of(",}]{[\": \t\r");
  if (end == absl::string_view::npos) return "";
  const absl::string_view taken = rest->substr(0, end);
  rest->remove_prefix(end);
  return taken;
}

bool TakeSign(absl::string_view sign, absl::string_view* rest) {
  *rest = absl::StripLeadingAsciiWhitespace(*rest);
  const bool taken = absl::ConsumePrefix(rest, sign);
  *rest = absl::StripLeadingAsciiWhitespace(*rest);
  return taken;
}

}  // namespace

std::string LineHead(absl::string_view start) {
  std::string members;
  if (!TakeSign("{", &start)) return "{}";
  while (true) {
    const absl::string_view key = TakeString(&start);
    if (key.empty() || !TakeSign(":", &start)) break;
    const absl::string_view value = TakeScalar(&start);
    // A value is known to be complete only if a comma follows.
    if (value.empty() || !TakeSign(",", &start)) break;
    absl::StrAppend(&members, members.empty() ? "" : ",", key, ":", value);
  }
  return absl::StrCat("{", members, "}");
}

}  // namespace troika
