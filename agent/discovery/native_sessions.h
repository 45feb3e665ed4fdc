// Reads the sessions that CLIs keep on this machine: conversations, each in a
// file of its own. The files belong to the CLIs and are only read. They may be
// gigabytes long, malformed, or deleted while we read them, so only the
// beginning and the end of a file are read.
#ifndef TROIKA_AGENT_DISCOVERY_NATIVE_SESSIONS_H_
#define TROIKA_AGENT_DISCOVERY_NATIVE_SESSIONS_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/cli_files.h"
#include "agent/discovery/environment.h"
#include "base/json.h"

namespace troika {

struct NativeSession {
  std::string id;
  std::string cwd;           // Empty if the CLI does not tell it.
  std::string first_prompt;  // Its beginning; empty if it was not found.
  std::string model;         // The last one that was used.
  std::string forked_from;   // Id of the session that this one is a copy of.
  std::optional<absl::Time> started;
  bool archived = false;

  bool operator==(const NativeSession&) const = default;
};

// Nothing if the file is no session of a user, such as a subagent's. An error
// if it is damaged or can't be read; the message says why, without the path.
using SessionReading = absl::StatusOr<std::optional<NativeSession>>;

// Describes where a CLI keeps its sessions. Constants, and functions without
// state. Thread-safe.
struct SessionKeeping {
  // Variables that decide about the folder.
  std::vector<absl::string_view> variables;
  // The folder that has all of them, for messages.
  std::filesystem::path (*Root)(const Environment& env);
  // Returns the files that may be sessions, the last changed first. If `cwd` is
  // not empty, files of other working folders may be left out.
  std::vector<SessionFile> (*Files)(const Environment& env,
                                    absl::string_view cwd);
  SessionReading (*Read)(const SessionFile& file);
};

// Returns the id of the session of `cwd` that was used last. NotFound names the
// folder that has none. `cli` is the CLI's name.
absl::StatusOr<std::string> LatestSession(const SessionKeeping& keeping,
                                          absl::string_view cli,
                                          absl::string_view cwd,
                                          const Environment& env);

// Calls `visit` with each line that is a JSON object, from the start or the end
// of the file, until it returns false. The file's first or last 64 KiB are
// read, and if they are not enough, all lines are visited again within the
// first or last 4 MiB. Returns the number of objects that were visited.
absl::StatusOr<int> VisitFirstLines(const SessionFile& file,
                                    absl::FunctionRef<bool(json::Value)> visit);
absl::StatusOr<int> VisitLastLines(const SessionFile& file,
                                   absl::FunctionRef<bool(json::Value)> visit);

// Returns the beginning of a prompt, which is longer than what lists show of
// it, so that secrets can be taken out first.
std::string PromptBeginning(absl::string_view prompt);
// Returns nothing if `text` is not a time of the form 2026-11-17T15:00:00.123Z.
std::optional<absl::Time> SessionTime(absl::string_view text);

// Cuts what is too long. DataLoss if the session has no usable id.
SessionReading Checked(NativeSession session);

}  // namespace troika

#endif  // TROIKA_AGENT_DISCOVERY_NATIVE_SESSIONS_H_
