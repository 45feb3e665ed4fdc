// Measures a server with 100 000 ended tasks, 1000 live ones, many viewers,
// floods and unauthenticated clients. Everything is in a temporary folder and
// on loopback.
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/scale_measures.h"
#include "bench/scale_probe.h"
#include "bench/server_http.h"
#include "testing/files.h"

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

constexpr Part<ScaleOptions> kParts[] = {
    {"growth", ReportGrowth},   {"flood", ReportFloodOfLines},
    {"viewers", ReportViewers}, {"rows", ReportRows},
    {"cut", ReportCutEvents},   {"strangers", ReportStrangers},
    {"schema", ReportSchema},
};

absl::StatusOr<ScaleOptions> ParseOptions(const Command& args) {
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
  return options;
}

absl::Status Main(const Command& args) {
  ASSIGN_OR_RETURN(ScaleOptions options, ParseOptions(args));
  WatchStop();
  const TempFolder folder;
  ASSIGN_OR_RETURN(const EchoServer echo,
                   EchoServer::Start(folder.path() + "/echo.sock"));
  options.echo = &echo;
  const absl::Status status = RunParts<ScaleOptions>(options, kParts, [&] {
    PrintLoad("scale", options.format);
    return CheckStop();
  });
  PrintLoad("scale", options.format);
  return status;
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
