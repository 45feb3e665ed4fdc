// Describes what hooks are told, without the task's secrets.
#ifndef TROIKA_SERVER_HOOK_BODY_H_
#define TROIKA_SERVER_HOOK_BODY_H_

#include <string>

#include "dto/redact.h"
#include "dto/troika.pb.h"
#include "task/hook_events.h"
#include "task/state.h"

namespace troika {

// Bytes of HookEvent::text that are told.
inline constexpr size_t kMaxHookText = 1024;

// The id of an event: the same whenever it is computed from the log.
std::string HookEventId(const std::string& task, const HookEvent& event);

// `state` has the task's title, folder and harness.
v1::HookEvent DescribeHookEvent(const std::string& task, const HookEvent& event,
                                const TaskState& state,
                                const Redactor& redactor);

}  // namespace troika

#endif  // TROIKA_SERVER_HOOK_BODY_H_
