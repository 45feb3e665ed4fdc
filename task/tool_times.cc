#include "task/tool_times.h"

#include <map>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace troika {
namespace {

// The tools that wait for an answer. A hostile agent has a thousand tools and
// asks for each of them, so nothing here compares all with all.
class WaitingTools {
 public:
  // Borrows from `state`.
  explicit WaitingTools(const TaskState& state) {
    Add(state.approvals);
    Add(state.questions);
  }

  bool Has(absl::string_view tool) const {
    return all_ || tools_.contains(tool);
  }

 private:
  template <typename T>
  void Add(const std::map<std::string, Pending<T>>& pending) {
    for (const auto& [id, asked] : pending) {
      if (asked.answered) continue;
      const std::string& tool = asked.request.tool_use_id;
      // If it is not known which tool asks, all of them wait.
      all_ = all_ || asked.of_subagent || tool.empty();
      tools_.insert(tool);
    }
  }

  bool all_ = false;
  absl::flat_hash_set<absl::string_view> tools_;
};

}  // namespace

void CountToolTimes(TaskState* state) {
  const WaitingTools waiting(*state);
  for (auto& [id, tool] : state->open_tools) {
    const bool waits = waiting.Has(id);
    if (waits && tool.since && state->awake.now) {
      tool.ran += *state->awake.now - *tool.since;
    }
    if (waits) {
      tool.since.reset();
    } else if (!tool.since) {
      tool.since = state->awake.now;
    }
  }
}

}  // namespace troika
