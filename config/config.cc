#include "config/config.h"

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/harness.h"
#include "base/blocking.h"
#include "base/read_file.h"
#include "base/status_macros.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include "toml++/toml.h"

namespace troika {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 20;

absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

// Makes errors that name a place in the file.
class Reader {
 public:
  explicit Reader(absl::string_view path) : path_(path) {}

  absl::Status Fail(const toml::source_region& where,
                    absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ":", where.begin.line, ": ", what));
  }

  absl::StatusOr<Config> Read(const toml::table& root) const {
    Config config;
    for (const auto& [key, value] : root) {
      if (key.str() != "acp") {
        return Unknown(key, "the file; it can have [acp.NAME]");
      }
      if (!value.is_table()) {
        return Fail(key.source(), "acp is not a table: write [acp.NAME]");
      }
      for (const auto& [name, agent] : *value.as_table()) {
        RETURN_IF_ERROR(CheckName(name));
        ASSIGN_OR_RETURN(config.acp[std::string(name.str())],
                         ReadAcpAgent(name, agent));
      }
    }
    return config;
  }

 private:
  absl::Status Unknown(const toml::key& key, absl::string_view where) const {
    return Fail(key.source(), absl::StrCat("unknown key \"", View(key.str()),
                                           "\" in ", where));
  }

  absl::Status CheckName(const toml::key& name) const {
    bool valid = !name.str().empty();
    for (const char c : name.str()) {
      valid &= absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
    }
    if (!valid) {
      return Fail(name.source(),
                  "the name of an agent has letters, digits, -, _ and . only");
    }
    if (HarnessFromId(View(name.str()))) {
      return Fail(name.source(), absl::StrCat(View(name.str()),
                                              " is a harness; choose another "
                                              "name"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<AcpAgent> ReadAcpAgent(const toml::key& name,
                                        const toml::node& node) const {
    const std::string where = absl::StrCat("[acp.", View(name.str()), "]");
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      return Fail(name.source(), absl::StrCat(where, " is not a table"));
    }
    AcpAgent agent;
    for (const auto& [key, value] : *table) {
      if (key.str() == "command") {
        ASSIGN_OR_RETURN(agent.command, ReadCommand(key, value));
      } else if (key.str() == "agents") {
        const std::optional<bool> agents = value.value_exact<bool>();
        if (!agents) return Fail(key.source(), "agents is true or false");
        agent.agents = *agents;
      } else {
        return Unknown(key, absl::StrCat(where, "; it has command and agents"));
      }
    }
    if (agent.command.empty()) {
      return Fail(name.source(),
                  absl::StrCat(where, R"( needs command = ["program", …])"));
    }
    return agent;
  }

  absl::StatusOr<std::vector<std::string>> ReadCommand(
      const toml::key& key, const toml::node& node) const {
    std::vector<std::string> command;
    const toml::array* const words = node.as_array();
    if (words != nullptr) {
      for (const toml::node& word : *words) {
        const auto text = word.value_exact<std::string>();
        if (!text || text->find('\0') != std::string::npos) {
          return Fail(word.source(), "a word of command is not a text");
        }
        command.push_back(*text);
      }
    }
    if (command.empty() || command[0].empty()) {
      return Fail(key.source(),
                  R"(command is a list of words: ["program", "--flag"])");
    }
    return command;
  }

  const absl::string_view path_;
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
  const Reader reader(path);
  if (!parsed) {
    return reader.Fail(parsed.error().source(),
                       View(parsed.error().description()));
  }
  return reader.Read(parsed.table());
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
