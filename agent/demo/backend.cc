#include "agent/demo/backend.h"

#include "absl/status/status.h"

namespace troika::demo {

CliNames DemoBackend::cli_names() const {
  CliNames names = wire_.cli_names();
  names.program = "troika-demo-agent";
  names.env = {"TROIKA_DEMO_BIN"};
  names.install = "the rest of Troika";
  names.place = CliNames::Place::kBesideUs;
  return names;
}

absl::StatusOr<std::string> DemoBackend::LatestSession(
    absl::string_view, const Environment&) const {
  return absl::NotFoundError("the demo keeps no sessions: start a new task");
}

}  // namespace troika::demo
