// Shows a task of the API as text for people.
#ifndef TROIKA_CLI_COMMANDS_TASK_TEXT_H_
#define TROIKA_CLI_COMMANDS_TASK_TEXT_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "client/api.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// The word for the task's state, for all harnesses the same: queued, starting,
// running, awaiting_approval or awaiting_answer; if no turn runs, how the last
// one ended: done, denied, failed, interrupted or cancelled. It does not change
// when the agent's process ends later. "idle" if there was no turn yet, and
// "unknown" if the server could not read the task yet.
std::string StateWord(const v1::Task& task);
// The same with spaces, and "queued (3)" with the place in the queue.
std::string StateText(const v1::Task& task);
// Budgets of which 80 % are used, as "80 of 100 tokens"; empty if none is.
std::string NearBudgetText(const v1::Task& task);
// "works", "waits" for input, or "ended"; empty if none was started.
std::string AgentText(const v1::Task& task);
// "5s", "12m", "3h", "2d".
std::string AgeText(absl::Duration age);
// The time since the task's last activity; empty if that is not known.
std::string ActiveText(const v1::Task& task, absl::Time now);
// The folder, in which ~ stands for `home`, cut in its middle.
std::string FolderText(absl::string_view cwd, absl::string_view home,
                       size_t columns);
// The cost so far, or kUnknownCost.
std::string CostOf(const v1::Usage& usage);
// "(default)" if the CLI did not say which model it uses.
std::string ModelText(absl::string_view model);
absl::Time ToTime(const google::protobuf::Timestamp& time);

// One line with the id, state and title.
std::string TaskLine(const v1::Task& task);

struct DescribeOptions {
  absl::Time now;
  size_t columns = 0;  // Columns of the terminal, or 0 if there is none.
  // Inputs of approvals as the agent wrote them, by the ids of the approvals.
  std::map<std::string, std::string> inputs;
  // What the agent may do, if more is known than the edit mode.
  std::string permissions;
};

// Reads the inputs of the task's approvals, as far as their events can be read.
std::map<std::string, std::string> ReadInputs(const v1::Task& task,
                                              client::ApiClient& api);

// Shows the whole approval, as a block of lines.
std::string Describe(Approval approval, const DescribeOptions& options);

// Shows everything about the task, and the approvals and questions that wait,
// whole, with the commands that answer them.
std::string Describe(const v1::Task& task, const DescribeOptions& options);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TASK_TEXT_H_
