// A task's request as the API takes it.
#ifndef TROIKA_CLI_CREATE_REQUEST_H_
#define TROIKA_CLI_CREATE_REQUEST_H_

#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "agent/launch/launch.h"
#include "dto/troika.pb.h"
#include "task/request.h"

namespace troika::cli {

// Paths become absolute, from where we are. Of `environment` goes along what an
// agent may have.
v1::CreateTaskRequest ToCreateRequest(TaskRequest request,
                                      const Environment& environment);

// Asks for the harnesses as a task of `run` with that environment finds them.
v1::ProbeHarnessesRequest ToProbeRequest(const Environment& environment);

v1::LaunchOptions ToLaunchOptions(const LaunchOptions& options);
v1::EditMode ToEditMode(EditMode mode);
v1::Timeouts ToTimeouts(const notes::Timeouts& timeouts);
google::protobuf::Duration ToDuration(absl::Duration duration);

}  // namespace troika::cli

#endif  // TROIKA_CLI_CREATE_REQUEST_H_
