// The work that ./dev bench parse times, and what it is compared with.
#ifndef TROIKA_BENCH_PIPELINES_H_
#define TROIKA_BENCH_PIPELINES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/backend.h"

namespace troika::bench {

// What a run made: so that no compiler leaves it out, and to compare runs.
struct Tally {
  int64_t events = 0;
  int64_t bytes = 0;     // Of JSON text written.
  int64_t problems = 0;  // Lines refused, and parse errors.
};

// The lines of `stream`, without their ends.
std::vector<absl::string_view> SplitLines(absl::string_view stream);

// RapidJSON alone, in situ, with nothing checked, a document a line. `scratch`
// is a copy of the stream with a NUL for each end of line, and is used up.
Tally BareRapidJson(const std::vector<absl::string_view>& lines,
                    std::string* scratch);

// base/json over each line.
Tally ParseLines(const std::vector<absl::string_view>& lines);

// A stream as it comes from a process, in chunks of 64 KiB, to messages. With
// `JsonOut::kWrite` each becomes a line of JSON besides.
enum class JsonOut { kNone, kWrite };
class Pipeline {
 public:
  Pipeline(const Backend& backend, JsonOut json_out);
  ~Pipeline();

  void Feed(absl::string_view chunk);
  Tally Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Tally RunPipeline(const Backend& backend, JsonOut json_out,
                  absl::string_view stream);

}  // namespace troika::bench

#endif  // TROIKA_BENCH_PIPELINES_H_
