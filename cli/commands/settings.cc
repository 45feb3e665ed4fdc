#include "cli/commands/settings.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika::cli {
namespace {

bool IsIn(absl::string_view cwd, absl::string_view folder) {
  if (folder == "/") return true;
  return absl::ConsumePrefix(&cwd, folder) && (cwd.empty() || cwd[0] == '/');
}

}  // namespace

std::vector<Setting> SettingsFor(const Config& config, const Environment& env,
                                 absl::string_view cwd) {
  std::vector<Setting> settings;
  for (const RunKey& known : kRunKeys) {
    Setting setting = {.name = known.name, .is_limit = known.is_limit};
    setting.value = config.run.*known.value;
    if (!setting.value.empty()) setting.source = "[run]";
    size_t longest = 0;
    for (const auto& [folder, defaults] : config.folders) {
      const std::string& value = defaults.*known.value;
      if (value.empty() || !IsIn(cwd, folder) || folder.size() < longest) {
        continue;
      }
      longest = folder.size();
      setting.value = value;
      setting.source = absl::StrCat("[folder.\"", folder, "\"]");
    }
    const std::string variable =
        absl::StrCat("TROIKA_", absl::AsciiStrToUpper(known.name));
    if (const absl::string_view value = env.Get(variable); !value.empty()) {
      setting.value = std::string(value);
      setting.source = variable;
    }
    settings.push_back(setting);
  }
  return settings;
}

std::string ValueOf(const std::vector<Setting>& settings,
                    absl::string_view name) {
  for (const Setting& setting : settings) {
    if (setting.name == name) return setting.value;
  }
  return "";
}

}  // namespace troika::cli
