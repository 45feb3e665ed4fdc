// Does what a script says.
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
  // Both must outlive it.
  Player(const Process* process, Inbox* inbox)
      : process_(*process), inbox_(*inbox) {}

  // How turns are told; it must outlive the player. Before this, only what
  // needs no turn can be played.
  void set_wire(Wire* wire) { wire_ = wire; }

  // One turn: its start on the wire, then its section. kStop: its user ended
  // it, and nothing is printed about that yet.
  Flow PlayTurn(Work& work, absl::string_view prompt);
  Flow Play(const Instructions& instructions);

  // Until a line can be taken from the inbox, or its end came.
  Flow WaitForLine();

  void Print(absl::string_view bytes);
  // What the process ends with, as its last turn went.
  int exit_code() const { return exit_code_; }
  // Whether the script itself says what happens on that signal.
  bool Scripts(int signal) const { return scripted_.contains(signal); }
  // Whether it was a signal that ended the turn.
  bool stopped_by_signal() const { return stopped_by_signal_; }

 private:
  Flow Do(const Instruction& instruction);
  // Those of the wire; false where it is none of them.
  bool Tell(const Instruction& instruction);
  bool Disturb(const Instruction& instruction);
  bool Inspect(const Instruction& instruction);
  void ChangeSignals(const Instruction& instruction);

  Flow Wait(absl::Duration time);
  // Runs what the script has for signals that came.
  Flow OnSignals();
  Flow Expect(const Instruction& instruction);
  // player_ask.cc: asks, and waits for the answer.
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
  bool denied_ = false;  // The turn ended with that.
  int exit_code_ = 0;
};

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_PLAYER_H_
