// Tells by a name whether its value is a secret.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
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

}  // namespace

bool LooksPasswordName(absl::string_view name) {
  return HasWord(name, IsPasswordWord);
}

bool LooksSecretName(absl::string_view name) {
  return HasWord(name, [](absl::string_view word) {
    return IsPasswordWord(word) || IsSecretWord(word);
  });
}

}  // namespace troika
