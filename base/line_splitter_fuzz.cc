#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/line_splitter.h"

namespace troika {
namespace {

struct Line {
  std::string bytes;
  int64_t offset;
  int64_t size;

  bool operator==(const Line&) const = default;
};

struct Limits {
  int64_t max_bytes;
  int64_t kept_bytes;
};

// The simple implementation, for a text that is known as a whole.
std::vector<Line> SplitWhole(absl::string_view text, Limits limits) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    absl::string_view line = text.substr(begin, end - begin);
    absl::ConsumeSuffix(&line, "\r");
    const auto size = static_cast<int64_t>(line.size());
    if (size > limits.max_bytes) line = line.substr(0, limits.kept_bytes);
    lines.push_back({std::string(line), static_cast<int64_t>(begin), size});
    begin = end + 1;
  }
  return lines;
}

std::vector<Line> SplitChunks(absl::string_view text, size_t step,
                              Limits limits) {
  std::vector<Line> lines;
  const auto sink = [&](const LineSplitter::Line& line) {
    lines.push_back({std::string(line.bytes), line.offset, line.size});
  };
  LineSplitter splitter(limits.max_bytes, limits.kept_bytes);
  for (size_t i = 0; i < text.size(); i += step) {
    splitter.Feed(text.substr(i, step), sink);
  }
  splitter.Finish(sink);
  return lines;
}

}  // namespace
}  // namespace troika

// The first byte selects the limits, the rest is the text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  const troika::Limits limits = {.max_bytes = 1 + data[0] % 64,
                                 .kept_bytes = 1 + data[0] % 64 / 2};
  const auto expected = troika::SplitWhole(text, limits);
  for (const size_t step : {1, 2, 3, 7, 64, 1 << 20}) {
    CHECK(troika::SplitChunks(text, step, limits) == expected);
  }
  return 0;
}
