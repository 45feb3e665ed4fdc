// Measures how long the server takes to list the sessions that CLIs keep.
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "bench/server_run.h"
#include "testing/files.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: sessions_bench [FLAG...]

  --json       print a line of JSON for each figure
  --files N    sessions of all three harnesses together (default 10000)
  --rounds N   figures are medians over N rounds (default 5)
)";

struct Options {
  int files = 10'000;
  int rounds = 5;
  Format format = Format::kTable;
};

// Codex's first line has 22 KB of instructions.
constexpr size_t kInstructions = 22'000;
constexpr size_t kLineBytes = 1'000;

// Most sessions are short; every hundredth has a megabyte.
int LinesOf(int number) { return number % 100 == 0 ? 1000 : 5 + number % 30; }

std::string Rollout(int number) {
  std::string text = absl::StrFormat(
      R"({"timestamp":"2026-11-17T10:00:00Z","type":"session_meta","payload":{"id":"codex-%d","cwd":"/src/app%d","base_instructions":{"text":"%s"}}})"
      "\n"
      R"({"timestamp":"2026-11-17T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"fix number %d"}})"
      "\n"
      R"({"timestamp":"2026-11-17T10:00:01Z","type":"turn_context","payload":{"cwd":"/src/app%d","model":"gpt-5.5"}})"
      "\n",
      number, number % 50, std::string(kInstructions, 'i'), number,
      number % 50);
  for (int i = 0; i < LinesOf(number); ++i) {
    absl::StrAppend(
        &text, R"({"timestamp":"2026-11-17T10:00:02Z","type":"response_item",)",
        R"("payload":{"type":"message","text":")", std::string(kLineBytes, 'x'),
        "\"}}\n");
  }
  return text;
}

std::string Transcript(int number) {
  std::string text = absl::StrFormat(
      R"({"type":"user","cwd":"/src/app%d","sessionId":"claude-%d","timestamp":"2026-11-17T10:00:00Z","message":{"content":"explain number %d"}})"
      "\n",
      number % 50, number, number);
  for (int i = 0; i < LinesOf(number); ++i) {
    absl::StrAppend(
        &text,
        R"({"type":"assistant","message":{"model":"opus","content":[{"text":")",
        std::string(kLineBytes, 'x'), "\"}]}}\n");
  }
  return text;
}

std::string Chat(int number) {
  std::string text = absl::StrFormat(
      R"({"sessionId":"gemini-%d","startTime":"2026-11-17T10:00:00Z","kind":"main"})"
      "\n"
      R"({"type":"user","content":[{"text":"list number %d"}]})"
      "\n",
      number, number);
  for (int i = 0; i < LinesOf(number); ++i) {
    absl::StrAppend(&text, R"({"type":"gemini","model":"pro","content":")",
                    std::string(kLineBytes, 'x'), "\"}\n");
  }
  return text;
}

std::string NameOf(int number) {
  switch (number % 3) {
    case 0:
      return absl::StrFormat(".codex/sessions/2026/%02d/%02d/rollout-%d.jsonl",
                             1 + number % 12, 1 + number % 28, number);
    case 1:
      return absl::StrFormat(".claude/projects/-src-app%d/claude-%d.jsonl",
                             number % 50, number);
    default:
      return absl::StrFormat(".gemini/tmp/app%d/chats/session-%d.jsonl",
                             number % 50, number);
  }
}

void WriteSession(const TempFolder& home, int number) {
  home.Write(NameOf(number),
             number % 3 == 0   ? Rollout(number)
             : number % 3 == 1 ? Transcript(number)
                               : Chat(number),
             1'700'000'000 + number);
}

// Walks over all files and looks at each, as `find | xargs stat` does.
double WalkMillis(const std::string& home) {
  const absl::Time begin = absl::Now();
  int64_t bytes = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(home)) {
    struct stat info;
    if (stat(entry.path().c_str(), &info) == 0) bytes += info.st_size;
  }
  const double millis = absl::ToDoubleMilliseconds(absl::Now() - begin);
  return bytes > 0 ? millis : 0;
}

// Lists a page and returns how long that took. `files_read` is what the server
// must report.
absl::StatusOr<double> ListMillis(const BenchServer& server,
                                  const TempFolder& home, int files,
                                  int files_read) {
  const absl::Time begin = absl::Now();
  ASSIGN_OR_RETURN(
      const std::string page,
      server.Get(absl::StrCat("/api/v1/sessions?page_size=50&env=HOME=",
                              home.path())));
  const double millis = absl::ToDoubleMilliseconds(absl::Now() - begin);
  const std::string expected =
      absl::StrCat("\"files\":", files, ",\"filesRead\":", files_read, "}");
  if (absl::StrContains(page, expected)) return millis;
  return absl::InternalError(absl::StrCat(
      "the list does not say ", expected, " but ",
      page.substr(page.size() - std::min<size_t>(page.size(), 200))));
}

absl::Status Measure(const Options& options) {
  const TempFolder home;
  for (int i = 0; i < 50; ++i) {
    home.Write(absl::StrCat(".gemini/tmp/app", i, "/.project_root"),
               absl::StrCat("/src/app", i));
  }
  for (int i = 0; i < options.files; ++i) WriteSession(home, i);
  const auto print = [&](Figure figure) {
    Print("sessions", figure, options.format);
  };
  ASSIGN_OR_RETURN(const std::unique_ptr<BenchServer> server,
                   BenchServer::Start({}));
  const int files = options.files;
  WalkMillis(home.path());  // Brings the folders into the cache.
  ASSIGN_OR_RETURN(const double first, ListMillis(*server, home, files, files));
  std::vector<double> walk, second, changed, restarted;
  for (int round = 0; round < options.rounds; ++round) {
    walk.push_back(WalkMillis(home.path()));
    ASSIGN_OR_RETURN(double millis, ListMillis(*server, home, files, 0));
    second.push_back(millis);
    for (int i = 0; i < 10; ++i) {
      home.Write(NameOf(i * 7), Transcript(i), 1'800'000'000 + round);
    }
    ASSIGN_OR_RETURN(millis, ListMillis(*server, home, files, 10));
    changed.push_back(millis);
    for (int i = 0; i < 10; ++i) WriteSession(home, i * 7);
    RETURN_IF_ERROR(ListMillis(*server, home, files, 10).status());
  }
  ASSIGN_OR_RETURN(const int64_t resident, server->ResidentBytes());
  for (int round = 0; round < options.rounds; ++round) {
    server->Kill();
    RETURN_IF_ERROR(server->Launch());
    ASSIGN_OR_RETURN(const double millis, ListMillis(*server, home, files, 0));
    restarted.push_back(millis);
  }
  const double baseline = Median(walk);
  const auto with_baseline = [&](const char* metric, double value) {
    return Figure{.metric = metric,
                  .value = value,
                  .unit = "ms",
                  .baseline = "walk",
                  .ratio = value / baseline,
                  .at_most = 1000};
  };
  print({.metric = "walk", .value = baseline, .unit = "ms"});
  print({.metric = "first_scan", .value = first, .unit = "ms"});
  print(with_baseline("listed_again", Median(second)));
  print(with_baseline("ten_changed", Median(changed)));
  print(with_baseline("after_restart", Median(restarted)));
  print({.metric = "resident",
         .value = static_cast<double>(resident) / (1 << 20),
         .unit = "MiB"});
  return absl::OkStatus();
}

absl::Status Main(const Command& args) {
  Options options;
  bool json = false;
  std::optional<int> files, rounds;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("files", &files);
  flags.Add("rounds", &rounds);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (json) options.format = Format::kJson;
  // Ten files change in each round, and the index is saved after 100.
  options.files = std::max(files.value_or(options.files), 200);
  options.rounds = std::max(rounds.value_or(options.rounds), 1);
  PrintLoad("sessions", options.format);
  const absl::Status status = Measure(options);
  PrintLoad("sessions", options.format);
  return status;
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
