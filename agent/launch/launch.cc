#include "agent/launch/launch.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/json_fields.h"

namespace troika {

absl::StatusOr<LaunchOptions> LaunchOptionsFromJson(json::Value object) {
  LaunchOptions options;
  json::FieldReader reader;
  std::string problem;
  if (object.IsObject()) {
    reader.Read(object, &options);
    problem = reader.problem();
  } else {
    problem =
        absl::StrCat("must be an object, not ", json::TypeName(object.type()));
  }
  if (problem.empty()) return options;
  return absl::InvalidArgumentError(
      absl::StrCat("read launch options: ", problem));
}

void UseEditMode(EditMode mode, LaunchOptions* options) {
  options->edit_mode = mode;
  options->approval_policy.clear();
  options->sandbox.clear();
  options->dangerously_bypass = false;
}

}  // namespace troika
