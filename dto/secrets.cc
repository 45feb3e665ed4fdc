// Collects the values that are secrets, told by their names and shapes.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "dto/redact.h"

namespace troika {
namespace {

// Shorter lines of a value are found in other texts.
constexpr size_t kMinLineBytes = 24;

// A file that holds the secret: /run/secrets/db, ~/.ssh/key.pem. Base64 may
// begin with a slash, but has capitals and no dots.
bool IsPath(absl::string_view value) {
  return (absl::StartsWith(value, "/") || absl::StartsWith(value, "~/")) &&
         (absl::StrContains(value, '.') ||
          std::none_of(value.begin(), value.end(), absl::ascii_isupper));
}

// Words that would be found in any text, and what stands for a secret.
bool IsHarmlessValue(absl::string_view value) {
  static constexpr absl::string_view kWords[] = {
      "always",   "default",   "disabled", "enabled",  "helper",
      "keychain", "keyring",   "keystore", "optional", "prompt",
      "required", "undefined", "unknown"};
  const std::string lower = absl::AsciiStrToLower(value);
  return std::find(std::begin(kWords), std::end(kWords), lower) !=
             std::end(kWords) ||
         lower.find_first_not_of(lower.substr(0, 1)) == std::string::npos;
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
    if (quote != '"' || value[i] != '\\' || i + 1 == value.size()) {
      text += value[i];
      continue;
    }
    ++i;
    text += value[i] == 'n' ? '\n' : value[i] == 't' ? '\t' : value[i];
  }
  return {text, value.substr(std::min(i + 1, value.size()))};
}

// %41 is A; what is no encoding stays.
std::string PercentDecoded(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() &&
        absl::ascii_isxdigit(text[i + 1]) &&
        absl::ascii_isxdigit(text[i + 2])) {
      out += absl::HexStringToBytes(text.substr(i + 1, 2));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

class Collector {
 public:
  void AddVariable(absl::string_view name, absl::string_view value) {
    if (LooksSecretName(name)) AddNamed(name, value);
    AddWithin(value);
  }

  void AddSetting(absl::string_view setting) {
    const size_t equals = setting.find('=');
    if (equals == absl::string_view::npos) return;
    const absl::string_view key = setting.substr(0, equals);
    const absl::string_view value =
        absl::StripAsciiWhitespace(setting.substr(equals + 1));
    // As the user wrote it, which may be no TOML.
    const bool quoted =
        absl::StartsWith(value, "\"") || absl::StartsWith(value, "'");
    AddVariable(key, quoted ? TakeValue(value).first : std::string(value));
  }

  std::vector<std::string> Take() const {
    return {secrets_.begin(), secrets_.end()};
  }

 private:
  // Adds a value whose name looks like a secret's.
  void AddNamed(absl::string_view name, absl::string_view value) {
    value = absl::StripAsciiWhitespace(value);
    // The value of a table or a URL is not secret as a whole: AddWithin.
    if (absl::StartsWith(value, "{")) return;
    if (absl::StrContains(value, "://") && !absl::StrContains(value, '?'))
      return;
    AddValue(value,
             LooksPasswordName(name) ? kMinPasswordBytes : kMinSecretBytes);
  }

  // Adds the secrets within any value.
  void AddWithin(absl::string_view value) {
    std::vector<TextRange> found;
    FindSecretShapes(value, 0, TextForm::kPlain, &found);
    for (const TextRange& range : found) {
      const absl::string_view secret =
          value.substr(range.begin, range.end - range.begin);
      AddValue(secret, kMinPasswordBytes);
      AddValue(PercentDecoded(secret), kMinPasswordBytes);
    }
    value = absl::StripAsciiWhitespace(value);
    if (absl::StartsWith(value, "{")) AddTable(value.substr(1));
    AddPairs(value);
  }

  // Connection strings and queries: "host=h password=p", "Server=s;Pwd=p",
  // "?user=u&password=p", and "user:password@tcp(host)/db".
  void AddPairs(absl::string_view value) {
    for (const absl::string_view pair :
         absl::StrSplit(value, absl::ByAnyChar("; &?\n"))) {
      const size_t equals = pair.find('=');
      if (equals == absl::string_view::npos) continue;
      const absl::string_view key = pair.substr(0, equals);
      absl::string_view secret = pair.substr(equals + 1);
      if (secret.size() > 1 && (secret[0] == '\'' || secret[0] == '"') &&
          secret.back() == secret[0]) {
        secret = secret.substr(1, secret.size() - 2);
      }
      if (!LooksSecretName(key)) continue;
      AddValue(secret, kMinPasswordBytes);
      AddValue(PercentDecoded(secret), kMinPasswordBytes);
    }
    const size_t at = value.find("@tcp(");
    const size_t colon = value.find(':');
    if (at != absl::string_view::npos && colon < at) {
      AddValue(value.substr(colon + 1, at - colon - 1), kMinPasswordBytes);
    }
  }

  // key=value pairs, as {a = "x", b = {c = "y"}} has them, tables or not.
  void AddTable(absl::string_view table) {
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
      AddVariable(key, value);
      table = rest;
    }
  }

  void AddValue(absl::string_view value, size_t min_bytes) {
    value = absl::StripAsciiWhitespace(value);
    if (value.size() < min_bytes || IsPath(value) || IsHarmlessValue(value)) {
      return;
    }
    // Six digits are found in any text.
    if (value.size() < kMinSecretBytes &&
        std::all_of(value.begin(), value.end(), absl::ascii_isdigit)) {
      return;
    }
    if (!secrets_.emplace(value).second) return;
    AddLines(value);
    // A header's value: the secret also stands without the scheme's name.
    for (const absl::string_view scheme : {"Bearer ", "Basic ", "Token "}) {
      if (absl::StartsWithIgnoreCase(value, scheme)) {
        AddValue(value.substr(scheme.size()), min_bytes);
      }
    }
  }

  // A key of several lines may be printed line by line.
  void AddLines(absl::string_view value) {
    if (!absl::StrContains(value, '\n')) return;
    for (absl::string_view line : absl::StrSplit(value, '\n')) {
      line = absl::StripAsciiWhitespace(line);
      const bool is_base64 = std::all_of(line.begin(), line.end(), [](char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("+/=-_", c);
      });
      if (line.size() >= kMinLineBytes && is_base64) secrets_.emplace(line);
    }
  }

  std::set<std::string> secrets_;
};

}  // namespace

std::vector<std::string> SecretsOf(const Environment& environment,
                                   const LaunchOptions& options) {
  Collector collector;
  for (const auto& [name, value] : environment.variables()) {
    collector.AddVariable(name, value);
  }
  for (const std::string& setting : options.config) {
    collector.AddSetting(setting);
  }
  return collector.Take();
}

}  // namespace troika
