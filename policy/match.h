// Which rules speak of a command. Only for the sources of this library.
#ifndef TROIKA_POLICY_MATCH_H_
#define TROIKA_POLICY_MATCH_H_

#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "policy/decide.h"
#include "policy/prefix_index.h"
#include "policy/rules_data.h"

namespace troika::policy {

// The rules found by `codex execpolicy check`.
struct CodexMatches {
  absl::InlinedVector<int, 8> rules;  // Indexes, in their order.
  // The program's path, if the rules speak of its name.
  std::string resolved_program;
};
CodexMatches MatchAsCodex(const PrefixIndex& index,
                          const HostExecutablePaths& host_executables,
                          absl::Span<const std::string> words,
                          HostExecutables resolve);

// Returns the name of the file that `path` names, which may be empty.
absl::string_view BaseName(absl::string_view path);

}  // namespace troika::policy

#endif  // TROIKA_POLICY_MATCH_H_
