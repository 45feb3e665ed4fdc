#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/price_table.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/commands/parse.h"

namespace troika::cli {
namespace {

using Output = ParseOptions::Output;

constexpr absl::string_view kHelp =
    R"(usage: troika parse --harness NAME [FLAG...] [FILE]

Reads the output of an agent's CLI from FILE or stdin, and prints each event as
a line of JSON: Event of dto/troika.proto.

  --harness NAME  the CLI: codex, claude or gemini
  --text          print lines for people instead of JSON
  --unknown       print what the parser does not know instead, with counts
  --json          with --unknown: print lines of JSON
  --resumed       the output continues an earlier conversation
  --prices FILE   estimate costs that the CLI does not report; FILE has USD for
                  a million tokens by the start of the model's name ("": any):
                  {"gpt-5": {"input": 1.25, "cached": 0.125, "output": 10}}
  --task-id ID    the taskId of the events

A line that can't be read becomes a parseError, and parsing continues.

Exit code: 0, also with parseErrors; 1 if the input can't be read or is empty; 2
if the command line is wrong.

Example:
  codex exec --json "fix the test" | troika parse --harness codex --text
)";

struct CommandLine {
  std::string harness, prices, file;
  ParseOptions options;
};

absl::StatusOr<CommandLine> ReadCommandLine(Args args) {
  CommandLine line;
  bool text = false, unknown = false, json = false, resumed = false;
  Flags flags;
  flags.Add("harness", &line.harness);
  flags.Add("text", &text);
  flags.Add("unknown", &unknown);
  flags.Add("json", &json);
  flags.Add("resumed", &resumed);
  flags.Add("prices", &line.prices);
  flags.Add("task-id", &line.options.task_id);
  const absl::StatusOr<std::vector<std::string>> files = flags.Parse(args);
  if (!files.ok()) return files.status();
  if (files->size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one file: ", absl::StrJoin(*files, " ")));
  }
  if (text && (unknown || json)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--text and ", unknown ? "--unknown" : "--json",
                     " exclude each other"));
  }
  if (line.harness.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--harness is needed; there are: ", HarnessIds()));
  }
  if (!files->empty() && files->front() != "-") {
    line.file = line.options.input_name = files->front();
  }
  line.options.output = unknown ? json ? Output::kUnknownJson : Output::kUnknown
                        : text  ? Output::kText
                                : Output::kJson;
  if (resumed) line.options.start = ParseOptions::Start::kResumed;
  return line;
}

absl::StatusOr<PriceTable> ReadPrices(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path, json::kMaxBytes);
  if (!text.ok()) return text.status();
  absl::StatusOr<PriceTable> prices = PriceTable::Parse(*text);
  if (prices.ok()) return prices;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", prices.status().message()));
}

int Run(Args args, const Io& io) {
  absl::StatusOr<CommandLine> line = ReadCommandLine(args);
  if (!line.ok()) {
    return UsageError(io, kParseCommand, line.status().message());
  }
  const absl::StatusOr<const Backend*> backend = BackendById(line->harness);
  if (!backend.ok()) {
    return UsageError(io, kParseCommand, backend.status().message());
  }
  if (!line->prices.empty()) {
    absl::StatusOr<PriceTable> prices = ReadPrices(line->prices);
    if (!prices.ok()) return Fail(io, prices.status().message());
    line->options.prices = *std::move(prices);
  }
  if (line->file.empty()) return RunParse(line->options, **backend, io);
  const absl::StatusOr<int> file = OpenToRead(line->file);
  if (!file.ok()) return Fail(io, file.status().message());
  const absl::Cleanup close_file = [&] { close(*file); };
  return RunParse(line->options, **backend,
                  {.in = *file, .out = io.out, .err = io.err});
}

}  // namespace

constinit const Command kParseCommand = {
    .name = "parse",
    .summary = "turn the output of an agent's CLI into events",
    .help = kHelp,
    .run = Run};

}  // namespace troika::cli
