#include "cli/attach/console.h"

#include <errno.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

constexpr absl::string_view kBracketPastes = "\x1b[?2004h";
constexpr absl::string_view kPlainPastes = "\x1b[?2004l";
constexpr absl::string_view kClearScreen = "\x1b[H\x1b[2J";

}  // namespace

absl::Status CheckTerminal(const Environment& environment, const Io& io,
                           absl::string_view remedy) {
  if (isatty(io.in) == 0 || isatty(io.out) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(isatty(io.in) == 0 ? "standard input" : "standard output",
                     " is not a terminal: ", remedy));
  }
  const absl::string_view term = environment.Get("TERM");
  if (term.empty() || term == "dumb") {
    return absl::FailedPreconditionError(
        absl::StrCat("this terminal can't redraw a line (TERM is ",
                     term.empty() ? "not set" : term, "): ", remedy));
  }
  return absl::OkStatus();
}

absl::Status CheckCanAttach(const Environment& environment, const Io& io) {
  return CheckTerminal(
      environment, io,
      "follow the task with troika tail TASK -f, and write to it with troika "
      "send TASK");
}

void StopJob() {
  // All processes of the job stop, such as a script that has started us. The
  // kernel ignores the signal if nobody is there to continue them, which it
  // does not do for SIGSTOP.
  kill(0, SIGTSTP);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
}

absl::StatusOr<std::unique_ptr<Console>> Console::Open(
    const Io& io, const std::string& history) {
  ASSIGN_OR_RETURN(std::unique_ptr<LineEditor> editor, LineEditor::Open());
  std::unique_ptr<Console> console(new Console(io, std::move(editor), history));
  if (tcgetattr(io.in, &console->before_) != 0) {
    return absl::ErrnoToStatus(errno, "read the terminal's mode");
  }
  RETURN_IF_ERROR(console->TakeTerminal());
  return console;
}

absl::Status Console::TakeTerminal() {
  termios mode = before_;
  mode.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  mode.c_oflag |= OPOST | ONLCR;
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  // A shell's job in the background is stopped here until it is continued.
  while (tcsetattr(io_.in, TCSADRAIN, &mode) != 0) {
    if (errno != EINTR) {
      return absl::ErrnoToStatus(errno, "set the terminal's mode");
    }
  }
  changed_ = true;
  Write(kBracketPastes);
  return absl::OkStatus();
}

void Console::ReturnTerminal() {
  if (!std::exchange(changed_, false)) return;
  Write(absl::StrCat(screen_.Erase(), kPlainPastes));
  tcsetattr(io_.in, TCSADRAIN, &before_);
}

Console::Console(const Io& io, std::unique_ptr<LineEditor> editor,
                 const std::string& history)
    : io_(io),
      editor_(std::move(editor)),
      history_(history.empty() ? nullptr
                               : std::make_unique<HistoryFile>(history)),
      screen_(TerminalWidth(io.out), TerminalHeight(io.out)) {
  if (history_ == nullptr) return;
  const absl::StatusOr<std::vector<std::string>> lines = history_->Load();
  if (!lines.ok()) {
    problem_ =
        absl::StrCat("earlier lines can't be read: ", lines.status().message());
    return;
  }
  for (const std::string& line : *lines) editor_->Remember(line);
}

Console::~Console() { ReturnTerminal(); }

void Console::Remember(absl::string_view line) {
  editor_->Remember(line);
  if (history_ == nullptr) return;
  const absl::Status added = history_->Add(line);
  if (added.ok()) return;
  problem_ = absl::StrCat("lines are not kept for later: ", added.message());
  // Once is enough.
  history_.reset();
}

bool Console::Edit(const Key& key) {
  switch (key.kind) {
    case Key::Kind::kText:
    case Key::Kind::kPaste:
    case Key::Kind::kNewline: {
      const bool fits =
          editor_->Insert(key.kind == Key::Kind::kNewline ? "\n" : key.text);
      if (!fits || key.cut) {
        problem_ =
            absl::StrCat("the line is too long",
                         key.cut && fits ? ", so the paste was cut" : "",
                         ": put the text into a file, and name the file");
      }
      return true;
    }
    case Key::Kind::kEdit:
      editor_->Press(key.text);
      return true;
    case Key::Kind::kRedraw:
      Write(kClearScreen);
      screen_.Forget();
      return true;
    case Key::Kind::kEscape:
    case Key::Kind::kPageUp:
    case Key::Kind::kPageDown:
    case Key::Kind::kSuspend:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<std::vector<Key>> Console::ReadKeys(int16_t events,
                                                   absl::Time now) {
  std::vector<Key> keys;
  if (events != 0) {
    char buffer[65536];
    ASSIGN_OR_RETURN(const size_t n, ReadSome(io_.in, absl::MakeSpan(buffer)));
    if (n == 0) return absl::CancelledError("the terminal is gone");
    keys = decoder_.Feed(absl::string_view(buffer, n));
  } else if (now >= wake_at_) {
    keys = decoder_.Expire();
  } else {
    return keys;
  }
  wake_at_ = now + decoder_.patience();
  return keys;
}

bool Console::OnSignal(int signal) {
  switch (signal) {
    case SIGTSTP:
      ReturnTerminal();
      StopJob();
      [[fallthrough]];
    case SIGCONT: {
      // The shell may have changed the mode, and written to the screen.
      const absl::Status taken = TakeTerminal();
      if (written_.ok()) written_ = taken;
      screen_.Forget();
      screen_.Resize(TerminalWidth(io_.out), TerminalHeight(io_.out));
      return true;
    }
    case SIGWINCH:
      screen_.Resize(TerminalWidth(io_.out), TerminalHeight(io_.out));
      return true;
    default:
      return false;
  }
}

void Console::Draw(InputArea area) {
  area.line = editor_->text();
  area.cursor = editor_->cursor();
  Write(screen_.Draw(area));
}

std::string Console::TakeProblem() { return std::exchange(problem_, ""); }

void Console::Write(absl::string_view bytes) {
  if (written_.ok()) written_ = WriteAll(io_.out, bytes);
}

}  // namespace troika::cli
