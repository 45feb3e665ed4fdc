// `troika` alone on a terminal: all tasks live, and what needs the user.
#ifndef TROIKA_CLI_DASHBOARD_DASHBOARD_H_
#define TROIKA_CLI_DASHBOARD_DASHBOARD_H_

#include <functional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "cli/dashboard/new_task_form.h"
#include "cli/io.h"
#include "cli/timeline/task_view.h"
#include "client/address.h"
#include "dto/troika.pb.h"

namespace troika::cli {

struct DashboardOptions {
  client::ServerAddress address;
  Environment environment;
  ViewOptions view;
  absl::string_view help;         // Of `troika dashboard`; ? shows its keys.
  absl::string_view attach_help;  // Of `troika attach`.
  NewTask defaults;               // What the form for a new task begins with.
  FormChoices choices;
  // Makes the request for a new task, as `troika run` does. Must not block.
  std::function<absl::StatusOr<v1::CreateTaskRequest>(const NewTask&)>
      make_request;
};

// Returns the exit code: kExitOk after the user has left. The server is started
// again if it is gone. CheckCanAttach() must be OK. Handles signals meanwhile.
int RunDashboard(const DashboardOptions& options, const Io& io);

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_DASHBOARD_H_
