#include "config/toml_place.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace troika::config {

absl::Status Place::Fail(const toml::source_region& where,
                         absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(path_, ":", where.begin.line, ": ", what));
}

absl::Status Place::Unknown(const toml::key& key,
                            absl::string_view where) const {
  return Fail(key.source(),
              absl::StrCat("unknown key \"", View(key.str()), "\" in ", where));
}

absl::StatusOr<std::string> Place::ReadText(const toml::key& key,
                                            const toml::node& node) const {
  auto text = node.value_exact<std::string>();
  if (!text || text->empty() || text->find('\0') != std::string::npos) {
    return Fail(key.source(),
                absl::StrCat(View(key.str()), " is a text in quotes"));
  }
  return *std::move(text);
}

absl::StatusOr<std::vector<std::string>> Place::ReadCommand(
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

absl::Status Place::CheckFolder(const toml::source_region& where,
                                std::string_view folder) const {
  if (!folder.empty() && folder[0] == '/' &&
      (folder.size() == 1 || folder.back() != '/')) {
    return absl::OkStatus();
  }
  return Fail(where,
              "the path of a folder is absolute, without a slash at its end");
}

absl::Status Place::CheckName(const toml::key& name,
                              absl::string_view what) const {
  bool valid = !name.str().empty() && name.str().size() <= 64;
  for (const char c : name.str()) {
    valid &= absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
  }
  if (valid) return absl::OkStatus();
  return Fail(name.source(),
              absl::StrCat("the name of ", what,
                           " has letters, digits, -, _ and . only"));
}

}  // namespace troika::config
