// Collects what an agent was denied in a turn, for the turn's Result.
//
// Harnesses tell of the same denial in several ways: by the answer to an
// approval, by the tool's result, by a notice, and by a list in the result of
// the turn. Those that have the id of the same tool use count once.
#ifndef TROIKA_TASK_DENIALS_H_
#define TROIKA_TASK_DENIALS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "agent/message.h"

namespace troika {

class Denials {
 public:
  // Messages of subagents count, too.
  void Add(const Message& message);
  // Adds the denials since the last call to those that the harness lists.
  void MoveTo(Result* result);

 private:
  void Add(Denial denial);

  int count_ = 0;
  std::vector<Denial> first_;
  // Ids of all that were denied in the conversation.
  absl::flat_hash_set<std::string> tool_use_ids_;
  // Names of the tools that run, by the ids of their uses.
  absl::flat_hash_map<std::string, std::string> running_;
};

}  // namespace troika

#endif  // TROIKA_TASK_DENIALS_H_
