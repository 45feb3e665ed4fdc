#include <unistd.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "agent/drift.h"
#include "agent/protocol.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/line_splitter.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/parse.h"
#include "dto/json.h"
#include "dto/text.h"

namespace troika::cli {
namespace {

using Output = ParseOptions::Output;

constexpr size_t kChunkBytes = size_t{1} << 20;

bool WantsEvents(Output output) {
  return output == Output::kJson || output == Output::kText;
}

std::string DriftTable(const std::vector<Drift::Entry>& entries,
                       int64_t lines) {
  if (entries.empty()) {
    return absl::StrFormat("nothing unknown in %d lines\n", lines);
  }
  std::string table = "   count  first line  what\n";
  for (const Drift::Entry& entry : entries) {
    absl::StrAppendFormat(&table, "%8d  %10d  %s\n", entry.count,
                          entry.first_record,
                          absl::Utf8SafeCHexEscape(entry.what));
  }
  return table;
}

std::string DriftJson(const std::vector<Drift::Entry>& entries) {
  std::string lines;
  for (const Drift::Entry& entry : entries) {
    absl::StrAppend(&lines,
                    json::ObjectWriter()
                        .Json("count", absl::StrCat(entry.count))
                        .Json("firstRecord", absl::StrCat(entry.first_record))
                        .String("what", entry.what)
                        .Take(),
                    "\n");
  }
  return lines;
}

Continuation ContinuationOf(const ParseOptions& options) {
  return {.total_known = options.start == ParseOptions::Start::kFresh};
}

// Feeds a protocol with a stream and writes the events.
class StreamParser {
 public:
  StreamParser(const ParseOptions& options, const Backend& backend, int out)
      : options_(options),
        out_(out),
        protocol_(backend.NewProtocol(
            {.continuation = ContinuationOf(options),
             .drift = WantsEvents(options.output) ? nullptr : &drift_,
             .wire = options.wire})) {
    if (options.prices) {
      estimator_.emplace(*options.prices, ContinuationOf(options));
    }
  }

  // Both return the first error of writing.
  absl::Status Feed(absl::string_view chunk) {
    splitter_.Feed(chunk, [this](const LineSplitter::Line& l) { OnLine(l); });
    return Flush();
  }
  absl::Status Finish() {
    splitter_.Finish([this](const LineSplitter::Line& l) { OnLine(l); });
    if (blank_) {
      return absl::InvalidArgumentError(
          absl::StrCat(options_.input_name, " is empty: no events"));
    }
    protocol_->OnNote({.number = lines_ + 1}, ProcessEnded{},
                      [this](Message&& m) { OnMessage(m); });
    if (options_.output == Output::kUnknown) {
      buffer_ += DriftTable(drift_.Entries(), lines_);
    } else if (options_.output == Output::kUnknownJson) {
      buffer_ += DriftJson(drift_.Entries());
    }
    return Flush();
  }

 private:
  void OnLine(const LineSplitter::Line& line) {
    blank_ = blank_ && absl::StripAsciiWhitespace(line.bytes).empty();
    protocol_->OnReceived({.number = ++lines_,
                           .time = std::nullopt,
                           .bytes = line.bytes,
                           .offset = line.offset,
                           .size = line.size},
                          [this](Message&& m) { OnMessage(m); });
  }

  void OnMessage(Message& message) {
    if (!WantsEvents(options_.output)) return;
    if (estimator_) estimator_->Apply(&message);
    if (options_.output == Output::kJson) {
      AppendEventJson(message, options_.task_id, &buffer_);
    } else {
      buffer_ += EventText(message);
    }
    buffer_ += '\n';
    if (buffer_.size() >= kChunkBytes) Flush().IgnoreError();
  }

  absl::Status Flush() {
    if (written_.ok()) written_ = WriteAll(out_, buffer_);
    buffer_.clear();
    return written_;
  }

  const ParseOptions& options_;
  const int out_;
  Drift drift_;
  const std::unique_ptr<Protocol> protocol_;
  std::optional<CostEstimator> estimator_;
  LineSplitter splitter_{kMaxLineBytes};
  int64_t lines_ = 0;
  bool blank_ = true;  // Only white space so far.
  std::string buffer_;
  absl::Status written_;  // The first error.
};

absl::Status ParseAll(const ParseOptions& options, const Backend& backend,
                      const Io& io) {
  StreamParser parser(options, backend, io.out);
  std::vector<char> chunk(kChunkBytes);
  while (true) {
    const absl::StatusOr<size_t> n = ReadSome(io.in, absl::MakeSpan(chunk));
    if (!n.ok()) {
      return absl::Status(
          n.status().code(),
          absl::StrCat(options.input_name, ": ", n.status().message()));
    }
    if (*n == 0) return parser.Finish();
    const absl::Status fed = parser.Feed({chunk.data(), *n});
    if (!fed.ok()) return fed;
  }
}

struct CommandLine {
  std::string harness, prices, file;
  ParseOptions options;
};

absl::StatusOr<CommandLine> ReadCommandLine(Args args) {
  CommandLine line;
  std::string wire;
  bool text = false, unknown = false, json = false, resumed = false;
  Flags flags;
  flags.Add("harness", &line.harness);
  flags.Add("text", &text);
  flags.Add("unknown", &unknown);
  flags.Add("json", &json);
  flags.Add("resumed", &resumed);
  flags.Add("wire", &wire);
  flags.Add("prices", &line.prices);
  flags.Add("task-id", &line.options.task_id);
  ASSIGN_OR_RETURN(const std::vector<std::string> files, flags.Parse(args));
  if (files.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one file: ", absl::StrJoin(files, " ")));
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
  if (!files.empty() && files.front() != "-") {
    line.file = line.options.input_name = files.front();
  }
  line.options.output = unknown ? json ? Output::kUnknownJson : Output::kUnknown
                        : text  ? Output::kText
                                : Output::kJson;
  if (!wire.empty()) {
    line.options.wire = FromName<Wire>(wire);
    if (!line.options.wire) {
      return absl::InvalidArgumentError(absl::StrCat(
          "there is no wire \"", wire,
          "\"; there are: ", absl::StrJoin(kEnumNames<Wire>, ", ")));
    }
  }
  if (resumed) line.options.start = ParseOptions::Start::kResumed;
  return line;
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

absl::StatusOr<PriceTable> ReadPrices(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, json::kMaxBytes));
  absl::StatusOr<PriceTable> prices = PriceTable::Parse(text);
  if (prices.ok()) return prices;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", prices.status().message()));
}

int RunParse(const ParseOptions& options, const Backend& backend,
             const Io& io) {
  const absl::Status done = ParseAll(options, backend, io);
  if (done.ok() || absl::IsCancelled(done)) return kExitOk;
  return Fail(io, done.message());
}

constinit const Command kParseCommand = {
    .name = "parse",
    .summary = "turn the output of an agent's CLI into events",
    .help = kParseHelp,
    .run = Run};

}  // namespace troika::cli
