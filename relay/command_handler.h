// Carries out the commands of the driver.
#ifndef TROIKA_RELAY_COMMAND_HANDLER_H_
#define TROIKA_RELAY_COMMAND_HANDLER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "relay/frame.h"
#include "relay/guarded_agent.h"
#include "relay/relay_log.h"
#include "relay/stdin_queue.h"

namespace troika::relay {

class CommandHandler {
 public:
  // All are borrowed.
  CommandHandler(RelayLog* log, GuardedAgent* agent, StdinQueue* input)
      : log_(log), agent_(agent), stdin_(input) {}

  // Records the command, syncs the log, and carries the command out. One whose
  // key came before has been carried out already, so it only gets its reply.
  Reply Handle(const Command& command);
  // Appends the spec's first commands and queues their input. The caller
  // writes the log before the queue, and syncs afterwards.
  void AppendFirst(const std::vector<std::string>& frames);

 private:
  Reply Record(const Command& command);
  bool StdinHasRoomFor(absl::string_view bytes) const;
  // Appends a record for each line, of which the first has the key, and queues
  // the lines for the agent.
  void AppendInput(absl::string_view key, absl::string_view lines);

  RelayLog* const log_;
  GuardedAgent* const agent_;
  StdinQueue* const stdin_;
  // Record of each command's key.
  std::map<std::string, int64_t, std::less<>> keys_;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_COMMAND_HANDLER_H_
