// Requests of the API and what Troika works with, in both directions: the
// server reads requests, and clients write them.
#ifndef TROIKA_DTO_REQUEST_H_
#define TROIKA_DTO_REQUEST_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "agent/protocol.h"
#include "dto/troika.pb.h"
#include "task/notes.h"
#include "task/request.h"

namespace troika {

// InvalidArgument and NotFound say which field is wrong and what to do.
absl::StatusOr<TaskRequest> ToTaskRequest(const v1::CreateTaskRequest& body);
// Sets what the body says in a request that ForkOf() has made.
absl::Status ApplyForkRequest(const v1::ForkRequest& body,
                              TaskRequest* request);
absl::StatusOr<AnswerGiven> ToAnswer(const v1::RespondRequest& body);
absl::StatusOr<std::optional<absl::Duration>> GraceOf(
    const v1::StopRequest& body);
absl::StatusOr<notes::Timeouts> ToTimeouts(const v1::Timeouts& from);
// InvalidArgument if a limit is not above zero, or absurd.
absl::StatusOr<notes::Budget> ToBudget(const v1::Budget& from);
v1::Budget ToBudget(const notes::Budget& budget);
// Checks an idempotency_key.
absl::Status CheckKey(absl::string_view key);
// InvalidArgument if `env` has a variable that no process could have.
absl::Status CheckVariables(
    const google::protobuf::Map<std::string, std::string>& env);
EditMode ToEditMode(v1::EditMode mode);

// Paths must be absolute. The variables that an agent may have go along.
v1::CreateTaskRequest ToCreateRequest(const TaskRequest& request,
                                      const Environment& environment);
// Asks for the harnesses as a task of `run` with that environment finds them.
v1::ProbeHarnessesRequest ToProbeRequest(const Environment& environment);
v1::Timeouts ToTimeouts(const notes::Timeouts& timeouts);
v1::EditMode ToEditMode(EditMode mode);

}  // namespace troika

#endif  // TROIKA_DTO_REQUEST_H_
