#include "agent/discovery/discovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "agent/discovery/sandbox.h"
#include "agent/launch/version.h"

namespace troika {
namespace {

// Codex takes less than this even on a busy machine. A probe that hangs is not
// repeated in the same surroundings.
constexpr absl::Duration kSandboxDeadline = absl::Seconds(20);
// After this, changes of the surroundings are noticed (SandboxSurroundings).
constexpr absl::Duration kRemember = absl::Minutes(1);

bool IsExecutable(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

absl::StatusOr<std::string> FindBesideUs(const CliNames& names) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  // Bazel puts the demo agent into the second folder.
  for (const char* const below : {"", "../testing/demo"}) {
    const std::string path =
        (folder / below / std::string(names.program)).lexically_normal();
    if (IsExecutable(path)) return path;
  }
  return absl::NotFoundError(
      absl::StrCat("find ", names.program, ": it is not in ", folder.native(),
                   "; install it there, or name it in ", names.env.front()));
}

absl::StatusOr<std::string> FindProgram(const CliNames& names,
                                        const Environment& env) {
  for (const absl::string_view variable : names.env) {
    const absl::string_view value = env.Get(variable);
    if (value.empty()) continue;
    std::string path;
    if (absl::StrContains(value, '/')) {
      std::error_code error;
      path = std::filesystem::absolute(std::string(value), error).native();
    } else {
      path = FindOnPath(value, env);
    }
    if (!path.empty() && IsExecutable(path)) return path;
    return absl::FailedPreconditionError(
        absl::StrCat("find ", names.program, ": ", variable, " is \"", value,
                     "\", which is no program that can be executed; correct "
                     "it or unset it"));
  }
  if (names.location == CliNames::Location::kBesideUs)
    return FindBesideUs(names);
  std::string path = FindOnPath(names.program, env);
  if (!path.empty()) return path;
  return absl::NotFoundError(absl::StrCat(
      "find ", names.program, ": it is not on PATH; install it with ",
      names.install, ", or name it in ",
      names.env.empty() ? absl::string_view("PATH") : names.env.front()));
}

absl::StatusOr<CliFacts> Ask(const std::string& path, const CliNames& names,
                             const Environment& env,
                             const FindCliOptions& options) {
  Command command = {
      .argv = {path, "--version"}, .env = env, .deadline = options.deadline};
  const absl::StatusOr<std::string> said = options.runner->Run(command);
  if (!said.ok()) return said.status();
  CliFacts facts = {.version = std::string(FindVersion(*said))};
  if (ParseVersion(facts.version) <= names.newest_known) return facts;
  command.argv = {path};
  for (const absl::string_view arg : names.help) command.argv.emplace_back(arg);
  const absl::StatusOr<std::string> help = options.runner->Run(command);
  if (absl::IsCancelled(help.status())) return help.status();
  // Without help, the version counts as the newest that we know.
  facts.help = help.value_or("");
  return facts;
}

}  // namespace

std::string FindOnPath(absl::string_view program, const Environment& env) {
  for (const absl::string_view folder : absl::StrSplit(env.Get("PATH"), ':')) {
    if (!absl::StartsWith(folder, "/")) continue;
    std::string path = absl::StrCat(folder, "/", program);
    if (IsExecutable(path)) return path;
  }
  return "";
}

absl::StatusOr<Cli> FindCli(const CliNames& names, const Environment& env,
                            const FindCliOptions& options) {
  absl::StatusOr<std::string> path = FindProgram(names, env);
  if (!path.ok()) return path.status();
  if (names.is_starter) return Cli{.path = *std::move(path)};
  const absl::StatusOr<FileIdentity> identity = IdentityOf(*path);
  if (!identity.ok()) return identity.status();
  VersionCache cache(HasOtherNames(*path) ? "" : options.cache_path);
  std::optional<CliFacts> facts = cache.Find(*identity);
  if (!facts && options.runner == nullptr) facts.emplace();
  if (!facts) {
    absl::StatusOr<CliFacts> asked = Ask(*path, names, env, options);
    if (!asked.ok()) return asked.status();
    facts = *std::move(asked);
    cache.Add(*identity, *facts);
  }
  Cli cli = {.path = *std::move(path),
             .version = facts->version,
             .help = facts->help,
             .sandbox_error = "",
             .models = facts->models};
  if (names.sandbox_probes.empty()) return cli;
  std::string surroundings = SandboxSurroundings(env);
  if (facts->sandbox_surroundings == surroundings) {
    cli.sandbox_error = std::move(facts->sandbox_error);
  } else if (options.runner != nullptr) {
    cli.sandbox_error = ProbeSandbox(
        cli, names.sandbox_probes, env,
        std::min(options.deadline, kSandboxDeadline), *options.runner);
    facts->sandbox_error = cli.sandbox_error;
    facts->sandbox_surroundings = std::move(surroundings);
    cache.Add(*identity, *facts);
  }
  return cli;
}

std::optional<Cli> CliMemory::Remembered(const CliNames& names,
                                         const Environment& env) const {
  const absl::StatusOr<std::string> path = FindProgram(names, env);
  if (!path.ok()) return std::nullopt;
  MutexLock lock(&mutex_);
  const auto entry = entries_.find(*path);
  if (entry == entries_.end() ||
      absl::Now() - entry->second.found > kRemember ||
      IdentityOf(*path).value_or(FileIdentity()) != entry->second.identity) {
    return std::nullopt;
  }
  return entry->second.cli;
}

absl::StatusOr<Cli> CliMemory::Find(const CliNames& names,
                                    const Environment& env,
                                    const FindCliOptions& options) {
  const absl::StatusOr<std::string> path = FindProgram(names, env);
  // Before the program is asked, which may take long.
  const auto identity = path.ok() ? IdentityOf(*path) : path.status();
  absl::StatusOr<Cli> cli = FindCli(names, env, options);
  if (identity.ok() && cli.ok() && cli->path == *path &&
      cli->sandbox_error.empty() && !HasOtherNames(*path)) {
    MutexLock lock(&mutex_);
    entries_[*path] = {
        .identity = *identity, .found = absl::Now(), .cli = *cli};
  }
  return cli;
}

}  // namespace troika
