#include "server/mcp/job_request.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "base/json_fields.h"
#include "dto/request.h"
#include "server/mcp/job_view.h"
#include "server/mcp/service.h"
#include "server/mcp/session_lookup.h"

namespace troika {

google::protobuf::Duration DurationOf(int64_t millis) {
  google::protobuf::Duration duration;
  duration.set_seconds(millis / 1000);
  duration.set_nanos(static_cast<int32_t>(millis % 1000 * 1000000));
  return duration;
}

std::string TextsJson(const std::vector<std::string>& texts) {
  return json::ToJson(texts);
}

JobRequest NewJob(const ToolCallPtr& call, const std::string& harness,
                  const std::string& tool) {
  JobRequest job;
  job.task.set_harness(harness);
  auto& labels = *job.task.mutable_labels();
  labels[kFamilyLabel] = kJobFamily;
  labels[kToolLabel] = tool;
  labels[kClientLabel] =
      call->client().name.empty() ? "unknown" : call->client().name;
  if (!call->caller().id.empty()) labels[kConnectionLabel] = call->caller().id;
  job.task.set_idempotency_key(call->Key("task"));
  TaskEnvironment environment = EnvironmentOf(call, harness);
  for (const auto& [name, value] : environment.environment.variables()) {
    (*job.task.mutable_env())[name] = value;
  }
  if (!environment.notice.empty()) {
    job.notices.push_back(std::move(environment.notice));
  }
  return job;
}

absl::StatusOr<std::optional<AgentLimits>> CallerLimits(
    const ToolCallPtr& call) {
  const CallerPolicy& policy = *call->service().api().policy;
  http::Request from;
  from.peer = call->caller().peer;
  return policy.LimitsOf(policy.CallerOf(from));
}

void SetDefaultEditMode(const ToolCallPtr& call, absl::string_view mode,
                        JobRequest* job) {
  EditMode wanted = *EditModeFromId(mode);
  const auto limits = CallerLimits(call);
  const auto backend = BackendById(job->task.harness());
  if (limits.ok() && *limits && backend.ok()) {
    const EditMode lowered = LoweredMode(**limits, **backend, wanted);
    if (lowered != wanted) {
      job->notices.push_back(absl::StrCat(
          "edit_mode ", EditModeId(lowered), " is used instead of the default ",
          mode, ", as the calling agent may do no more itself"));
    }
    wanted = lowered;
  }
  job->task.mutable_options()->set_edit_mode(ToEditMode(wanted));
}

absl::Status SetFolder(const ToolCallPtr& call, absl::string_view field,
                       const std::string& folder, JobRequest* job) {
  job->task.set_cwd(AbsoluteFrom(call->caller(), folder));
  if (absl::StartsWith(job->task.cwd(), "/")) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      field,
      ": must be an absolute path, because this client has no folder of its "
      "own"));
}

}  // namespace troika
