// The files with rules: the user's in $TROIKA_HOME/policy, and a project's in
// .troika, which count once the user has trusted exactly their content.
//
// All functions are thread-safe, and block.
#ifndef TROIKA_TASK_POLICY_FILES_H_
#define TROIKA_TASK_POLICY_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "task/home.h"
#include "task/notes.h"

namespace troika {

// Limits of the rules of a task, together.
inline constexpr size_t kMaxPolicyBytes = size_t{1} << 20;
inline constexpr size_t kMaxPolicyFiles = 64;

// Values of notes::RulesFile::origin.
inline constexpr absl::string_view kUserPolicy = "user";
inline constexpr absl::string_view kProjectPolicy = "project";
inline constexpr absl::string_view kTaskPolicy = "task";
inline constexpr absl::string_view kParentPolicy = "parent";

using RulesFiles = std::vector<notes::RulesFile>;

// The folder of the rules of the project that `cwd` is in: .troika in the root
// of the git repository, or in `cwd` itself if there is none.
std::string ProjectPolicyFolder(const std::string& cwd);

// All files NAME.rules of a folder, by their names. One that can't be read has
// an error; a folder that does not exist has none.
RulesFiles ReadPolicyFolder(const std::string& folder,
                            absl::string_view origin);
// One file; it has an error if it can't be read.
notes::RulesFile ReadPolicyFile(const std::string& path,
                                absl::string_view origin);

// A fingerprint of names and texts.
std::string PolicyDigest(const RulesFiles& files);

// The content of a folder that the user has trusted.
struct TrustedFolder {
  std::string folder;
  absl::Time at;
  RulesFiles files;
};

// DataLoss, with what to do, if the list of trusted folders can't be read.
absl::StatusOr<std::vector<TrustedFolder>> ReadTrusted(const Home& home);
// Nothing if the folder is not trusted, or the list can't be read.
std::optional<TrustedFolder> FindTrusted(const Home& home,
                                         absl::string_view folder);
// Trusts the folder as it is. FailedPrecondition if its digest is another one,
// or a file can't be read; InvalidArgument if a file is broken.
absl::Status TrustFolder(const Home& home, const std::string& folder,
                         absl::string_view digest, absl::Time now);
// NotFound if the folder is not trusted.
absl::Status UntrustFolder(const Home& home, absl::string_view folder);

// Adds a rule to the user's file user.rules, with a comment before it, unless
// it has this rule. The file is replaced as a whole, and no link is followed.
// FailedPrecondition if the file is broken, InvalidArgument if the rule is.
absl::Status AddUserRule(const Home& home, absl::string_view rule,
                         absl::string_view comment);

}  // namespace troika

#endif  // TROIKA_TASK_POLICY_FILES_H_
