// Stores a CLI's sessions in a small text file, one per line, the last used one
// at the end.
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

// Without a file nothing is remembered, and every well-formed id counts as a
// session that had one turn.
class State {
 public:
  // If `path` is empty, there is no file.
  explicit State(std::string path) : path_(std::move(path)) {}

  // Returns all sessions; none if there is no file yet.
  absl::StatusOr<std::vector<Session>> Sessions() const;
  absl::StatusOr<std::optional<Session>> Find(absl::string_view id) const;
  absl::StatusOr<std::optional<Session>> Latest() const;
  // Replaces this session's entry. Several processes may do so at once.
  absl::Status Put(const Session& session) const;
  // Returns an id that is neither a session's nor `other`.
  absl::StatusOr<std::string> NewId(absl::string_view other) const;

 private:
  std::string path_;
};

// Whether the text has the form of a UUID.
bool IsUuid(absl::string_view text);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_STATE_H_
