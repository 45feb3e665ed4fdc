// Where tasks report what hooks are told.
#ifndef TROIKA_SERVER_HOOK_SINK_H_
#define TROIKA_SERVER_HOOK_SINK_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dto/troika.pb.h"
#include "task/hook_events.h"

namespace troika {

// An event as it was found, and as hooks are told of it.
struct FoundHookEvent {
  EventId at;
  absl::Time time;
  std::string cwd;  // The task's folder; secrets are redacted in `told`.
  v1::HookEvent told;
};

// Loop thread only.
class HookSink {
 public:
  virtual ~HookSink() = default;
  // No hook is told of events before this time.
  virtual absl::Time news_after() const = 0;
  // Whether the event may be one that hooks are to be told of.
  virtual bool IsNews(const std::string& task,
                      const HookEvent& event) const = 0;
  // Events of one task, in the order of its log. They are on disk when this
  // returns.
  virtual void Notice(const std::string& task,
                      std::vector<FoundHookEvent> events) = 0;
};

}  // namespace troika

#endif  // TROIKA_SERVER_HOOK_SINK_H_
