// Executes a script.
#ifndef TROIKA_TESTING_FAKE_PLAYER_H_
#define TROIKA_TESTING_FAKE_PLAYER_H_

#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "testing/fake/inbox.h"
#include "testing/fake/process.h"
#include "testing/fake/script.h"
#include "testing/fake/wire.h"

namespace troika::fake {

class Player {
 public:
  // Borrows both arguments, which must outlive the player.
  Player(const Process* process, Inbox* inbox)
      : process_(*process), inbox_(*inbox) {}

  // Sets the wire that turns are written to; it must outlive the player. Before
  // this, only instructions that need no turn can be played.
  void set_wire(Wire* wire) { wire_ = wire; }

  // Plays one turn: writes its start, then plays its section. Returns kStop if
  // its user interrupted it; nothing about that has been printed yet.
  Flow PlayTurn(Work& work, absl::string_view prompt);
  Flow Play(const Instructions& instructions);

  // Waits for a line in the inbox or the end of input.
  Flow WaitForLine();

  void Print(absl::string_view bytes);
  // Returns the process's exit code, which its last turn decides.
  int exit_code() const { return exit_code_; }
  // Whether the script itself handles this signal.
  bool Scripts(int signal) const { return scripted_.contains(signal); }
  // Whether a signal ended the turn.
  bool stopped_by_signal() const { return stopped_by_signal_; }

 private:
  Flow Do(const Instruction& instruction);
  // Handles instructions that write to the wire; returns false for others.
  bool Tell(const Instruction& instruction);
  bool Disturb(const Instruction& instruction);
  bool Inspect(const Instruction& instruction);
  void ChangeSignals(const Instruction& instruction);

  Flow Wait(absl::Duration time);
  // Plays the script's blocks for the signals that came.
  Flow OnSignals();
  Flow Expect(const Instruction& instruction);
  // player_ask.cc: asks the user and waits for the answer.
  Flow Ask(const Instruction& instruction);
  std::optional<AskAnswer> TakeAnswer();
  void WriteFile(const Instruction& instruction);
  void Succeed();
  std::string LineOf(int64_t bytes);
  Wire& wire(const Instruction& instruction);

  const Process& process_;
  Inbox& inbox_;
  Wire* /*nullable*/ wire_ = nullptr;
  Work* /*nullable*/ work_ = nullptr;
  std::string prompt_;
  std::map<int, Instructions> scripted_;
  bool stdout_open_ = true;
  bool stopped_by_signal_ = false;
  bool denied_ = false;  // Whether a denial ended the turn.
  int exit_code_ = 0;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_PLAYER_H_
