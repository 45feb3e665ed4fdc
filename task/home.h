// The folder where tasks live: $TROIKA_HOME, by default ~/.local/state/troika.
//
//   tasks/ID/log.v1    the task's log, and beside it what its relay needs
//   tasks/ID/env       the environment that its agent runs with
//   policy/            the user's rules, and which projects' rules are trusted
//   cache/             what can be found out again
//
// All of it is the owner's alone: logs and environments are secret.
#ifndef TROIKA_TASK_HOME_H_
#define TROIKA_TASK_HOME_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "agent/discovery/environment.h"
#include "base/fd.h"

namespace troika {

// The name of the server's socket in the folder.
inline constexpr char kServerSocket[] = "server.sock";
// The name of the file in a task's folder that has its environment.
inline constexpr char kEnvironmentName[] = "env";

// A task's folder, open.
struct TaskFolder {
  std::string id;
  std::string path;
  UniqueFd fd;
};

class Home {
 public:
  // Opens the folder that `environment` names, and makes it if it is missing.
  static absl::StatusOr<Home> Open(const Environment& environment);

  // A new folder, with an id of its own. Ids sort by the time they were made.
  // If `prepared` names a folder that PrepareFolder() has made, it is that one,
  // unless somebody has changed it.
  absl::StatusOr<TaskFolder> NewTask(const std::string& prepared = "") const;
  // Makes a folder with the files of a task and `more` ones, all empty, and
  // syncs it: the task that gets it is then made faster, as its files have
  // their inodes. Returns its path. Blocks.
  absl::StatusOr<std::string> PrepareFolder(
      absl::Span<const char* const> more = {}) const;
  void RemovePreparedFolders() const;
  // By its id, which must be one (relay::IsTaskId).
  absl::StatusOr<TaskFolder> OpenTask(std::string id) const;
  // By an id, or the beginning of one that no other has. NotFound and
  // InvalidArgument say what there is.
  absl::StatusOr<TaskFolder> FindTask(absl::string_view id) const;
  // The newest first.
  std::vector<std::string> TaskIds() const;

  const std::string& path() const { return path_; }
  std::string tasks_path() const { return path_ + "/tasks"; }
  // The folder of the task that has this id.
  std::string TaskPath(absl::string_view id) const;
  // The cache of CLI versions for FindCli.
  std::string version_cache() const { return path_ + "/cache/versions"; }
  // The folder of the user's rules (task/policy_files.h).
  std::string policy_path() const { return path_ + "/policy"; }
  // The index of the CLIs' own sessions.
  std::string session_cache() const { return path_ + "/cache/sessions.v2"; }

 private:
  explicit Home(std::string path) : path_(std::move(path)) {}

  // Where prepared folders are: on the file system of the tasks.
  std::string prepared_path() const { return tasks_path() + "/.prepared"; }

  std::string path_;
};

// Keeps the environment of a task for its later turns. Syncs nothing.
absl::Status WriteEnvironment(const TaskFolder& folder,
                              const Environment& environment);
absl::StatusOr<Environment> ReadEnvironment(const TaskFolder& folder);

// Tells whether an environment that was read is the one that was written. It
// stands in the task's log, beside the file itself, and protects against loss,
// not against forgery.
std::string EnvironmentDigest(const Environment& environment);

}  // namespace troika

#endif  // TROIKA_TASK_HOME_H_
