// A task of the API as people read it.
#ifndef TROIKA_CLI_COMMANDS_TASK_TEXT_H_
#define TROIKA_CLI_COMMANDS_TASK_TEXT_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/timeline/table.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// "awaiting approval"; of a queued one also its place.
std::string StateText(const v1::Task& task);
// "5s", "12m", "3h", "2d".
std::string AgeText(absl::Duration age);
absl::Time ToTime(const google::protobuf::Timestamp& time);

// A row for each task: id, state, harness, age and title.
Table TaskTable();
void AddTask(const v1::Task& task, absl::Time now, Table* table);

// One line: id, state and title.
std::string TaskLine(const v1::Task& task);

struct DescribeOptions {
  absl::Time now;
  size_t columns = 0;  // Of the terminal; 0: there is none.
  // Inputs of approvals as the agent wrote them, by the approvals' ids.
  std::map<std::string, std::string> inputs;
};

// All that there is to say, a line or more each, and what waits for an answer,
// whole, with how to give it.
std::string Describe(const v1::Task& task, const DescribeOptions& options);

}  // namespace troika::cli

#endif  // TROIKA_CLI_COMMANDS_TASK_TEXT_H_
