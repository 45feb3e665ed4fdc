// Turns the recorded or live output of a CLI into events, for `troika parse`.
#ifndef TROIKA_CLI_COMMANDS_PARSE_H_
#define TROIKA_CLI_COMMANDS_PARSE_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "agent/backend.h"
#include "agent/price_table.h"
#include "cli/io.h"

namespace troika::cli {

struct ParseOptions {
  enum class Output {
    kJson,         // An event on each line: dto/json.h.
    kText,         // An event on each line: dto/text.h.
    kUnknown,      // A table of what the parser does not know.
    kUnknownJson,  // The same as lines of JSON.
  };
  enum class Start { kFresh, kResumed };

  Output output = Output::kJson;
  Start start = Start::kFresh;
  std::optional<Wire> wire;  // Unset: the harness's first one.
  std::string task_id;
  std::optional<PriceTable> prices;
  std::string input_name = "stdin";  // For errors.
};

// Reads io.in to its end and writes to io.out after each read, so that a live
// stream shows at once. Memory does not grow with the stream. Returns the exit
// code: kExitFailure if the input is empty or can't be read, or the output
// can't be written; it is not an error if the reader of io.out is gone.
int RunParse(const ParseOptions& options, const Backend& backend, const Io& io);

// Reads the file of --prices. InvalidArgument names the file and what is wrong.
absl::StatusOr<PriceTable> ReadPrices(const std::string& path);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_PARSE_H_
