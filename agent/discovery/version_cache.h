// Remembers what CLIs report about themselves, so that we need not run them.
//
// Stored in one small JSON file, which is replaced as a whole. Neither reading
// nor writing it is an error if it fails: an unreadable file counts as empty,
// and a failed write only means that a CLI is run again.
#ifndef TROIKA_AGENT_DISCOVERY_VERSION_CACHE_H_
#define TROIKA_AGENT_DISCOVERY_VERSION_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troika {

// Distinguishes a file from the one that an update puts in its place. npm gives
// all files the same old mtime, so ctime is included.
struct FileIdentity {
  std::string invoked;  // As invoked: some programs depend on their name.
  std::string path;     // With links resolved.
  int64_t device = 0;
  int64_t inode = 0;
  int64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

// Returns NotFound if there is no such file.
absl::StatusOr<FileIdentity> IdentityOf(const std::string& path);

// Whether another name in its folder leads to the same file. Version managers
// use one such program for everything they manage, so the version that it
// starts does not depend on the file.
bool HasOtherNames(const std::string& path);

struct CliFacts {
  std::string version;
  std::string help;
  // Result of ProbeSandbox(), and the surroundings for which it holds.
  std::string sandbox_error = {};
  std::string sandbox_surroundings = {};
  // What ListModels() returned.
  std::vector<std::string> models = {};
};

// Not thread-safe.
class VersionCache {
 public:
  static constexpr size_t kMaxEntries = 16;

  // If the path is empty, nothing is stored.
  explicit VersionCache(std::string path);

  std::optional<CliFacts> Find(const FileIdentity& identity) const;
  // Stores the facts, in the file too, in place of the program's earlier ones.
  void Add(const FileIdentity& identity, const CliFacts& facts);

 private:
  struct Entry {
    FileIdentity identity;
    CliFacts facts;
  };

  void Load();
  void Save() const;

  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_VERSION_CACHE_H_
