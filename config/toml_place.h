// Errors that name a place in the configuration file, and values that several
// of its tables have. Internal to config/.
#ifndef TROIKA_CONFIG_TOML_PLACE_H_
#define TROIKA_CONFIG_TOML_PLACE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/hook.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include "toml++/toml.h"

namespace troika::config {

inline absl::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

class Place {
 public:
  explicit Place(absl::string_view path) : path_(path) {}

  absl::Status Fail(const toml::source_region& where,
                    absl::string_view what) const;
  absl::Status Unknown(const toml::key& key, absl::string_view where) const;
  // A text that is not empty and has no NUL.
  absl::StatusOr<std::string> ReadText(const toml::key& key,
                                       const toml::node& node) const;
  // A program and its arguments.
  absl::StatusOr<std::vector<std::string>> ReadCommand(
      const toml::key& key, const toml::node& node) const;
  // The path of a folder: absolute, without a slash at its end.
  absl::Status CheckFolder(const toml::source_region& where,
                           std::string_view folder) const;
  // Letters, digits, -, _ and . only. `what` is "agent" or "hook".
  absl::Status CheckName(const toml::key& name, absl::string_view what) const;

 private:
  const absl::string_view path_;
};

// Reads the table [hook.NAME] (read_hook.cc).
absl::StatusOr<Hook> ReadHook(const Place& place, const toml::key& name,
                              const toml::node& node);

}  // namespace troika::config

#endif  // TROIKA_CONFIG_TOML_PLACE_H_
