// What tells that a CLI is logged in: variables that are set, and files that
// are there. Nothing is ever written, and no secret is kept.
#ifndef TROIKA_AGENT_DISCOVERY_LOGIN_H_
#define TROIKA_AGENT_DISCOVERY_LOGIN_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"

namespace troika {

bool AnySet(const Environment& env, absl::Span<const absl::string_view> names);
// The folder that the variable names; where it is not set, that one of HOME.
std::string FolderOf(const Environment& env, absl::string_view variable,
                     absl::string_view under_home);
bool IsFile(const std::string& path);
// Whether the file's first megabytes hold the text.
bool FileHolds(const std::string& path, absl::string_view text);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_LOGIN_H_
