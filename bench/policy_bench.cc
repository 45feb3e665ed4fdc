// Measures how long rules take to be read and to decide.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "bench/program.h"
#include "policy/decide.h"
#include "policy/rules.h"

namespace troika::bench {
namespace {

constexpr char kHelp[] = R"(usage: policy_bench [FLAG...]

  --json       print a line of JSON for each figure
  --rules N    rules in the file (default 10000)
  --rounds N   figures are medians over N rounds (default 50)
)";

constexpr size_t kLineBytes = 100 << 10;

struct Options {
  int rules = 10'000;
  int rounds = 50;
  Format format = Format::kTable;
};

// Half of the rules are for one program, as real files are for git.
std::string RulesText(int rules) {
  std::string text = "prefix_rule([\"ls\"])\n";
  for (int i = 0; i < rules; ++i) {
    const std::string program = i % 2 == 0 ? "git" : absl::StrCat("tool", i);
    absl::StrAppend(&text, "prefix_rule([\"", program, "\", [\"sub", i,
                    "\", \"alt", i, "\"]], \"",
                    i % 10 == 0 ? "forbidden" : "allow", "\")\n");
  }
  return text;
}

// Returns a line of 100 KiB, whose commands end in `part`.
std::string LineOf(absl::string_view part) {
  std::string line;
  for (int i = 0; line.size() < kLineBytes; ++i) {
    absl::StrAppend(&line, line.empty() ? "" : " && ", part);
  }
  return line;
}

struct Measure {
  std::string metric;
  std::string line;
  std::optional<policy::Decision> decision;
};

absl::Status Report(const Options& options, const policy::Rules& rules,
                    const Measure& measure) {
  std::vector<double> microseconds;
  const policy::CommandRequest request = {.line = measure.line};
  for (int i = 0; i < options.rounds; ++i) {
    const absl::Time began = absl::Now();
    const policy::Verdict verdict = DecideCommand(rules, request);
    microseconds.push_back(absl::ToDoubleMicroseconds(absl::Now() - began));
    if (verdict.decision != measure.decision) {
      return absl::InternalError(absl::StrCat(
          measure.metric,
          ": another decision than expected: ", verdict.explanation));
    }
  }
  Print("policy",
        {.metric = measure.metric,
         .value = Median(microseconds),
         .unit = "us",
         .at_most = 1000},
        options.format);
  return absl::OkStatus();
}

absl::Status MeasureAll(const Options& options) {
  const policy::FileText file = {.file = "bench.rules",
                                 .text = RulesText(options.rules)};
  const absl::Time began = absl::Now();
  ASSIGN_OR_RETURN(const policy::Rules rules,
                   policy::Rules::Parse(file, policy::Dialect::kTroika));
  Print("policy",
        {.metric = "read",
         .value = absl::ToDoubleMilliseconds(absl::Now() - began),
         .unit = "ms"},
        options.format);
  const Measure kMeasures[] = {
      {"decide.short", "git sub2 -s", policy::Decision::kAllow},
      {"decide.many_commands", LineOf("git sub2 src/file_with_a_name.cc"),
       policy::Decision::kAllow},
      {"decide.many_quotes", LineOf("ls 'a file' \"another file\" b\\ c"),
       policy::Decision::kAllow},
      {"decide.one_argument",
       absl::StrCat("ls '", std::string(kLineBytes, 'x'), "'"),
       policy::Decision::kAllow},
      {"decide.forbidden_at_the_end",
       absl::StrCat(LineOf("git sub2 x"), "; git sub10"),
       policy::Decision::kForbidden},
      {"decide.not_understood", absl::StrCat(LineOf("git sub2 x"), " > file"),
       std::nullopt},
      {"decide.launchers", LineOf("sudo -u me tool1 alt1 src/file.cc"),
       std::nullopt},
  };
  for (const Measure& measure : kMeasures) {
    RETURN_IF_ERROR(Report(options, rules, measure));
  }
  return absl::OkStatus();
}

absl::Status Main(const Command& args) {
  Options options;
  bool json = false;
  std::optional<int> rules, rounds;
  Flags flags;
  flags.Add("json", &json);
  flags.Add("rules", &rules);
  flags.Add("rounds", &rounds);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (json) options.format = Format::kJson;
  // The commands above name rules up to number 10; a file holds 1 MiB.
  options.rules = std::clamp(rules.value_or(options.rules), 11, 15'000);
  options.rounds = std::max(rounds.value_or(options.rounds), 1);
  PrintLoad("policy", options.format);
  const absl::Status status = MeasureAll(options);
  PrintLoad("policy", options.format);
  return status;
}

}  // namespace
}  // namespace troika::bench

int main(int argc, char** argv) {
  return troika::bench::RunMain(argc, argv, troika::bench::kHelp,
                                troika::bench::Main);
}
