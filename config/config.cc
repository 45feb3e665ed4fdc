#include "config/config.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/harness.h"
#include "base/blocking.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "config/toml_place.h"

namespace troika {
namespace {

using config::Place;
using config::View;

constexpr size_t kMaxBytes = size_t{1} << 20;
constexpr size_t kMaxHooks = 50;

std::string RunKeyNames() {
  return absl::StrJoin(kRunKeys, ", ", [](std::string* out, const auto& key) {
    absl::StrAppend(out, key.name);
  });
}

class Reader {
 public:
  explicit Reader(const Place* place) : place_(*place) {}

  absl::StatusOr<Config> Read(const toml::table& root) const {
    Config config;
    for (const auto& [key, value] : root) {
      if (key.str() == "run") {
        ASSIGN_OR_RETURN(config.run, ReadDefaults(key, value, "[run]"));
      } else if (key.str() == "folder") {
        ASSIGN_OR_RETURN(config.folders, ReadFolders(key, value));
      } else if (key.str() == "acp") {
        ASSIGN_OR_RETURN(config.acp, ReadAgents(key, value));
      } else if (key.str() == "hook") {
        ASSIGN_OR_RETURN(config.hooks, ReadHooks(key, value));
      } else {
        return place_.Unknown(key,
                              "the file; it can have [run], [folder.\"PATH\"], "
                              "[acp.NAME] and [hook.NAME]");
      }
    }
    return config;
  }

 private:
  absl::StatusOr<RunDefaults> ReadDefaults(const toml::key& name,
                                           const toml::node& node,
                                           absl::string_view where) const {
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      return place_.Fail(name.source(), absl::StrCat(where, " is not a table"));
    }
    RunDefaults defaults;
    for (const auto& [key, value] : *table) {
      const absl::string_view wanted = View(key.str());
      const auto known =
          std::find_if(std::begin(kRunKeys), std::end(kRunKeys),
                       [&](const RunKey& run) { return run.name == wanted; });
      if (known == std::end(kRunKeys)) {
        return place_.Unknown(
            key, absl::StrCat(where, "; it can have ", RunKeyNames()));
      }
      ASSIGN_OR_RETURN(defaults.*known->value, place_.ReadText(key, value));
    }
    return defaults;
  }

  absl::StatusOr<std::map<std::string, RunDefaults, std::less<>>> ReadFolders(
      const toml::key& name, const toml::node& node) const {
    std::map<std::string, RunDefaults, std::less<>> folders;
    if (!node.is_table()) {
      return place_.Fail(name.source(),
                         "folder is not a table: write [folder.\"/PATH\"]");
    }
    for (const auto& [path, table] : *node.as_table()) {
      const std::string_view folder = path.str();
      RETURN_IF_ERROR(place_.CheckFolder(path.source(), folder));
      ASSIGN_OR_RETURN(
          folders[std::string(folder)],
          ReadDefaults(path, table,
                       absl::StrCat("[folder.\"", View(folder), "\"]")));
    }
    return folders;
  }

  absl::StatusOr<std::map<std::string, AcpAgent, std::less<>>> ReadAgents(
      const toml::key& key, const toml::node& node) const {
    std::map<std::string, AcpAgent, std::less<>> agents;
    if (!node.is_table()) {
      return place_.Fail(key.source(), "acp is not a table: write [acp.NAME]");
    }
    for (const auto& [name, agent] : *node.as_table()) {
      RETURN_IF_ERROR(place_.CheckName(name, "an agent"));
      if (HarnessFromId(View(name.str()))) {
        return place_.Fail(name.source(),
                           absl::StrCat(View(name.str()),
                                        " is a harness; choose another name"));
      }
      ASSIGN_OR_RETURN(agents[std::string(name.str())],
                       ReadAcpAgent(name, agent));
    }
    return agents;
  }

  absl::StatusOr<AcpAgent> ReadAcpAgent(const toml::key& name,
                                        const toml::node& node) const {
    const std::string where = absl::StrCat("[acp.", View(name.str()), "]");
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      return place_.Fail(name.source(), absl::StrCat(where, " is not a table"));
    }
    AcpAgent agent;
    for (const auto& [key, value] : *table) {
      if (key.str() == "command") {
        ASSIGN_OR_RETURN(agent.command, place_.ReadCommand(key, value));
      } else if (key.str() == "agents") {
        const std::optional<bool> agents = value.value_exact<bool>();
        if (!agents) {
          return place_.Fail(key.source(), "agents is true or false");
        }
        agent.agents = *agents;
      } else {
        return place_.Unknown(
            key, absl::StrCat(where, "; it has command and agents"));
      }
    }
    if (agent.command.empty()) {
      return place_.Fail(
          name.source(),
          absl::StrCat(where, R"( needs command = ["program", …])"));
    }
    return agent;
  }

  absl::StatusOr<std::map<std::string, Hook, std::less<>>> ReadHooks(
      const toml::key& key, const toml::node& node) const {
    std::map<std::string, Hook, std::less<>> hooks;
    if (!node.is_table()) {
      return place_.Fail(key.source(),
                         "hook is not a table: write [hook.NAME]");
    }
    for (const auto& [name, hook] : *node.as_table()) {
      RETURN_IF_ERROR(place_.CheckName(name, "a hook"));
      ASSIGN_OR_RETURN(hooks[std::string(name.str())],
                       config::ReadHook(place_, name, hook));
    }
    if (hooks.size() > kMaxHooks) {
      return place_.Fail(key.source(),
                         absl::StrCat("more than ", kMaxHooks, " hooks"));
    }
    return hooks;
  }

  const Place& place_;
};

}  // namespace

std::string ConfigPath(const Environment& env) {
  const absl::string_view folder = env.Get("XDG_CONFIG_HOME");
  if (!folder.empty() && folder[0] == '/') {
    return absl::StrCat(folder, "/troika/config.toml");
  }
  const absl::string_view home = env.Get("HOME");
  return home.empty() ? "" : absl::StrCat(home, "/.config/troika/config.toml");
}

absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   absl::string_view path) {
  const toml::parse_result parsed =
      toml::parse(std::string_view(text.data(), text.size()));
  const Place place(path);
  if (!parsed) {
    return place.Fail(parsed.error().source(),
                      View(parsed.error().description()));
  }
  return Reader(&place).Read(parsed.table());
}

absl::StatusOr<Config> ReadConfig(const Environment& env) {
  AssertMayBlock("read of the configuration");
  const std::string path = ConfigPath(env);
  if (path.empty()) return Config();
  const absl::StatusOr<std::string> text = ReadFileUpTo(path, kMaxBytes);
  if (absl::IsNotFound(text.status())) return Config();
  RETURN_IF_ERROR(text.status());
  return ParseConfig(*text, path);
}

}  // namespace troika
