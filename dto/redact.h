// Takes secrets out of what is shown. The log keeps them: it is its owner's.
//
//   const Redactor redactor(SecretsOf(environment, options));
//   AppendEventJson(message, task, &line);
//   redactor.Redact(&line, 0);
#ifndef TROIKA_DTO_REDACT_H_
#define TROIKA_DTO_REDACT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/environment.h"
#include "agent/launch.h"

namespace troika {

// What is shorter would be found in any text.
inline constexpr size_t kMinSecretBytes = 8;

// Whether a variable, a setting or a header of that name holds a secret:
// OPENAI_API_KEY, authToken, PGPASSWORD, http_headers.Authorization. The word
// must be the last one: what follows it says something about the secret, as in
// AWS_ACCESS_KEY_ID, SSH_AUTH_SOCK or bearer_token_env_var.
bool LooksSecretName(absl::string_view name);

// Values of the variables and of the key=value settings whose names look
// secret, those within TOML's inline tables too. Paths are no secrets.
std::vector<std::string> SecretsOf(const Environment& environment,
                                   const LaunchOptions& options);

// Immutable; thread-safe. Looks at a fraction of the bytes where there is
// nothing to find.
class Redactor {
 public:
  // Those under kMinSecretBytes are passed over.
  explicit Redactor(const std::vector<std::string>& secrets);

  // There is nothing to look for.
  bool empty() const { return plain_.empty(); }

  // Replaces each secret in JSON text by "[redacted]": as it stands in a
  // string, and in a string of JSON within one. JSON stays JSON: what may be a
  // number becomes ones instead.
  void Redact(std::string* json, size_t from) const;
  // In any other text.
  void RedactPlain(std::string* text) const;

 private:
  // Some texts to find, all at once, by the scheme of Wu and Manber: the last
  // two bytes of a window say how far it can move.
  class Finder {
   public:
    bool empty() const { return forms_.empty(); }
    void Add(std::string form);
    void Finish();

    struct Match {
      size_t begin = 0;
      size_t end = 0;
    };
    // The first one from `from` on; of several there, the longest.
    std::optional<Match> Find(absl::string_view text, size_t from) const;

   private:
    std::vector<std::string> forms_;  // The longest first.
    size_t window_ = 0;
    std::array<uint8_t, 4096> shifts_;
  };

  Finder json_;
  Finder plain_;
};

}  // namespace troika

#endif  // TROIKA_DTO_REDACT_H_
