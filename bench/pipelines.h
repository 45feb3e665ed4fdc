// The work that ./dev bench parse times, and what it is compared with.
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

// What a pipeline made: so that no compiler leaves it out, and to check it.
struct Tally {
  int64_t events = 0;
  int64_t bytes = 0;     // Of JSON text written.
  int64_t problems = 0;  // Parse errors.
};

// Whole lines of a stream, about a megabyte.
struct Slice {
  absl::string_view text;
  std::vector<absl::string_view> lines;  // Without their ends.
};

std::vector<Slice> SliceStream(absl::string_view stream);

// RapidJSON alone, in situ, with nothing checked, a document a line. `scratch`
// is a copy of the slice with a NUL for each end of line, and is used up.
// Returns how many lines it refused. Documents usually get their memory
// themselves; kPooled gives all of them the same, the fastest way there is.
enum class DocumentMemory { kOwn, kPooled };
int64_t BareRapidJson(const std::vector<absl::string_view>& lines,
                      DocumentMemory memory, std::string* scratch);

// base/json over each line; as BareRapidJson.
int64_t ParseLines(const std::vector<absl::string_view>& lines,
                   json::Parser* parser);

// A stream as it comes from a process, to messages. With `JsonOut::kWrite` each
// becomes a line of JSON besides.
enum class JsonOut { kNone, kWrite };
class Pipeline {
 public:
  Pipeline(const Backend& backend, JsonOut json_out);
  ~Pipeline();

  // In chunks of 64 KiB, as from a pipe.
  void Feed(absl::string_view bytes);
  Tally Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace troika::bench

#endif  // TROIKA_BENCH_PIPELINES_H_
