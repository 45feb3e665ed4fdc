// Turns a recorded or a live native stream into events: `troika parse`.
#ifndef TROIKA_CLI_COMMANDS_PARSE_H_
#define TROIKA_CLI_COMMANDS_PARSE_H_

#include <optional>
#include <string>

#include "agent/backend.h"
#include "agent/price_table.h"
#include "cli/io.h"

namespace troika::cli {

struct ParseOptions {
  enum class Output {
    kJson,         // An event a line: dto/json.h.
    kText,         // An event a line: dto/text.h.
    kUnknown,      // A table of what the parser does not know.
    kUnknownJson,  // The same, a JSON object a line.
  };
  enum class Start { kFresh, kResumed };

  Output output = Output::kJson;
  Start start = Start::kFresh;
  std::string task_id;
  std::optional<PriceTable> prices;
  std::string input_name = "stdin";  // For messages about it.
};

// Reads io.in to its end and writes to io.out after each read, so that a live
// stream shows at once. Memory is flat in the stream's length. Returns the exit
// code: a failure where nothing came or something can't be read or written;
// a reader of io.out that leaves is none.
int RunParse(const ParseOptions& options, const Backend& backend, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_PARSE_H_
