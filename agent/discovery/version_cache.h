// What CLIs said of themselves, by file, so that they need not be asked again.
//
// One small JSON file, replaced whole. It is a cache: what can't be read counts
// as empty, and what can't be written costs another question, so neither is an
// error.
#ifndef TROIKA_AGENT_DISCOVERY_VERSION_CACHE_H_
#define TROIKA_AGENT_DISCOVERY_VERSION_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace troika {

// What tells a file from the one that an update puts in its place. npm gives
// all files the same old mtime, so the time of the last change is in it too.
struct FileIdentity {
  std::string invoked;  // As it is started: some programs go by their name.
  std::string path;     // Where links lead.
  int64_t device = 0;
  int64_t inode = 0;
  int64_t size = 0;
  int64_t mtime_ns = 0;
  int64_t ctime_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

// NotFound where there is no such file.
absl::StatusOr<FileIdentity> IdentityOf(const std::string& path);

// Whether another name in its folder leads to the same file. Version managers
// have one such program for all that they manage: what it starts, and so which
// version it says, does not depend on the file.
bool HasOtherNames(const std::string& path);

struct CliFacts {
  std::string version;
  std::string help;
  // What ProbeSandbox() found, and the surroundings for which it holds.
  std::string sandbox_error = {};
  std::string sandbox_surroundings = {};
};

// Not thread-safe.
class VersionCache {
 public:
  static constexpr size_t kMaxEntries = 16;

  // An empty path: nothing is kept.
  explicit VersionCache(std::string path);

  std::optional<CliFacts> Find(const FileIdentity& identity) const;
  // Keeps it, in the file too. The same program's former facts are dropped.
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
