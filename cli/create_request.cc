#include "cli/create_request.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/harness.h"
#include "base/json.h"
#include "cli/commands/server.h"

namespace troika::cli {
namespace {

// Sets a field of LaunchOptions, that has the same name in both.
class FieldSetter {
 public:
  FieldSetter(absl::string_view name, v1::LaunchOptions* out)
      : out_(*out),
        reflection_(*out->GetReflection()),
        field_(*out->GetDescriptor()->FindFieldByName(std::string(name))) {}

  void Set(const std::string& value) {
    reflection_.SetString(&out_, &field_, json::ToValidUtf8(value));
  }
  void Set(const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      reflection_.AddString(&out_, &field_, json::ToValidUtf8(value));
    }
  }
  void Set(bool value) { reflection_.SetBool(&out_, &field_, value); }
  void Set(const std::optional<bool>& value) { Set(*value); }
  void Set(const std::optional<EditMode>& mode) {
    reflection_.SetEnumValue(&out_, &field_, ToEditMode(*mode));
  }

 private:
  v1::LaunchOptions& out_;
  const google::protobuf::Reflection& reflection_;
  const google::protobuf::FieldDescriptor& field_;
};

void SetVariables(const Environment& environment,
                  google::protobuf::Map<std::string, std::string>* out) {
  const Environment allowed = ForAgents(environment);
  for (const auto& [name, value] : allowed.variables()) {
    // Protobuf carries only UTF-8, and other variables hardly matter to agents.
    if (!json::IsValidUtf8(name) || !json::IsValidUtf8(value)) continue;
    (*out)[name] = value;
  }
}

}  // namespace

v1::Timeouts ToTimeouts(const notes::Timeouts& timeouts) {
  v1::Timeouts out;
  const auto set = [](const std::optional<absl::Duration>& timeout,
                      auto mutable_field) {
    if (timeout) *mutable_field() = ToDuration(*timeout);
  };
  set(timeouts.start, [&] { return out.mutable_start(); });
  set(timeouts.idle, [&] { return out.mutable_idle(); });
  set(timeouts.turn, [&] { return out.mutable_turn(); });
  set(timeouts.task, [&] { return out.mutable_task(); });
  return out;
}

v1::EditMode ToEditMode(EditMode mode) {
  switch (mode) {
    case EditMode::kResearch:
      return v1::research;
    case EditMode::kAutoEdit:
      return v1::auto_edit;
    case EditMode::kFullAuto:
      return v1::full_auto;
    case EditMode::kDangerous:
      return v1::dangerous;
  }
  return v1::research;
}

google::protobuf::Duration ToDuration(absl::Duration duration) {
  google::protobuf::Duration out;
  out.set_seconds(absl::ToInt64Seconds(duration));
  out.set_nanos(static_cast<int>(absl::ToInt64Nanoseconds(
      duration - absl::Seconds(absl::ToInt64Seconds(duration)))));
  return out;
}

v1::LaunchOptions ToLaunchOptions(const LaunchOptions& options) {
  v1::LaunchOptions out;
  ForEachField<LaunchOptions>([&](const auto& field) {
    if (IsDefault(field.Of(options))) return;
    FieldSetter(field.name, &out).Set(field.Of(options));
  });
  return out;
}

v1::CreateTaskRequest ToCreateRequest(TaskRequest request,
                                      const Environment& environment) {
  // As `troika tasks --cwd` names it, too.
  request.cwd = FromHere(request.cwd.empty() ? "." : request.cwd);
  MakePathsAbsolute(&request);
  v1::CreateTaskRequest out;
  out.set_harness(std::string(HarnessId(request.harness)));
  out.set_prompt(json::ToValidUtf8(request.prompt));
  out.set_cwd(json::ToValidUtf8(request.cwd));
  *out.mutable_options() = ToLaunchOptions(request.options);
  out.set_title(json::ToValidUtf8(request.title));
  for (const auto& [key, value] : request.labels) {
    (*out.mutable_labels())[json::ToValidUtf8(key)] = json::ToValidUtf8(value);
  }
  *out.mutable_timeouts() = ToTimeouts(request.timeouts);
  out.set_resume_session(json::ToValidUtf8(request.resume_session));
  SetVariables(environment, out.mutable_env());
  return out;
}

v1::ProbeHarnessesRequest ToProbeRequest(const Environment& environment) {
  v1::ProbeHarnessesRequest out;
  SetVariables(environment, out.mutable_env());
  return out;
}

}  // namespace troika::cli
