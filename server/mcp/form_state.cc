#include "server/mcp/form_state.h"

#include <cstdint>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "relay/log_format.h"

namespace troika {
namespace {

constexpr absl::string_view kPrefix = "form";

}  // namespace

std::string WriteFormState(const FormState& state) {
  return absl::StrCat(kPrefix, ".", absl::ToUnixMillis(state.opened), ".",
                      state.task, ".", state.question);
}

std::optional<FormState> ReadFormState(absl::string_view text, absl::Time now) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 3));
  int64_t millis = 0;
  if (parts.size() != 4 || parts[0] != kPrefix ||
      !absl::SimpleAtoi(parts[1], &millis) || !relay::IsTaskId(parts[2]) ||
      parts[3].empty() || millis < 0 || millis > absl::ToUnixMillis(now)) {
    return std::nullopt;
  }
  return FormState{.task = std::string(parts[2]),
                   .question = std::string(parts[3]),
                   .opened = absl::FromUnixMillis(millis)};
}

}  // namespace troika
