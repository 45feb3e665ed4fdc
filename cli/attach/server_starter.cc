#include "cli/attach/server_starter.h"

namespace troika::cli {

std::function<absl::Status()> ServerStarter::Function() {
  if (!start_) return nullptr;
  return [this] { return Start(); };
}

absl::Status ServerStarter::Start() {
  const absl::Status starts = absl::UnavailableError("it is being started");
  if (std::exchange(starting_, true)) return starts;
  requests_.Ask([start = start_](client::ApiClient&) { return start(); },
                [this](const absl::Status& started) {
                  starting_ = false;
                  error_ = started;
                });
  return error_.ok() ? starts : std::exchange(error_, {});
}

}  // namespace troika::cli
