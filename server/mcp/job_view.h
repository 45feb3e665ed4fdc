// Jobs as the tools show them, in JSON. A job is a task that a tool of the
// family has begun; its labels keep what a task has no field for.
#ifndef TROIKA_SERVER_MCP_JOB_VIEW_H_
#define TROIKA_SERVER_MCP_JOB_VIEW_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "server/event_file.h"
#include "server/mcp/session_view.h"

namespace troika {

// The value of kFamilyLabel (session_lookup.h) of all jobs.
inline constexpr char kJobFamily[] = "jobs";
// Labels of jobs only.
inline constexpr char kTaskNameLabel[] = "mcp.task_name";
inline constexpr char kModelLabel[] = "mcp.model";
inline constexpr char kResumeLabel[] = "mcp.resume";
inline constexpr char kExposeStreamLabel[] = "mcp.expose_stream";
inline constexpr char kForgetLabel[] = "mcp.fire_and_forget";
inline constexpr char kWebSearchLabel[] = "mcp.web_search";

bool IsJob(const v1::Task& task);
// queued, running, completed, failed or cancelled.
std::string JobStatusOf(const v1::Task& task);
// Whether the job's turn has ended.
bool JobHasEnded(const v1::Task& task);

// Events as JSON, read from the file that viewers copy.
struct JobEvents {
  std::vector<std::string> json;
  EventId last = kBeforeAll;  // Id of the last of them, or where they began.
  bool more = false;
};
// The events after `after` that fit into `room` bytes. Those that alone are
// longer are named only.
JobEvents ReadJobEvents(const EventFile& file, const EventId& after,
                        size_t room);

// Fields that every job has, as call_jobs shows them.
std::string JobSummaryJson(const v1::Task& task);
// The result of call_status. `cursor` is that of an earlier result.
std::string JobJson(const v1::Task& task, const std::optional<Cursor>& cursor,
                    const EventFile& events);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_JOB_VIEW_H_
