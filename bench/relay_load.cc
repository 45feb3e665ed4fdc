#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "agent/registry.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "bench/generate.h"
#include "bench/pipelines.h"
#include "bench/program.h"
#include "bench/relay_measures.h"
#include "bench/report.h"
#include "relay/log_writer.h"
#include "relay/testing.h"
#include "task/home.h"
#include "task/load_testing.h"
#include "task/notes.h"

namespace troika::bench {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kBatch = kMegabyte;
constexpr double kMaxSeconds = 5;  // For a gigabyte.
// Size of a small log, whose memory is compared with that of the whole one.
constexpr int64_t kSmall = 100 * kMegabyte;

std::unique_ptr<Session> NewSession(Harness harness) {
  switch (harness) {
    case Harness::kCodex:
      return NewCodexSession(1);
    case Harness::kClaude:
    case Harness::kDemo:
      return NewClaudeSession(1);
    case Harness::kAcp:
    case Harness::kGemini:
      break;
  }
  return NewGeminiSession(1);
}

// The agent's lines alone, beside the log.
constexpr char kLinesName[] = "lines.jsonl";

// Writes a task whose log has about `bytes`, and its lines.
absl::Status WriteLog(Harness harness, int64_t bytes,
                      const TempFolder& folder) {
  SystemClock clock;
  ASSIGN_OR_RETURN(relay::LogWriter log,
                   relay::LogWriter::Open(folder.fd(), "bench", &clock));
  const auto note = [&](const notes::Note& n) {
    log.Append({.payload = notes::ToJson(n)});
  };
  note(notes::Request{.task = "bench",
                      .harness = std::string(HarnessId(harness)),
                      .prompt = "go",
                      .cwd = "/"});
  note(notes::Turn{.turn = 1, .prompt = "go", .by = "user"});
  note(notes::Spawned{.generation = 1, .turn = 1});
  const std::unique_ptr<Session> session = NewSession(harness);
  std::ofstream stream(absl::StrCat(folder.path(), "/", kLinesName));
  std::string lines;
  while (log.offset() < bytes) {
    lines.clear();
    session->AppendTurn(&lines);
    stream << lines;
    for (const absl::string_view line :
         absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
      log.Append({.stream = relay::Stream::kStdout, .payload = line});
    }
    if (log.pending() > kBatch) RETURN_IF_ERROR(log.Flush());
  }
  note(notes::Exited{.code = 0});
  RETURN_IF_ERROR(log.Flush());
  return log.Sync();
}

struct Loaded {
  double seconds = 0;
  double peak_bytes = 0;
};

// Loads in a process of its own, whose memory is measured.
absl::StatusOr<Loaded> LoadInChild(const std::string& folder) {
  const std::string self =
      std::filesystem::read_symlink("/proc/self/exe").string();
  ASSIGN_OR_RETURN(const std::string out, RunChild({self, "--load", folder}));
  const std::vector<std::string> words = absl::StrSplit(out, ' ');
  Loaded loaded;
  if (words.size() < 2 || !absl::SimpleAtod(words[0], &loaded.seconds) ||
      !absl::SimpleAtod(words[1], &loaded.peak_bytes)) {
    return absl::InternalError(absl::StrCat("the child says ", out));
  }
  return loaded;
}

// The time of `cat` and of a parser that makes the same messages.
absl::StatusOr<double> CatAndParseSeconds(Harness harness,
                                          const std::string& folder) {
  const std::string self =
      std::filesystem::read_symlink("/proc/self/exe").string();
  const absl::Time start = absl::Now();
  RETURN_IF_ERROR(
      RunChild({"sh", "-c",
                absl::StrCat("cat '", folder, "/", kLinesName, "' | '", self,
                             "' --parse ", HarnessId(harness))})
          .status());
  return absl::ToDoubleSeconds(absl::Now() - start);
}

absl::Status ReportHarness(Harness harness, const RelayOptions& options) {
  const TempFolder small;
  const TempFolder whole;
  RETURN_IF_ERROR(WriteLog(harness, kSmall, small));
  RETURN_IF_ERROR(WriteLog(harness, options.load_megabytes * kMegabyte, whole));
  ASSIGN_OR_RETURN(const Loaded few, LoadInChild(small.path()));
  ASSIGN_OR_RETURN(const double cat, CatAndParseSeconds(harness, whole.path()));
  ASSIGN_OR_RETURN(const Loaded all, LoadInChild(whole.path()));
  const std::string name = absl::StrCat("load.", HarnessId(harness));
  Print("relay",
        {.metric = absl::StrCat(name, ".time"),
         .value = all.seconds,
         .unit = "s",
         .baseline = "cat lines | parse",
         .ratio = all.seconds / cat,
         .ratio_at_most = 1.5,
         .at_most =
             kMaxSeconds * static_cast<double>(options.load_megabytes) / 1024},
        options.format);
  Print("relay",
        {.metric = absl::StrCat(name, ".memory"),
         .value = all.peak_bytes / 1e6,
         .unit = "MB",
         .baseline = "a log of 100 MiB",
         .ratio = all.peak_bytes / few.peak_bytes},
        options.format);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReportLoad(const RelayOptions& options) {
  for (const Backend* backend : AllBackends()) {
    RETURN_IF_ERROR(ReportHarness(backend->harness, options));
  }
  return absl::OkStatus();
}

absl::Status ParseOnce(const std::string& harness) {
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(harness));
  Pipeline pipeline(*backend, JsonOut::kNone);
  std::string bytes(size_t{64} << 10, '\0');
  ssize_t n = 0;
  while ((n = read(STDIN_FILENO, bytes.data(), bytes.size())) > 0) {
    pipeline.Feed({bytes.data(), static_cast<size_t>(n)});
  }
  const Tally tally = pipeline.Finish();
  if (tally.events == 0 || tally.problems != 0) {
    return absl::InternalError("the lines were not all parsed");
  }
  return absl::OkStatus();
}

absl::Status LoadOnce(const std::string& path) {
  TaskFolder folder = {.id = "bench", .path = path};
  folder.fd = UniqueFd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int64_t messages = 0;
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const TaskState state,
                   Load(folder, [&](Message&&) { ++messages; }));
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (state.status != TaskStatus::kDone || messages == 0) {
    return absl::InternalError(
        absl::StrCat("the log did not load: ", state.error));
  }
  ASSIGN_OR_RETURN(const int64_t peak, StatusBytes(getpid(), "VmHWM:"));
  absl::PrintF("%.3f %d\n", seconds, peak);
  return absl::OkStatus();
}

}  // namespace troika::bench
