#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

struct Line {
  v1::UsageRequest request;
  bool json = false;
};

absl::StatusOr<absl::Time> ReadWhen(absl::string_view flag,
                                    const std::string& text) {
  absl::Duration ago;
  if (absl::ParseDuration(text, &ago) && ago >= absl::ZeroDuration() &&
      ago < absl::Hours(1000000)) {
    return absl::Now() - ago;
  }
  absl::Time time;
  std::string error;
  if (absl::ParseTime(absl::RFC3339_full, text, &time, &error) ||
      absl::ParseTime("%Y-%m-%d", text, absl::LocalTimeZone(), &time, &error)) {
    return time;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " ", text,
                   " is not a time: write it as 24h, 2026-11-01 or "
                   "2026-11-01T12:00:00Z"));
}

absl::StatusOr<Line> ReadLine(Args args) {
  Line line;
  std::string since, until;
  Flags flags;
  flags.Add("since", &since);
  flags.Add("until", &until);
  flags.Add("json", &line.json);
  RETURN_IF_ERROR(flags.ParseAll(args));
  if (!since.empty()) {
    ASSIGN_OR_RETURN(const absl::Time time, ReadWhen("--since", since));
    line.request.mutable_since()->set_seconds(absl::ToUnixSeconds(time));
  }
  if (!until.empty()) {
    ASSIGN_OR_RETURN(const absl::Time time, ReadWhen("--until", until));
    line.request.mutable_until()->set_seconds(absl::ToUnixSeconds(time));
  }
  return line;
}

void AddRow(const v1::UsageResponse::Row& row, Table* table) {
  const v1::TokenCounts& tokens = row.tokens();
  table->Add(
      {row.harness(), row.model(), absl::StrCat(row.tasks()),
       CountText(tokens.input_tokens() + tokens.cache_write_input_tokens()),
       CountText(tokens.cached_input_tokens()),
       CountText(tokens.output_tokens()),
       absl::StrFormat("$%.2f", row.cost_usd())});
}

absl::StatusOr<int> SumUp(const Line& line, Server& server, const Io& io) {
  ASSIGN_OR_RETURN(v1::UsageResponse usage, server.api.GetUsage(line.request));
  if (line.json) return PrintJson(io, usage);
  Table table({"HARNESS", "MODEL", "TASKS", "IN", "CACHED", "OUT", "COST"});
  for (const v1::UsageResponse::Row& row : usage.rows()) AddRow(row, &table);
  usage.mutable_total()->set_harness("total");
  usage.mutable_total()->clear_model();
  AddRow(usage.total(), &table);
  return Print(io, table.Text(0));
}

}  // namespace

constinit const Command kUsageCommand = {
    .name = "usage",
    .summary = "add up tokens and costs",
    .help = kUsageHelp,
    .run = RunOnServer<kUsageCommand, ReadLine, SumUp>};

}  // namespace troika::cli
