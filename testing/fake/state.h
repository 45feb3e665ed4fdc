// What a CLI remembers of its sessions, in a small text file: a line a session,
// the one that was used last at the end.
//
//   session 00000000-0000-7000-8000-000000000001 turns 2 tokens 200 40 60
#ifndef TROIKA_TESTING_FAKE_STATE_H_
#define TROIKA_TESTING_FAKE_STATE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/fake/wire.h"

namespace troika::fake {

struct Session {
  std::string id;
  int turns = 0;
  Tokens total;
};

// Without a file there is no memory: every id of the right form is then taken
// for a session that had one turn.
class State {
 public:
  // `path` may be empty: no file.
  explicit State(std::string path) : path_(std::move(path)) {}

  // All of them; empty where there is no file yet.
  absl::StatusOr<std::vector<Session>> Sessions() const;
  absl::StatusOr<std::optional<Session>> Find(absl::string_view id) const;
  absl::StatusOr<std::optional<Session>> Latest() const;
  // Replaces what is known of this session. Processes may do so at once.
  absl::Status Put(const Session& session) const;
  // An id that no session has, `other` included.
  absl::StatusOr<std::string> NewId(absl::string_view other) const;

 private:
  std::string path_;
};

// Whether it has the form of one.
bool IsUuid(absl::string_view text);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_STATE_H_
