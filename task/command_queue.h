// Commands of a runner that a relay has not answered yet. They are sent again
// over the next connection, and tried again later if the relay can't take them
// now. The relay takes each key once.
#ifndef TROIKA_TASK_COMMAND_QUEUE_H_
#define TROIKA_TASK_COMMAND_QUEUE_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/protocol.h"
#include "relay/client.h"
#include "relay/frame.h"
#include "task/notes.h"

namespace troika {

struct RelayCommand {
  relay::FrameType type = relay::FrameType::kNote;
  std::string key;
  std::string payload;
  absl::Duration grace;  // For kStop.
  // For kNote: written to the agent with the note (relay::Command::line).
  std::string line_key = "";
  std::string line = "";
  bool is_turn = false;
  // Turns, documents and what is said about inputs are the task's: if the
  // process ends before the relay takes them, they are appended to the log
  // afterwards. All else ends with the process.
  bool outlives_process = false;
};

// A note as a command. InvalidArgument if it is too long for a line of the log.
absl::StatusOr<RelayCommand> NoteCommand(const notes::Note& note,
                                         std::string key);

// What a protocol wants written, as a command.
RelayCommand CommandFor(const Outgoing& wanted);

class CommandQueue {
 public:
  // A key that was there since the last Reset is passed over.
  void Add(RelayCommand command);
  void AddWanted(const std::vector<Outgoing>& outbox);

  // Hands on, in order, what has not been sent or is to be tried again. Stops
  // wait for nothing.
  void Send(absl::Time now, absl::FunctionRef<void(const RelayCommand&)> send);
  void OnAnswer(const relay::Reply& answer, absl::Time now);
  // The connection is gone: what has no answer is sent again over the next.
  void OnDisconnected();
  // The process is gone. Returns what outlives it and was not answered.
  std::vector<RelayCommand> Reset();

  bool HasTurns() const;
  // Whether something waits that outlives the process.
  bool HasLasting() const;
  bool empty() const { return entries_.empty(); }
  // When Send has something to try again; InfiniteFuture if it has not.
  absl::Time wake_at() const;

 private:
  struct Entry {
    RelayCommand command;
    bool sent = false;
    std::optional<absl::Time> not_before;
  };

  std::vector<Entry> entries_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace troika

#endif  // TROIKA_TASK_COMMAND_QUEUE_H_
