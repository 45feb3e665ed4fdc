// LaunchOptions as a JSON object, as logs keep them.
//
//   LaunchOptionsToJson({.model = "m", .edit_mode = EditMode::kAutoEdit})
//       // {"model":"m","edit_mode":"auto_edit"}
#ifndef TROIKA_AGENT_LAUNCH_JSON_H_
#define TROIKA_AGENT_LAUNCH_JSON_H_

#include <string>

#include "absl/status/statusor.h"
#include "agent/launch/launch.h"
#include "base/json.h"

namespace troika {

// Only what is set is written.
std::string LaunchOptionsToJson(const LaunchOptions& options);

// A field that we don't know, as of a newer writer, is passed over, and null is
// as good as missing. InvalidArgument where a known field holds something else
// than it may: permissions are among them, so nothing is guessed.
absl::StatusOr<LaunchOptions> LaunchOptionsFromJson(json::Value object);

}  // namespace troika

#endif  // TROIKA_AGENT_LAUNCH_JSON_H_
