// Finds the sessions that CLIs keep on this machine, and remembers what their
// files said, so that only new and changed files are read.
#ifndef TROIKA_SERVER_SESSION_CACHE_H_
#define TROIKA_SERVER_SESSION_CACHE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/backend.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"
#include "dto/redact.h"

namespace troika {

// The outcome of a scan. Immutable once made.
struct SessionScan {
  struct Session {
    Harness harness;
    NativeSession session;
    std::string path;
    int64_t size = 0;
    absl::Time changed;
  };
  struct Skipped {
    std::string path;
    std::string reason;
  };
  static constexpr size_t kMaxSkipped = 20;

  // The last changed first; each session once.
  std::vector<Session> sessions;
  std::vector<Skipped> skipped;  // The first kMaxSkipped of them.
  int skipped_count = 0;
  int files = 0;       // All files that were found.
  int files_read = 0;  // Those that were new or had changed.
};

// What a scan remembers is kept in a file, too, which may be deleted: an
// unreadable file counts as empty, and a failed write only means that files are
// read again. Blocks. For one thread at a time.
class SessionCache {
 public:
  // What a file said when it was read.
  struct Entry {
    int64_t size = 0;
    int64_t mtime_ns = 0;
    std::string problem;  // Why the file can't be read; empty if it can.
    std::optional<NativeSession> session;
  };
  using Entries = std::map<std::string, Entry>;  // By path.
  // Entries of a folder in which a CLI keeps sessions.
  struct Root {
    std::string harness;
    std::string path;
    Entries entries;
  };

  // Prompts are kept without the secrets that `redactor` knows, and cut to what
  // is shown of them.
  SessionCache(std::string path, Redactor redactor)
      : path_(std::move(path)), redactor_(std::move(redactor)) {}

  // Finds the sessions of all harnesses where `env` says that they are.
  SessionScan Scan(const Environment& env);

 private:
  void ScanHarness(const Backend& backend, const Environment& env,
                   SessionScan* scan);
  // Takes the entries of that folder, or none if it is not known.
  Entries TakeRoot(absl::string_view harness, absl::string_view path);
  // Leaves what may be shown of a session.
  void Redact(NativeSession* session) const;
  void Load();
  void Save();

  const std::string path_;
  const Redactor redactor_;
  bool loaded_ = false;
  std::vector<Root> roots_;  // The last scanned first.
  int unsaved_ = 0;          // Files that were read since the last Save().
};

}  // namespace troika

#endif  // TROIKA_SERVER_SESSION_CACHE_H_
