#include "server/options.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "task/budget_flags.h"

namespace troika {
namespace {

constexpr absl::string_view kHelp = R"(usage: troika-server [FLAG...]

Runs and serves the tasks of one state folder ($TROIKA_HOME, by default
~/.local/state/troika). It can be killed at any time, because agents and their
logs do not depend on it. `troika serve` runs it with the same flags, which
`troika help serve` describes.
)";

struct Given {
  std::string listen = "127.0.0.1:4747";
  bool allow_remote = false;
  bool demo = false;
  bool automatic = false;
  std::string keep_bytes;
  std::optional<int> max_running, max_queued, ready_fd;
  std::vector<std::string> max_running_per;
  std::optional<absl::Duration> keep_for, idle_exit;
  BudgetFlags budget;
  std::string max_cost_per_day, max_tokens_per_day;
};

absl::Status ReadBudgets(const Given& given, ServerOptions* options) {
  ASSIGN_OR_RETURN(options->budget, given.budget.Read());
  if (!given.max_cost_per_day.empty()) {
    ASSIGN_OR_RETURN(
        options->day_budget.cost_microusd,
        ReadMicrousd("--max-cost-per-day", given.max_cost_per_day));
  }
  if (!given.max_tokens_per_day.empty()) {
    ASSIGN_OR_RETURN(
        options->day_budget.tokens,
        ReadTokens("--max-tokens-per-day", given.max_tokens_per_day));
  }
  return absl::OkStatus();
}

absl::Status Bad(absl::string_view flag, absl::string_view value,
                 absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(flag, " ", value, " is not ", wanted));
}

absl::Status ReadCount(absl::string_view flag, std::optional<int> given,
                       int* count) {
  if (given == 0) return Bad(flag, "0", "a number above zero");
  *count = given.value_or(*count);
  return absl::OkStatus();
}

bool IsLoopback(absl::string_view host) {
  return host == "localhost" || host == "::1" || absl::StartsWith(host, "127.");
}

absl::Status ReadListen(const Given& given, ServerOptions* options) {
  if (given.listen == "none") {
    options->host.clear();
    return absl::OkStatus();
  }
  const size_t colon = given.listen.rfind(':');
  if (colon == std::string::npos ||
      !absl::SimpleAtoi(given.listen.substr(colon + 1), &options->port) ||
      options->port < 0 || options->port > 65535) {
    return Bad("--listen", given.listen, "of the form HOST:PORT, or none");
  }
  options->host = given.listen.substr(0, colon);
  if (absl::StartsWith(options->host, "[") &&
      absl::EndsWith(options->host, "]")) {
    options->host = options->host.substr(1, options->host.size() - 2);
  }
  if (given.allow_remote) options->reach = AccessOptions::Reach::kAnywhere;
  if (!IsLoopback(options->host) && !given.allow_remote) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--listen ", given.listen,
        " can be reached from other machines: if that is meant, say "
        "--allow-remote, too"));
  }
  return absl::OkStatus();
}

absl::Status ReadBytes(const std::string& text, int64_t* bytes) {
  if (text.empty()) return absl::OkStatus();
  absl::string_view digits = text;
  int64_t unit = 1;
  for (const auto& [letter, size] :
       {std::pair<absl::string_view, int64_t>{"K", int64_t{1} << 10},
        {"M", int64_t{1} << 20},
        {"G", int64_t{1} << 30},
        {"T", int64_t{1} << 40}}) {
    if (absl::ConsumeSuffix(&digits, letter)) unit = size;
  }
  if (!absl::SimpleAtoi(digits, bytes) || *bytes < 1 ||
      *bytes > INT64_MAX / unit) {
    return Bad("--keep-bytes", text, "a size, as 500M or 20G");
  }
  *bytes *= unit;
  return absl::OkStatus();
}

absl::Status ReadLimits(const Given& given, ServerOptions* options) {
  RETURN_IF_ERROR(
      ReadCount("--max-running", given.max_running, &options->limits.running));
  RETURN_IF_ERROR(
      ReadCount("--max-queued", given.max_queued, &options->max_queued));
  for (const std::string& one : given.max_running_per) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(one, absl::MaxSplits('=', 1));
    RETURN_IF_ERROR(BackendById(parts.first).status());
    int& count = options->limits.running_of[parts.first];
    if (!absl::SimpleAtoi(parts.second, &count) || count < 1) {
      return Bad("--max-running-per", one,
                 "of the form HARNESS=N, with a number above zero");
    }
  }
  return ReadBytes(given.keep_bytes, &options->keep_bytes);
}

}  // namespace

absl::string_view ServerHelp() { return kHelp; }

absl::StatusOr<ServerOptions> ReadServerOptions(
    absl::Span<const std::string> args) {
  Given given;
  ServerOptions options;
  Flags flags;
  flags.Add("listen", &given.listen);
  flags.Add("allow-remote", &given.allow_remote);
  flags.Add("host", &options.hosts);
  flags.Add("demo", &given.demo);
  flags.Add("max-running", &given.max_running);
  flags.Add("max-running-per", &given.max_running_per);
  flags.Add("max-queued", &given.max_queued);
  flags.Add("approval-timeout", &options.approval_timeout);
  given.budget.AddTo(&flags);
  flags.Add("max-cost-per-day", &given.max_cost_per_day);
  flags.Add("max-tokens-per-day", &given.max_tokens_per_day);
  flags.Add("keep-for", &given.keep_for);
  flags.Add("keep-bytes", &given.keep_bytes);
  // For `troika`, which starts a server by itself.
  flags.Add("auto", &given.automatic);
  flags.Add("idle-exit", &given.idle_exit);
  flags.Add("ready-fd", &given.ready_fd);
  RETURN_IF_ERROR(flags.ParseAll(args));
  options.flags.assign(args.begin(), args.end());
  if (given.automatic) {
    options.origin = ServerLock::Origin::kAutomatic;
    options.life = ServerOptions::Life::kWhileNeeded;
    given.listen = "none";
  }
  if (given.demo) options.demo = ServerOptions::Demo::kOn;
  RETURN_IF_ERROR(ReadListen(given, &options));
  RETURN_IF_ERROR(ReadLimits(given, &options));
  RETURN_IF_ERROR(ReadBudgets(given, &options));
  if (given.keep_for) options.keep_for = *given.keep_for;
  if (given.idle_exit) options.idle_exit = *given.idle_exit;
  options.ready_fd = given.ready_fd.value_or(options.ready_fd);
  return options;
}

}  // namespace troika
