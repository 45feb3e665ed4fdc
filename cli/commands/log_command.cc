#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/timeline/terminal_text.h"
#include "relay/log_reader.h"
#include "task/follower.h"
#include "task/home.h"

namespace troika::cli {
namespace {

// In the order of relay::Stream.
constexpr absl::string_view kStreams[] = {"out", "err", "in", "note"};

struct CommandLine {
  enum class Form { kTable, kRaw };
  std::string task;
  std::optional<relay::Stream> stream;
  Form form = Form::kTable;
};

absl::StatusOr<CommandLine> ReadCommandLine(Args args) {
  std::string stream;
  bool raw = false;
  Flags flags;
  flags.Add("stream", &stream);
  flags.Add("raw", &raw);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  CommandLine line;
  ASSIGN_OR_RETURN(line.task, ReadTask(words));
  if (raw) line.form = CommandLine::Form::kRaw;
  for (size_t i = 0; i < std::size(kStreams); ++i) {
    if (kStreams[i] == stream) line.stream = static_cast<relay::Stream>(i);
  }
  if (!stream.empty() && !line.stream) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--stream ", stream, " is not one of ", absl::StrJoin(kStreams, ", ")));
  }
  return line;
}

class Printer : public relay::LogSink {
 public:
  Printer(const CommandLine* line, const Io& io) : line_(*line), io_(io) {}

  void OnRecord(const relay::LogRecord& record) override {
    if (line_.stream && record.stream != *line_.stream) return;
    if (line_.form == CommandLine::Form::kRaw) {
      absl::StrAppend(&buffer_, record.payload,
                      record.end == relay::LineEnd::kNewline ? "\n" : "");
    } else {
      const bool goes_on = record.end == relay::LineEnd::kContinued;
      absl::StrAppendFormat(
          &buffer_, "%6d %s %-4s%s %s %s\n", record.number,
          absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ",
                           absl::FromUnixMicros(record.micros),
                           absl::UTCTimeZone()),
          kStreams[static_cast<int>(record.stream)], goes_on ? "…" : " ",
          record.key.empty() ? "-" : Escaped(record.key),
          Escaped(record.payload));
    }
    if (buffer_.size() > (size_t{1} << 18)) Flush();
  }

  void OnDamage(const relay::Damage& damage) override {
    damaged_ = true;
    // Keeps the order of the log between stdout and stderr.
    Flush();
    Fail(io_,
         absl::StrCat("damage after record ", damage.after_record, " at byte ",
                      damage.offset, ", ", damage.bytes,
                      " bytes: ", damage.what, ": ", Escaped(damage.snippet)));
  }

  const absl::Status& Flush() {
    if (written_.ok()) written_ = WriteAll(io_.out, buffer_);
    buffer_.clear();
    return written_;
  }
  bool damaged() const { return damaged_; }

 private:
  const CommandLine& line_;
  const Io io_;
  std::string buffer_;
  absl::Status written_;  // The first error.
  bool damaged_ = false;
};

absl::Status PrintLog(relay::LogReader& reader, Printer& printer) {
  // A log may have gigabytes: stops reading it if our reader is gone.
  constexpr int64_t kAtOnce = int64_t{16} << 20;
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(printer, kAtOnce));
    RETURN_IF_ERROR(printer.Flush());
  } while (read > 0);
  reader.Finish(printer);
  return printer.Flush();
}

// Finds a task by its id, the beginning of one, or `latest`.
absl::StatusOr<TaskFolder> FindTask(const Environment& environment,
                                    absl::string_view name) {
  ASSIGN_OR_RETURN(const Home home, Home::Open(environment));
  if (name != "latest") return home.FindTask(name);
  const std::vector<std::string> ids = home.TaskIds();
  if (ids.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no task in ", home.path(), "/tasks yet: `troika run` starts one"));
  }
  return home.FindTask(ids.front());
}

int Run(Args args, const Io& io) {
  const absl::StatusOr<CommandLine> line = ReadCommandLine(args);
  if (!line.ok()) return UsageError(io, kLogCommand, line.status().message());
  std::string task = line->task;
  if (const auto server = FindServer(); task == "latest" && server.ok()) {
    // Without a server it is the newest of all.
    FindLatest((*server)->api, io, &task).IgnoreError();
  }
  const auto folder = FindTask(ProcessEnvironment(), task);
  if (!folder.ok()) {
    Fail(io, folder.status().message());
    return kExitUsage;
  }
  absl::StatusOr<relay::LogReader> reader = OpenLog(*folder);
  if (!reader.ok()) return Fail(io, reader.status().message());
  Printer printer(&*line, io);
  const absl::Status done = PrintLog(*reader, printer);
  // It is not an error if the reader is gone.
  if (!done.ok() && !absl::IsCancelled(done)) {
    return Fail(io, absl::StrCat("task ", folder->id, ": ", done.message()));
  }
  return printer.damaged() ? kExitFailure : kExitOk;
}

}  // namespace

constinit const Command kLogCommand = {
    .name = "log",
    .summary = "print the records of a task's log",
    .help = kLogHelp,
    .run = Run};

}  // namespace troika::cli
