#include "cli/commands/parse.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "agent/drift.h"
#include "agent/protocol.h"
#include "base/json.h"
#include "base/line_splitter.h"
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
    absl::StrAppend(&lines, "{\"count\":", entry.count,
                    ",\"firstRecord\":", entry.first_record, ",\"what\":");
    json::AppendQuoted(entry.what, &lines);
    lines += "}\n";
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
             .drift = WantsEvents(options.output) ? nullptr : &drift_})) {
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

}  // namespace

int RunParse(const ParseOptions& options, const Backend& backend,
             const Io& io) {
  const absl::Status done = ParseAll(options, backend, io);
  if (done.ok() || absl::IsCancelled(done)) return kExitOk;
  return Fail(io, done.message());
}

}  // namespace troika::cli
