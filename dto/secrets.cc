// Which values are secrets, told by the names they have.
#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "dto/redact.h"

namespace troika {
namespace {

// The name's words in lower case: of API_KEY, apiKey and api-key api and key.
std::vector<std::string> WordsOf(absl::string_view name) {
  std::vector<std::string> words(1);
  char before = 0;
  for (const char c : name) {
    const bool starts = absl::ascii_isupper(c) && absl::ascii_islower(before);
    before = c;
    if ((!absl::ascii_isalnum(c) || starts) && !words.back().empty()) {
      words.emplace_back();
    }
    if (absl::ascii_isalnum(c)) words.back() += absl::ascii_tolower(c);
  }
  // What only numbers it or tells its form, as in API_KEY_2.
  static constexpr absl::string_view kForms[] = {"", "b64", "base64", "value"};
  while (!words.empty() &&
         (std::find(std::begin(kForms), std::end(kForms), words.back()) !=
              std::end(kForms) ||
          std::all_of(words.back().begin(), words.back().end(),
                      absl::ascii_isdigit))) {
    words.pop_back();
  }
  return words;
}

bool IsSecretWord(absl::string_view word) {
  // Also at the end of a longer word, as in PGPASSWORD.
  static constexpr absl::string_view kEnds[] = {
      "password",   "passwd",      "passphrase", "secret",
      "token",      "apikey",      "accesskey",  "secretkey",
      "privatekey", "credentials", "credential", "oauth"};
  static constexpr absl::string_view kWhole[] = {
      "key", "auth", "authorization", "pass", "cookie", "bearer"};
  return std::any_of(std::begin(kEnds), std::end(kEnds),
                     [&](auto end) { return absl::EndsWith(word, end); }) ||
         std::find(std::begin(kWhole), std::end(kWhole), word) !=
             std::end(kWhole);
}

// A file that holds the secret: /run/secrets/db, ~/.ssh/key.pem. Base64 may
// begin with a slash, but has capitals and no dots.
bool IsPath(absl::string_view value) {
  return (absl::StartsWith(value, "/") || absl::StartsWith(value, "~/")) &&
         (absl::StrContains(value, '.') ||
          std::none_of(value.begin(), value.end(), absl::ascii_isupper));
}

void AddValue(absl::string_view value, std::set<std::string>* out) {
  value = absl::StripAsciiWhitespace(value);
  if (value.size() < kMinSecretBytes || IsPath(value)) return;
  out->emplace(value);
  // A header's value: the secret also stands without the scheme's name.
  for (const absl::string_view scheme : {"Bearer ", "Basic ", "Token "}) {
    if (absl::StartsWithIgnoreCase(value, scheme)) {
      AddValue(value.substr(scheme.size()), out);
    }
  }
}

// The text of a TOML string at the begin of `value`, and what follows it. A
// value without quotes ends where its table does.
std::pair<std::string, absl::string_view> TakeValue(absl::string_view value) {
  value = absl::StripLeadingAsciiWhitespace(value);
  const char quote = value.empty() ? 0 : value[0];
  if (quote != '"' && quote != '\'') {
    const size_t end = std::min(value.find_first_of(",}"), value.size());
    return {std::string(value.substr(0, end)), value.substr(end)};
  }
  std::string text;
  size_t i = 1;
  for (; i < value.size() && value[i] != quote; ++i) {
    if (quote == '"' && value[i] == '\\' && i + 1 < value.size()) ++i;
    text += value[i];
  }
  return {text, value.substr(std::min(i + 1, value.size()))};
}

// key=value pairs, as {a = "x", b = {c = "y"}} has them, tables or not.
void AddTable(absl::string_view table, std::set<std::string>* out) {
  while (true) {
    const size_t equals = table.find_first_of("=:");
    if (equals == absl::string_view::npos) return;
    absl::string_view key = table.substr(0, equals);
    const size_t begin = key.find_last_of(",{");
    if (begin != absl::string_view::npos) key.remove_prefix(begin + 1);
    table.remove_prefix(equals + 1);
    if (absl::StartsWith(absl::StripLeadingAsciiWhitespace(table), "{")) {
      continue;
    }
    const auto [value, rest] = TakeValue(table);
    if (LooksSecretName(key)) AddValue(value, out);
    table = rest;
  }
}

void AddSetting(absl::string_view setting, std::set<std::string>* out) {
  const size_t equals = setting.find('=');
  if (equals == absl::string_view::npos) return;
  const absl::string_view key = setting.substr(0, equals);
  const absl::string_view value =
      absl::StripAsciiWhitespace(setting.substr(equals + 1));
  if (absl::StartsWith(value, "{")) {
    AddTable(value.substr(1), out);
  } else if (LooksSecretName(key)) {
    // As the user wrote it, which may be no TOML.
    const bool quoted =
        absl::StartsWith(value, "\"") || absl::StartsWith(value, "'");
    AddValue(quoted ? TakeValue(value).first : value, out);
  }
}

}  // namespace

bool LooksSecretName(absl::string_view name) {
  const std::vector<std::string> words = WordsOf(name);
  if (words.empty()) return false;
  // Codex's env_key has the name of a variable.
  const bool names_variable = words.size() > 1 && words.back() == "key" &&
                              words[words.size() - 2] == "env";
  return IsSecretWord(words.back()) && !names_variable;
}

std::vector<std::string> SecretsOf(const Environment& environment,
                                   const LaunchOptions& options) {
  std::set<std::string> secrets;
  for (const auto& [name, value] : environment.variables()) {
    if (LooksSecretName(name)) AddValue(value, &secrets);
  }
  for (const std::string& setting : options.config) {
    AddSetting(setting, &secrets);
  }
  return std::vector<std::string>(secrets.begin(), secrets.end());
}

}  // namespace troika
