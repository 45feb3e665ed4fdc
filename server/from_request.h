// What requests of the API ask for, in the words of tasks.
#ifndef TROIKA_SERVER_FROM_REQUEST_H_
#define TROIKA_SERVER_FROM_REQUEST_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/launch/launch.h"
#include "dto/troika.pb.h"
#include "task/answer.h"
#include "task/request.h"
#include "task/runner.h"

namespace troika {

// InvalidArgument and NotFound say which field is wrong and what to do.
absl::StatusOr<TaskRequest> ToTaskRequest(const v1::CreateTaskRequest& body);
absl::StatusOr<AnswerRequest> ToAnswer(const v1::RespondRequest& body);
absl::StatusOr<std::optional<absl::Duration>> GraceOf(
    const v1::StopRequest& body);
absl::StatusOr<notes::Timeouts> ToTimeouts(const v1::Timeouts& from);
// Checks an idempotency_key.
absl::Status CheckKey(absl::string_view key);
// InvalidArgument if `env` has a variable that no process could have.
absl::Status CheckVariables(
    const google::protobuf::Map<std::string, std::string>& env);
EditMode ToEditMode(v1::EditMode mode);

// An error of making a task as its client may see it: without secrets. That the
// disk is full is no limit of ours, so it becomes Unavailable.
absl::Status ErrorForClient(const absl::Status& error,
                            const std::vector<std::string>& secrets);

// A ListTasksResponse of tasks that are encoded already.
std::string TasksPageJson(const std::vector<std::string>& tasks,
                          absl::string_view next_page_token);

}  // namespace troika

#endif  // TROIKA_SERVER_FROM_REQUEST_H_
