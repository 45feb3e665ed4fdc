// Measures how fast streams are parsed, relative to bare RapidJSON and to Node
// in the same run. The contenders take turns at each megabyte, which is in the
// CPU's cache for all of them, as it is for a reader of a pipe; ratios are
// medians over the rounds. So a noisy machine affects all alike.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "bench/generate.h"
#include "bench/pipelines.h"
#include "bench/program.h"
#include "bench/report.h"
#include "testing/files.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: parse_bench [FLAG...] NODE_SCRIPT
       parse_bench --stream HARNESS FILE

The second form reads the file as a stream, and prints the most memory that it
took.

  --json         a line of JSON for each figure
  --mb N         megabytes of a stream (100)
  --rounds N     figures are medians over so many rounds (5)
)";

struct Options {
  Format format = Format::kTable;
  int64_t megabytes = 0;
  int rounds = 0;
  std::string node_script;
};

// Returns the CPU time of this thread: all work is done by one thread without
// I/O, and other load of the machine must not count.
double Seconds(absl::FunctionRef<void()> work) {
  const auto now = [] {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return absl::DurationFromTimespec(time);
  };
  const absl::Duration start = now();
  work();
  return absl::ToDoubleSeconds(now() - start);
}

// Seconds of each round, keyed by contender.
using Times = std::map<std::string, std::vector<double>>;

struct Measured {
  Times times;
  Tally messages;
  int64_t problems = 0;
};

absl::Status TimeNode(const Options& options, const std::string& file,
                      Times* times) {
  ASSIGN_OR_RETURN(const std::string printed,
                   RunChild({"node", options.node_script, file}));
  json::Parser parser;
  ASSIGN_OR_RETURN(const json::Value value, parser.Parse(printed));
  for (const absl::string_view name : {"parse", "decode_and_parse"}) {
    const double milliseconds = value.Get(name).Double().value_or(0);
    (*times)[absl::StrCat("node_", name)].push_back(milliseconds / 1e3);
  }
  return absl::OkStatus();
}

// Runs each slice through each contender, with a different one first each time.
void TimeRound(const Backend& backend, const std::vector<Slice>& slices,
               Measured* measured) {
  json::Parser parser;
  Pipeline messages(backend, JsonOut::kNone);
  Pipeline json(backend, JsonOut::kWrite);
  std::string scratch;
  struct Contender {
    absl::string_view name;
    std::function<void(const Slice&)> work;
    double seconds = 0;
  };
  Contender contenders[] = {
      {"rapidjson",
       [&](const Slice& slice) {
         measured->problems +=
             BareRapidJson(slice.lines, DocumentMemory::kOwn, &scratch);
       }},
      {"rapidjson_pooled",
       [&](const Slice& slice) {
         measured->problems +=
             BareRapidJson(slice.lines, DocumentMemory::kPooled, &scratch);
       }},
      {"parse",
       [&](const Slice& slice) {
         measured->problems += ParseLines(slice.lines, &parser);
       }},
      {"messages", [&](const Slice& slice) { messages.Feed(slice.text); }},
      {"json", [&](const Slice& slice) { json.Feed(slice.text); }},
  };
  for (size_t i = 0; i < slices.size(); ++i) {
    for (size_t k = 0; k < std::size(contenders); ++k) {
      scratch = std::string(slices[i].text);
      std::replace(scratch.begin(), scratch.end(), '\n', '\0');
      Contender& c = contenders[(i + k) % std::size(contenders)];
      c.seconds += Seconds([&] { c.work(slices[i]); });
    }
  }
  for (const Contender& c : contenders) {
    measured->times[std::string(c.name)].push_back(c.seconds);
  }
  measured->messages = messages.Finish();
  measured->problems += measured->messages.problems + json.Finish().problems;
}

absl::StatusOr<Measured> Measure(const Options& options, const Backend& backend,
                                 absl::string_view stream,
                                 const std::string& file) {
  Measured measured;
  const std::vector<Slice> slices = SliceStream(stream);
  for (int round = 0; round < options.rounds; ++round) {
    TimeRound(backend, slices, &measured);
    RETURN_IF_ERROR(TimeNode(options, file, &measured.times));
  }
  return measured;
}

void ReportSpeed(const Options& options, absl::string_view harness,
                 int64_t bytes, const Measured& measured) {
  const auto print = [&](const std::string& name, const std::string& baseline,
                         std::optional<double> target) {
    const std::vector<double>& seconds = measured.times.at(name);
    Figure figure = {
        .metric = absl::StrCat(harness, ".", name),
        .value = static_cast<double>(bytes) / 1e6 / Median(seconds),
        .unit = "MB/s",
        .baseline = "",
        .ratio = 0,
        .target = target};
    if (!baseline.empty()) {
      std::vector<double> ratios;
      for (size_t i = 0; i < seconds.size(); ++i) {
        ratios.push_back(measured.times.at(baseline)[i] / seconds[i]);
      }
      figure.baseline = baseline == "rapidjson"    ? "rapidjson-insitu"
                        : baseline == "node_parse" ? "node-json-parse"
                                                   : "rapidjson-insitu-pooled";
      figure.ratio = Median(ratios);
    }
    Print("parse", figure, options.format);
  };
  print("rapidjson", "", {});
  print("rapidjson_pooled", "rapidjson", {});
  print("node_parse", "rapidjson", {});
  print("node_decode_and_parse", "rapidjson", {});
  print("parse", "rapidjson", {});
  print("messages", "rapidjson", 0.8);
  print("messages", "rapidjson_pooled", {});
  print("messages", "node_parse", 1.2);
  print("json", "rapidjson", 0.35);
  print("json", "node_parse", 1.1);
  for (const std::string name : {"messages", "json"}) {
    Print("parse",
          {.metric = absl::StrCat(harness, ".", name, "_events"),
           .value = static_cast<double>(measured.messages.events) /
                    Median(measured.times.at(name)),
           .unit = "events/s",
           .baseline = "",
           .ratio = 0,
           .target = {}},
          options.format);
  }
}

// Returns the peak memory of a process that reads `file` as a stream and writes
// its events as JSON.
absl::StatusOr<double> StreamMemory(absl::string_view harness,
                                    const std::string& file) {
  ASSIGN_OR_RETURN(
      const std::string printed,
      RunChild({"/proc/self/exe", "--stream", std::string(harness), file}));
  ASSIGN_OR_RETURN(const int64_t bytes, ToNumber(printed));
  return static_cast<double>(bytes);
}

absl::Status ReportMemory(const Options& options, absl::string_view harness,
                          const std::string& stream, const std::string& file) {
  const size_t tenth = stream.find('\n', stream.size() / 10) + 1;
  const std::string short_file = file + ".tenth";
  RETURN_IF_ERROR(
      WriteFile(short_file, absl::string_view(stream).substr(0, tenth)));
  ASSIGN_OR_RETURN(const double less, StreamMemory(harness, short_file));
  ASSIGN_OR_RETURN(const double more, StreamMemory(harness, file));
  Print("parse",
        {.metric = absl::StrCat(harness, ".peak_memory"),
         .value = more / 1e3,
         .unit = "kB",
         .baseline = "a-tenth-of-the-stream",
         .ratio = more / less},
        options.format);
  return absl::OkStatus();
}

absl::Status Run(const Options& options, const std::string& folder) {
  for (const Backend* backend : AllBackends()) {
    const absl::string_view harness = HarnessId(backend->harness);
    const std::string stream =
        GenerateStream(backend->harness, options.megabytes * 1'000'000);
    const std::string file = absl::StrCat(folder, "/", harness);
    RETURN_IF_ERROR(WriteFile(file, stream));
    absl::FPrintF(
        stderr, "%s: %d MB, lines of %d bytes on average\n", harness,
        stream.size() / 1'000'000,
        stream.size() / std::count(stream.begin(), stream.end(), '\n'));
    ASSIGN_OR_RETURN(const Measured measured,
                     Measure(options, *backend, stream, file));
    if (measured.problems != 0) {
      return absl::InternalError(
          absl::StrCat(harness, ": lines refused: ", measured.problems));
    }
    ReportSpeed(options, harness, static_cast<int64_t>(stream.size()),
                measured);
    RETURN_IF_ERROR(ReportMemory(options, harness, stream, file));
  }
  return absl::OkStatus();
}

absl::Status Stream(absl::string_view harness, const std::string& file) {
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(harness));
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::ErrnoToStatus(errno, file);
  Pipeline pipeline(*backend, JsonOut::kWrite);
  std::vector<char> buffer(size_t{64} << 10);
  for (ssize_t n; (n = read(fd, buffer.data(), buffer.size())) > 0;) {
    pipeline.Feed({buffer.data(), static_cast<size_t>(n)});
  }
  close(fd);
  pipeline.Finish();
  ASSIGN_OR_RETURN(const int64_t peak, StatusBytes(getpid(), "VmHWM:"));
  absl::PrintF("%d\n", peak);
  return absl::OkStatus();
}

absl::Status Main(const Command& args) {
  if (args.size() == 3 && args[0] == "--stream") {
    return Stream(args[1], args[2]);
  }
  Options options;
  bool json = false;
  std::optional<int> megabytes, rounds;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("mb", &megabytes);
  flags.Add("rounds", &rounds);
  ASSIGN_OR_RETURN(const Command scripts, flags.Parse(args));
  if (json) options.format = Format::kJson;
  options.megabytes = megabytes.value_or(100);
  options.rounds = rounds.value_or(5);
  if (!scripts.empty()) options.node_script = scripts[0];
  if (options.megabytes < 1 || options.rounds < 1) {
    return absl::InvalidArgumentError("--mb and --rounds are at least 1");
  }
  const TempFolder folder;
  return Run(options, folder.path());
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
