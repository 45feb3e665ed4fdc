// Fills a state folder with tasks, to try a server with many of them.
#include <cstdio>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/scale_tasks.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: make_tasks --home DIR [FLAG...]

Writes folders of ended tasks below DIR/tasks, with logs as a relay writes them.
A server that is started with TROIKA_HOME=DIR reads them and makes its index.

  --home DIR      the state folder; made where it is missing
  --count N       so many ended tasks (100000), a minute apart, the newest an
                  hour old
  --queued K      so many tasks that wait to run, too (0); a server starts them
                  with the codex of --codex, or the one on PATH
  --codex PATH    the program that queued tasks run
  --cwd DIR       the tasks' working folder (/workspace/project); queued tasks
                  need one that exists
  --seed S        a number; another one gives other tasks (1)
)";

absl::Status Main(const Command& args) {
  std::string home, seed = "1";
  std::optional<int> count, queued;
  TaskMix mix = {.newest = absl::Now() - absl::Hours(1)};
  Flags flags;
  flags.Add("home", &home);
  flags.Add("count", &count);
  flags.Add("queued", &queued);
  flags.Add("codex", &mix.codex);
  flags.Add("cwd", &mix.cwd);
  flags.Add("seed", &seed);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (home.empty()) return absl::InvalidArgumentError("--home is missing");
  if (!absl::SimpleAtoi(seed, &mix.seed)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--seed ", seed, " is not a number"));
  }
  mix.ended = count.value_or(100'000);
  mix.queued = queued.value_or(0);
  const absl::Time begin = absl::Now();
  ASSIGN_OR_RETURN(const MadeTasks made, MakeTasks(home, mix));
  std::printf("%d tasks, %lld MB of logs, in %s\n", made.tasks,
              static_cast<long long>(made.log_bytes / 1'000'000),
              absl::FormatDuration(
                  absl::Trunc(absl::Now() - begin, absl::Milliseconds(100)))
                  .c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
