// `troika config`.
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/flags.h"
#include "cli/commands/commands.h"
#include "cli/commands/help.h"
#include "cli/commands/settings.h"
#include "cli/timeline/table.h"
#include "config/config.h"

namespace troika::cli {
namespace {

int Run(Args args, const Io& io) {
  std::string cwd = ".";
  Flags flags;
  flags.Add("cwd", &cwd);
  const absl::Status read = flags.ParseAll(args);
  if (!read.ok()) return UsageError(io, kConfigCommand, read.message());
  const Environment env = ProcessEnvironment();
  const absl::StatusOr<Config> config = ReadConfig(env);
  if (!config.ok()) return FailWith(io, config.status());
  Table table({"SETTING", "VALUE", "FROM"});
  for (const Setting& setting : SettingsFor(*config, env, AbsolutePath(cwd))) {
    table.Add({std::string(setting.name),
               setting.value.empty() ? "–" : setting.value,
               setting.value.empty() ? "default" : setting.source});
  }
  for (const auto& [name, agent] : config->acp) {
    table.Add({absl::StrCat("acp.", name), agent.command[0],
               absl::StrCat("[acp.", name, "]")});
  }
  for (const auto& [name, hook] : config->hooks) {
    table.Add(
        {absl::StrCat("hook.", name),
         absl::StrCat(absl::StrJoin(hook.on, ", "), ": ", HookTarget(hook)),
         absl::StrCat("[hook.", name, "]")});
  }
  const int code = Print(io, table.Text(TerminalWidth(io.out)));
  Note(io, absl::StrCat("the file is ", ConfigPath(env)));
  return code;
}

}  // namespace

constinit const Command kConfigCommand = {
    .name = "config",
    .summary = "show the settings and where they come from",
    .help = kConfigHelp,
    .run = Run};

}  // namespace troika::cli
