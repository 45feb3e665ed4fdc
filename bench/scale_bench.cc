// Measures a server with 100 000 ended tasks, 1000 live ones, many viewers,
// floods and unauthenticated clients. Everything is in a temporary folder and
// on loopback.
//
//   scale_bench [--json] [--tasks N] [--only PART] [--programs DIR]
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/scale_measures.h"
#include "bench/scale_probe.h"
#include "bench/server_http.h"
#include "relay/testing.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: scale_bench [FLAG...]

  --json          a line of JSON for each figure
  --tasks N       so many ended tasks (100000); under 20000 it is a smoke test,
                  in which everything else is smaller, too
  --only PART     one of growth, flood, viewers, rows, cut, strangers, schema
  --programs DIR  measure the programs below DIR, a bazel-bin, in place of those
                  that were built with the benchmark

Files are below $TEST_TMPDIR, or /tmp, and need 6 GB there.
)";

struct Part {
  absl::string_view name;
  absl::Status (*report)(const ScaleOptions&);
};

constexpr Part kParts[] = {
    {"growth", ReportGrowth},   {"flood", ReportFloodOfLines},
    {"viewers", ReportViewers}, {"rows", ReportRows},
    {"cut", ReportCutEvents},   {"strangers", ReportStrangers},
    {"schema", ReportSchema},
};

absl::StatusOr<ScaleOptions> ParseOptions(
    const std::vector<std::string>& args) {
  ScaleOptions options;
  bool json = false;
  std::optional<int> tasks;
  std::string programs;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("tasks", &tasks);
  flags.Add("only", &options.only);
  flags.Add("programs", &programs);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (json) options.format = Format::kJson;
  if (tasks) options.tasks = *tasks;
  if (options.tasks < 100) {
    return absl::InvalidArgumentError("--tasks takes at least 100");
  }
  if (!programs.empty()) UsePrograms(programs);
  for (const Part& part : kParts) {
    if (options.only.empty() || options.only == part.name) return options;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--only ", options.only, " is no part: one of ",
      absl::StrJoin(kParts, ", ", [](std::string* out, const Part& part) {
        absl::StrAppend(out, part.name);
      })));
}

// Other load of the machine affects every figure.
void PrintLoad(const ScaleOptions& options) {
  double load[1] = {0};
  if (getloadavg(load, 1) != 1) return;
  PrintScale(
      options,
      {.metric = "machine.load_percent", .value = load[0] * 100, .unit = "%"});
}

absl::Status Main(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(ScaleOptions options, ParseOptions(args));
  WatchStop();
  const TempFolder folder;
  ASSIGN_OR_RETURN(const EchoServer echo,
                   EchoServer::Start(folder.path() + "/echo.sock"));
  options.echo = &echo;
  absl::Status all;
  for (const Part& part : kParts) {
    if (!options.only.empty() && options.only != part.name) continue;
    RETURN_IF_ERROR(CheckStop());
    PrintLoad(options);
    // If one part fails, the others are still measured.
    if (const absl::Status status = part.report(options); !status.ok()) {
      std::fprintf(stderr, "scale_bench: %s: %s\n",
                   std::string(part.name).c_str(), status.ToString().c_str());
      all.Update(status);
    }
  }
  PrintLoad(options);
  return all;
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args == std::vector<std::string>{"--help"}) {
    return std::fputs(troika::bench::kHelp, stdout) < 0;
  }
  const absl::Status status = troika::bench::Main(args);
  if (status.ok()) return 0;
  std::fprintf(stderr, "scale_bench: %s\n", status.ToString().c_str());
  return 1;
}
