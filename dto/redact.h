// Takes secrets out of everything that is shown. The log keeps them: it belongs
// to its owner.
//
//   const Redactor redactor(SecretsOf(environment, options));
//   AppendEventJson(message, task, &line);
//   redactor.Redact(&line, 0);
//
// A secret is found by its value, if the task's environment or settings have
// it, and by its shape (FindSecretShapes).
#ifndef TROIKA_DTO_REDACT_H_
#define TROIKA_DTO_REDACT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"

namespace troika {

// Shorter values would be found in any text. Passwords are often short, so for
// variables that are named after them less is enough.
inline constexpr size_t kMinSecretBytes = 8;
inline constexpr size_t kMinPasswordBytes = 6;

// Whether a variable, a setting or a header of that name holds a secret:
// OPENAI_API_KEY, authToken, PGPASSWORD, SECRET_KEY_BASE, GH_PAT. A last word
// that says something about the secret makes the name harmless, as in
// AWS_ACCESS_KEY_ID, SSH_AUTH_SOCK, TLS_KEY_FILE or bearer_token_env_var.
bool LooksSecretName(absl::string_view name);
// Whether such a name is a password's.
bool LooksPasswordName(absl::string_view name);

// Values of the variables and of the key=value settings whose names look
// secret, and the passwords within other values: in URLs, in connection strings
// and in TOML's inline tables. Paths and words like "true" are no secrets.
std::vector<std::string> SecretsOf(const Environment& environment,
                                   const LaunchOptions& options);

// No form of a secret is longer: a variable of the environment has at most
// 128 KiB. So a text whose beginning is shown is redacted up to this far beyond
// it, and this much of the result's end, which may have a part of a secret, is
// left out.
inline constexpr size_t kMaxSecretBytes = size_t{256} << 10;

// A task's secrets, as far as they are known.
struct KnownSecrets {
  std::vector<std::string> values;
  // Why the values are not all known; empty if they are. Then no text of the
  // agent is shown.
  std::string problem;
};

struct TextRange {
  size_t begin = 0;
  size_t end = 0;
};

// In JSON no range reaches beyond a string or splits an escape.
enum class TextForm { kPlain, kJson };

// Adds the ranges that look like secrets by their shape, whatever the name of
// the variable or the file that they come from:
//
//   passwords in URLs            postgres://user:PASSWORD@host/db
//   keys with a known prefix     sk-…, ghp_…, AKIA…, glpat-…, xoxb-…, …
//   JSON web tokens              eyJ….eyJ….…
//   private keys                 -----BEGIN … PRIVATE KEY----- …
//   HTTP credentials             Authorization: Bearer …
//
// They are from `from` on, in no order, and may overlap. Takes linear time for
// any text.
void FindSecretShapes(absl::string_view text, size_t from, TextForm form,
                      std::vector<TextRange>* out);

// Whether the byte at `at` follows an odd number of backslashes.
bool IsEscaped(absl::string_view json, size_t at);

// Immutable; thread-safe. Looks at a fraction of the bytes of a text that holds
// no secret.
class Redactor {
 public:
  // Values under kMinPasswordBytes are left out.
  explicit Redactor(const std::vector<std::string>& secrets);
  explicit Redactor(const KnownSecrets& secrets);

  // Why texts are withheld; empty if they are not.
  const std::string& problem() const { return problem_; }

  // Replaces each secret in JSON text by "[redacted]": as it stands in a
  // string, in a string of JSON within one, percent-encoded or in base64. JSON
  // stays JSON: what may be a number becomes ones instead.
  //
  // If there is a problem(), `json` must be an event, and all of its texts
  // become "[withheld]".
  void Redact(std::string* json, size_t from) const;
  // The same for one text of an event, which has that name in JSON, and for one
  // JSON value. Nothing if there is nothing to replace.
  std::optional<std::string> RedactedText(absl::string_view json_name,
                                          absl::string_view text) const;
  std::optional<std::string> RedactedJson(absl::string_view json) const;
  // The same for any text. If there is a problem(), nothing is left of it.
  void RedactPlain(std::string* text) const;

 private:
  // Finds several texts at once by the scheme of Wu and Manber: the last two
  // bytes of a window say how far it can move.
  class Finder {
   public:
    enum class Use { kAnywhere, kPlainOnly };

    void Add(std::string text, Use use);
    void Finish();

    // Adds all occurrences from `from` on that may be replaced in `form`.
    void FindAll(absl::string_view text, size_t from, TextForm form,
                 std::vector<TextRange>* out) const;

   private:
    struct Form {
      std::string text;
      Use use;
    };

    // Length of the longest form at `at`, or 0.
    size_t Match(absl::string_view text, size_t at, TextForm form) const;

    std::vector<Form> forms_;  // Sorted; of two that begin alike the longer.
    size_t window_ = 0;
    std::array<uint8_t, 4096> shifts_;
  };

  void AddForms(const std::string& secret);
  // Whether there was something to replace.
  bool Replace(size_t from, TextForm form, std::string* text) const;

  Finder finder_;
  std::string problem_;
};

// The first bytes of a text, at most `max`. If the text is longer, they are
// without secrets: before a cut there may be a part of one, which would not be
// found, so that much is left out. A text that is not cut is as it was.
std::string BeginningOf(absl::string_view text, size_t max,
                        const Redactor* /*nullable*/ redactor);

inline constexpr absl::string_view kWithheld = "[withheld]";

// Leaves nothing of an event but its kind, ids, times and numbers. `json` from
// `from` on is one event, perhaps with a line end; it still reads as an event
// of the same kind.
void WithholdEvent(std::string* json, size_t from);

// Whether a field of an event or a task may be shown although the secrets are
// not known: it has that name in JSON, and the value looks like an identifier
// of ours or of the CLI, not like a text.
bool IsShownWithheld(absl::string_view json_name, absl::string_view value);
// The name by which IsShownWithheld decides about the items of a list. Most
// lists hold texts, whatever they are called.
absl::string_view NameOfItems(absl::string_view list_name);

}  // namespace troika

#endif  // TROIKA_DTO_REDACT_H_
