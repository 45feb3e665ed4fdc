#include "agent/message.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika {

TokenCounts& TokenCounts::operator+=(const TokenCounts& other) {
  const auto add = [](int64_t more, int64_t* sum) {
    if (__builtin_add_overflow(*sum, more, sum)) {
      *sum = std::numeric_limits<int64_t>::max();
    }
  };
  add(other.input, &input);
  add(other.cached, &cached);
  add(other.cache_write, &cache_write);
  add(other.output, &output);
  add(other.reasoning, &reasoning);
  return *this;
}

TokenCounts TokenCounts::Since(const TokenCounts& earlier) const {
  const auto since = [](int64_t now, int64_t then) {
    return std::max<int64_t>(0, now - then);
  };
  return {.input = since(input, earlier.input),
          .cached = since(cached, earlier.cached),
          .cache_write = since(cache_write, earlier.cache_write),
          .output = since(output, earlier.output),
          .reasoning = since(reasoning, earlier.reasoning)};
}

void HideAnswers(Question::Item& item) {
  if (item.secret && !item.answers.empty()) {
    item.answers = {std::string(kHiddenAnswer)};
  }
}

std::optional<EventId> ParseEventId(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('.', 1));
  EventId id;
  const auto digits = [](absl::string_view part) {
    return !part.empty() &&
           std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
  };
  if (!digits(parts.first) || !digits(parts.second) ||
      !absl::SimpleAtoi(parts.first, &id.record) ||
      !absl::SimpleAtoi(parts.second, &id.index)) {
    return std::nullopt;
  }
  return id;
}

std::string EventIdText(const EventId& id) {
  return absl::StrCat(id.record, ".", id.index);
}

}  // namespace troika
