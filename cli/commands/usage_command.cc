#include <algorithm>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agent/price_table.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/parse.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/amounts.h"
#include "cli/timeline/table.h"
#include "dto/proto_fields.h"

namespace troika::cli {
namespace {

struct UsageCommandLine {
  v1::UsageRequest request;
  std::string prices;  // A file, or empty.
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

absl::StatusOr<UsageCommandLine> ReadUsageCommandLine(Args args) {
  UsageCommandLine line;
  std::string since, until;
  Flags flags;
  flags.Add("since", &since);
  flags.Add("until", &until);
  flags.Add("prices", &line.prices);
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

// The cost of a row, or of all, as far as it is known.
struct Known {
  Cost cost;
  bool whole = true;  // False if a part is not known.
};

// A harness reports the costs of all its tasks, or of none.
Known CostOfRow(const v1::UsageResponse::Row& row,
                const std::optional<PriceTable>& prices) {
  if (row.cost_usd() > 0) {
    return {.cost = {row.cost_usd(), CostSource::kReported}};
  }
  TokenCounts tokens;
  FieldsFromProto(row.tokens(), &tokens);
  if (tokens == TokenCounts()) return {};
  const std::optional<double> usd =
      prices ? prices->Estimate(row.model(), tokens) : std::nullopt;
  if (!usd) return {.whole = false};
  return {.cost = {*usd, CostSource::kEstimated}};
}

std::string Text(const Known& known) {
  const std::string cost = CostText(known.cost);
  if (cost.empty()) return std::string(kUnknownCost);
  return absl::StrCat(known.whole ? "" : "at least ", cost);
}

void AddRow(const v1::UsageResponse::Row& row, const std::string& model,
            const Known& known, Table* table) {
  const v1::TokenCounts& tokens = row.tokens();
  table->Add(
      {row.harness(), model, absl::StrCat(row.tasks()),
       CountText(tokens.input_tokens() + tokens.cache_write_input_tokens()),
       CountText(tokens.cached_input_tokens()),
       CountText(tokens.output_tokens()), Text(known)});
}

absl::StatusOr<int> SumUp(const UsageCommandLine& line, Server& server,
                          const Io& io) {
  std::optional<PriceTable> prices;
  if (!line.prices.empty()) {
    ASSIGN_OR_RETURN(prices, ReadPrices(line.prices));
  }
  ASSIGN_OR_RETURN(v1::UsageResponse usage, server.api.GetUsage(line.request));
  if (line.json) return PrintJson(io, usage);
  Table table({"HARNESS", "MODEL", "TASKS", "IN", "CACHED", "OUT", "COST"});
  Known all;
  for (const v1::UsageResponse::Row& row : usage.rows()) {
    const Known known = CostOfRow(row, prices);
    AddRow(row, ModelText(row.model()), known, &table);
    all.whole = all.whole && known.whole;
    all.cost.usd += known.cost.usd;
    all.cost.source = std::max(all.cost.source, known.cost.source);
  }
  usage.mutable_total()->set_harness("total");
  AddRow(usage.total(), "", all, &table);
  return Print(io, table.Text(0));
}

}  // namespace

constinit const Command kUsageCommand = {
    .name = "usage",
    .summary = "add up tokens and costs",
    .help = kUsageHelp,
    .run = RunOnServer<kUsageCommand, ReadUsageCommandLine, SumUp>};

}  // namespace troika::cli
