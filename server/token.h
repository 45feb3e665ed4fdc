// The token of the API: what a client on TCP shows to be let in.
#ifndef TROIKA_SERVER_TOKEN_H_
#define TROIKA_SERVER_TOKEN_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika {

// Loop thread only.
class Token {
 public:
  // Makes the file where there is none, the owner's alone; on a full disk there
  // is no token, and nothing matches. FailedPrecondition where others may read
  // the file.
  static absl::StatusOr<Token> Open(const std::string& path);

  // Takes as long whether it is right or wrong. A file that was replaced counts
  // from then on; one that is gone lets nobody in.
  bool Matches(absl::string_view given);
  // Why the file, as Matches() last saw it, lets nobody in. Names no path.
  const absl::Status& problem() const { return problem_; }

 private:
  explicit Token(std::string path) : path_(std::move(path)) {}

  absl::Status Read();

  std::string path_;
  std::string value_;
  absl::Status problem_;
  // Identity of the file that the value was read from.
  ino_t inode_ = 0;
  int64_t changed_ns_ = 0;
};

}  // namespace troika

#endif  // TROIKA_SERVER_TOKEN_H_
