// Implements the work that ./dev bench parse measures, and its baselines.
#ifndef TROIKA_BENCH_PIPELINES_H_
#define TROIKA_BENCH_PIPELINES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/backend.h"
#include "base/json.h"

namespace troika::bench {

// Counts a pipeline's output, to verify it and to keep the compiler from
// dropping it.
struct Tally {
  int64_t events = 0;
  int64_t bytes = 0;     // Length of the JSON written.
  int64_t problems = 0;  // Parse errors.
};

// Whole lines of a stream, about a megabyte in total.
struct Slice {
  absl::string_view text;
  std::vector<absl::string_view> lines;  // Without newlines.
};

std::vector<Slice> SliceStream(absl::string_view stream);

// Parses with RapidJSON alone, in situ and unchecked, one document per line.
// `scratch` is a copy of the slice with a NUL in place of each newline and is
// destroyed. Returns the number of rejected lines. Documents usually allocate
// their own memory; kPooled shares one pool, which is fastest.
enum class DocumentMemory { kOwn, kPooled };
int64_t BareRapidJson(const std::vector<absl::string_view>& lines,
                      DocumentMemory memory, std::string* scratch);

// Parses each line with base/json. Returns like BareRapidJson.
int64_t ParseLines(const std::vector<absl::string_view>& lines,
                   json::Parser* parser);

// Converts a process's stream to messages. JsonOut::kWrite also writes each as
// a line of JSON.
enum class JsonOut { kNone, kWrite };
class Pipeline {
 public:
  Pipeline(const Backend& backend, JsonOut json_out);
  ~Pipeline();

  // Feeds the bytes in chunks of 64 KiB, as from a pipe.
  void Feed(absl::string_view bytes);
  Tally Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace troika::bench

#endif  // TROIKA_BENCH_PIPELINES_H_
