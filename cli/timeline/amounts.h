// Formats numbers for people.
#ifndef TROIKA_CLI_TIMELINE_AMOUNTS_H_
#define TROIKA_CLI_TIMELINE_AMOUNTS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"

namespace troika::cli {

// 950, 3.4k, 12k, 1.2M.
std::string CountText(int64_t count);

// 0.4s, 5s, 3m 05s, 2h 10m.
std::string DurationText(absl::Duration duration);

// "3.6k in, 400 cached, 90 out"; empty if all are 0.
std::string TokensText(const TokenCounts& tokens);

// "$0.0066", or "about $1.20" for an estimate; empty if it is not known.
std::string CostText(const Cost& cost);

// Stands for a cost in tables where none is known.
inline constexpr absl::string_view kUnknownCost = "–";

// "1 line", "2 lines".
std::string LinesText(int64_t lines);
// "… 2 more lines".
std::string MoreLinesText(int64_t lines);

// "3 denied: Bash, Write"; empty if nothing was denied.
std::string DenialsText(const Result& result);

}  // namespace troika::cli

#endif  // TROIKA_CLI_TIMELINE_AMOUNTS_H_
