// The token of the API, which clients on TCP send with each request.
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
  // Creates the file if there is none, readable by the owner only. On a full
  // disk there is no token, and nothing matches. FailedPrecondition if others
  // may read the file.
  static absl::StatusOr<Token> Open(const std::string& path);

  // Takes the same time for right and wrong tokens. Follows a file that is
  // replaced; if the file is gone, nothing matches.
  bool Matches(absl::string_view given);
  // Why nothing matched the file when Matches() last read it. Names no path.
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
