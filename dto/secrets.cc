// Finds the values that are secrets, by their names and shapes.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "dto/redact.h"

namespace troika {
namespace {

using Words = std::vector<std::string>;

bool Contains(absl::Span<const absl::string_view> list,
              absl::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool EndsInOneOf(absl::Span<const absl::string_view> ends,
                 absl::string_view word) {
  return std::any_of(ends.begin(), ends.end(), [&](absl::string_view end) {
    return absl::EndsWith(word, end);
  });
}

// Whether a new word begins at `i`: a capital after a small letter (apiKey), or
// the last of several capitals before a small letter (APIKey).
bool StartsWord(absl::string_view name, size_t i) {
  if (i == 0 || !absl::ascii_isupper(name[i])) return false;
  if (absl::ascii_islower(name[i - 1])) return true;
  return absl::ascii_isupper(name[i - 1]) && i + 1 < name.size() &&
         absl::ascii_islower(name[i + 1]);
}

// The words of a name in lower case: "api" and "key" of API_KEY, apiKey and
// api-key. A last word that only numbers the value or tells its encoding is
// left out, as in API_KEY_2.
Words WordsOf(absl::string_view name) {
  Words words(1);
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if ((!absl::ascii_isalnum(c) || StartsWord(name, i)) &&
        !words.back().empty()) {
      words.emplace_back();
    }
    if (absl::ascii_isalnum(c)) words.back() += absl::ascii_tolower(c);
  }
  const auto is_form = [](const std::string& word) {
    return Contains({"", "b64", "base64", "value"}, word) ||
           std::all_of(word.begin(), word.end(), absl::ascii_isdigit);
  };
  while (!words.empty() && is_form(words.back())) words.pop_back();
  return words;
}

bool IsPasswordWord(absl::string_view word) {
  if (Contains({"askpass", "bypass", "compass", "encompass", "oldpwd"}, word)) {
    return false;
  }
  return EndsInOneOf({"password", "passwd", "passphrase", "passcode", "pass",
                      "pwd", "passwords"},
                     word) ||
         absl::StartsWith(word, "password") || absl::StartsWith(word, "passwd");
}

bool IsSecretWord(absl::string_view word) {
  static constexpr absl::string_view kWhole[] = {
      "auth", "authorization", "bearer",  "cookie", "cookies",
      "cred", "creds",         "jwt",     "key",    "keys",
      "pat",  "secrets",       "signing", "tokens"};
  // Also at the end of a longer word, as in AUTHTOKEN or TS_AUTHKEY. Not just
  // "key", for MONKEY and HOTKEY.
  static constexpr absl::string_view kEnds[] = {
      "secret",        "token",      "oauth",     "credential", "credentials",
      "apikey",        "accesskey",  "secretkey", "privatekey", "signingkey",
      "encryptionkey", "masterkey",  "sshkey",    "authkey",    "sessionkey",
      "deploykey",     "accountkey", "sharedkey", "clientkey",  "servicekey"};
  // At the begin of one, as in APIKEYPROD.
  static constexpr absl::string_view kBegins[] = {"apikey", "secretkey",
                                                  "privatekey", "credential"};
  return Contains(kWhole, word) || EndsInOneOf(kEnds, word) ||
         std::any_of(std::begin(kBegins), std::end(kBegins),
                     [&](auto begin) { return absl::StartsWith(word, begin); });
}

// Last words of names whose value tells something about a secret.
bool IsAboutSecret(absl::string_view word) {
  static constexpr absl::string_view kWords[] = {
      "age",       "alg",       "algorithm", "backend",    "backends",
      "bindings",  "cmd",       "code",      "command",    "count",
      "dir",       "directory", "disabled",  "domain",     "enabled",
      "endpoint",  "env",       "exp",       "expiration", "expires",
      "expiry",    "file",      "filename",  "files",      "fingerprint",
      "folder",    "format",    "header",    "helper",     "host",
      "id",        "ids",       "issuer",    "kind",       "layout",
      "len",       "length",    "lifetime",  "limit",      "limits",
      "map",       "max",       "method",    "min",        "mode",
      "name",      "names",     "path",      "paths",      "policy",
      "port",      "prefix",    "program",   "prompt",     "provider",
      "providers", "realm",     "repeat",    "required",   "scope",
      "scopes",    "server",    "size",      "sock",       "socket",
      "store",     "suffix",    "timeout",   "ttl",        "tty",
      "type",      "uri",       "url",       "user",       "username",
      "var",       "version"};
  return Contains(kWords, word);
}

// Whether the word at `i`, which looks like a secret's, is something else here.
bool IsHarmlessWord(const Words& words, size_t i) {
  const absl::string_view word = words[i];
  absl::string_view before;
  if (i > 0) before = words[i - 1];
  if (word == "key" || word == "keys") {
    // Codex's env_key has the name of a variable.
    return Contains({"env", "foreign", "pub", "public", "primary", "sort"},
                    before);
  }
  if (word == "tokens") {
    return Contains({"budget", "context", "input", "max", "min", "num",
                     "output", "thinking", "total"},
                    before);
  }
  return false;
}

template <typename Predicate>
bool HasWord(absl::string_view name, Predicate is_wanted) {
  if (name == "PWD") return false;  // The shell's current folder.
  const Words words = WordsOf(name);
  if (words.empty()) return false;
  // A SECRET_ID is half of a login, unlike a KEY_ID.
  const bool secret_id = words.size() > 1 && words.back() == "id" &&
                         words[words.size() - 2] == "secret";
  if (IsAboutSecret(words.back()) && !secret_id) return false;
  for (size_t i = 0; i < words.size(); ++i) {
    if (is_wanted(words[i]) && !IsHarmlessWord(words, i)) return true;
  }
  return false;
}

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

bool LooksPasswordName(absl::string_view name) {
  return HasWord(name, IsPasswordWord);
}

bool LooksSecretName(absl::string_view name) {
  return HasWord(name, [](absl::string_view word) {
    return IsPasswordWord(word) || IsSecretWord(word);
  });
}

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
