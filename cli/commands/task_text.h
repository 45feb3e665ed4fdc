// Shows a task of the API as text for people.
#ifndef TROIKA_CLI_COMMANDS_TASK_TEXT_H_
#define TROIKA_CLI_COMMANDS_TASK_TEXT_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "agent/message.h"
#include "cli/timeline/table.h"
#include "client/api.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// "awaiting approval", or "queued (3)" with the place in the queue; "unknown"
// if the server could not read it yet.
std::string StateText(const v1::Task& task);
// "5s", "12m", "3h", "2d".
std::string AgeText(absl::Duration age);
absl::Time ToTime(const google::protobuf::Timestamp& time);

// A table with a row for each task: id, state, harness, age and title.
Table TaskTable();
void AddTask(const v1::Task& task, absl::Time now, Table* table);

// One line with the id, state and title.
std::string TaskLine(const v1::Task& task);

struct DescribeOptions {
  absl::Time now;
  size_t columns = 0;  // Columns of the terminal, or 0 if there is none.
  // Inputs of approvals as the agent wrote them, by the ids of the approvals.
  std::map<std::string, std::string> inputs;
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
