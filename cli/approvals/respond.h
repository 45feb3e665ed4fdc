// An answer to what a task's agent asks.
#ifndef TROIKA_CLI_APPROVALS_RESPOND_H_
#define TROIKA_CLI_APPROVALS_RESPOND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct Reply {
  enum class Kind { kAllow, kDeny, kAnswer };
  std::string id;  // What is answered; empty: the one thing that waits.
  Kind kind = Kind::kAllow;
  std::string reason;
  std::vector<std::string> answers;  // To each item: as asker.h reads them.
};

// FailedPrecondition where nothing like it waits, or several things do and no
// id was given; InvalidArgument where the answers are not as many as is asked.
absl::StatusOr<v1::RespondRequest> MakeResponse(const v1::Task& task,
                                                const Reply& reply);

// FailedPrecondition if nothing waits in `task`, or not what has this id.
absl::Status CheckWaits(const v1::Task& task, const std::string& id);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_RESPOND_H_
