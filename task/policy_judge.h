// Decides about approvals by the rules of a task: those that were copied into
// its log when it was made, and the files as they are now, which count only
// where they are stricter, unless a person has trusted them since.
#ifndef TROIKA_TASK_POLICY_JUDGE_H_
#define TROIKA_TASK_POLICY_JUDGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/message.h"
#include "policy/decide.h"
#include "task/home.h"
#include "task/notes.h"
#include "task/policy_files.h"
#include "task/request.h"

namespace troika {

// What is asked of the rules of a task.
struct PolicyCase {
  RulesFiles copied;                 // notes::Request::policy
  std::vector<std::string> granted;  // TaskState::granted_rules
  std::string cwd;
  std::string policy_folder;  // notes::Request::policy_folder
  Approval approval;
};

// Reads the files. Edits of files with rules are left to people, whatever the
// rules say. Thread-safe; blocks.
policy::Verdict JudgeApproval(const Home& home, const PolicyCase& asked);

// Sets the rules of a new task, from all places and from
// request->inherited_policy, and adds notices for its user. InvalidArgument if
// a file of request->policy_files can't be used. Thread-safe; blocks.
absl::Status CollectPolicy(const Home& home, TaskRequest* request);

// Why the agent is denied what `verdict` forbids.
std::string DenialReason(const policy::Verdict& verdict);

}  // namespace troika

#endif  // TROIKA_TASK_POLICY_JUDGE_H_
