// A terminal on which the user types a line while text is printed above it.
#ifndef TROIKA_CLI_ATTACH_CONSOLE_H_
#define TROIKA_CLI_ATTACH_CONSOLE_H_

#include <poll.h>
#include <termios.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "cli/attach/history.h"
#include "cli/attach/keys.h"
#include "cli/attach/line_editor.h"
#include "cli/attach/screen.h"
#include "cli/io.h"

namespace troika::cli {

// FailedPrecondition if stdin or stdout is not a terminal, or one that can't be
// redrawn; `remedy` says what to do instead.
absl::Status CheckTerminal(const Environment& environment, const Io& io,
                           absl::string_view remedy);
// The same, for a user who wants to be attached to a task.
absl::Status CheckCanAttach(const Environment& environment, const Io& io);

// Signals of a terminal besides those that end a command, for Signals.
inline constexpr int kTerminalSignals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGQUIT};

// Stops the shell's job that we belong to, as Ctrl-Z does, and returns when it
// is continued. Returns at once if no shell could continue it. SIGTSTP must be
// blocked.
void StopJob();

// While it lives, the terminal delivers each key at once and pastes in
// brackets. Then it has its mode again, and what was printed stays.
class Console {
 public:
  // `history` is kept there, unless it is empty.
  static absl::StatusOr<std::unique_ptr<Console>> Open(
      const Io& io, const std::string& history);
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  LineEditor& editor() { return *editor_; }
  Screen& screen() { return screen_; }
  // The typed line is known: it gets into the history.
  void Remember(absl::string_view line);
  // Carries out what only changes the line: text, pastes and editing. Ignores
  // keys without a meaning here. False if the key means something else.
  bool Edit(const Key& key);

  pollfd PollFd() const { return {.fd = io_.in, .events = POLLIN}; }
  // Reads what was typed, if `events` of PollFd() says that there is something;
  // else takes what has waited too long for the rest of its key. `now` is
  // Clock::Awake(). Cancelled if the terminal is gone.
  absl::StatusOr<std::vector<Key>> ReadKeys(int16_t events, absl::Time now);
  // When to call ReadKeys() even if nothing was typed.
  absl::Time wake_at() const { return wake_at_; }
  // Follows the terminal's signals: another size, and the pauses of a shell's
  // job, during which the terminal has its own mode. False if the signal ends
  // the command.
  bool OnSignal(int signal);
  // Shows what was printed, and the line below it. `area` needs no line.
  void Draw(InputArea area);
  // What went wrong and has not been told yet; empty if nothing.
  std::string TakeProblem();

  // The first error of writing; Cancelled if the terminal is gone.
  const absl::Status& written() const { return written_; }

 private:
  Console(const Io& io, std::unique_ptr<LineEditor> editor,
          const std::string& history);
  void Write(absl::string_view bytes);
  // Sets the mode in which keys come at once.
  absl::Status TakeTerminal();
  void ReturnTerminal();

  const Io io_;
  termios before_ = {};
  bool changed_ = false;  // The mode differs from before_.
  absl::Time wake_at_ = absl::InfiniteFuture();
  std::unique_ptr<LineEditor> editor_;
  std::unique_ptr<HistoryFile> /*nullable*/ history_;
  KeyDecoder decoder_;
  Screen screen_;
  std::string problem_;
  absl::Status written_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_ATTACH_CONSOLE_H_
