#include "task/state.h"

namespace troika {
namespace {

// In the order of TaskStatus.
constexpr absl::string_view kStatusIds[] = {
    "queued", "starting", "running", "awaiting_approval", "awaiting_answer",
    "idle",   "done",     "failed",  "interrupted",       "cancelled"};
static_assert(std::size(kStatusIds) == kTaskStatuses);

}  // namespace

absl::string_view TaskStatusId(TaskStatus status) {
  return kStatusIds[static_cast<int>(status)];
}

bool HasEnded(TaskStatus status) { return status >= TaskStatus::kDone; }

}  // namespace troika
