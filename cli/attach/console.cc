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

absl::Status CheckCanAttach(const Environment& environment, const Io& io) {
  constexpr absl::string_view kRemedy =
      "follow the task with troika tail TASK -f, and write to it with troika "
      "send TASK";
  if (isatty(io.in) == 0 || isatty(io.out) == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(isatty(io.in) == 0 ? "standard input" : "standard output",
                     " is not a terminal: ", kRemedy));
  }
  const absl::string_view term = environment.Get("TERM");
  if (term.empty() || term == "dumb") {
    return absl::FailedPreconditionError(
        absl::StrCat("this terminal can't redraw a line (TERM is ",
                     term.empty() ? "not set" : term, "): ", kRemedy));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Console>> Console::Open(
    const Io& io, const std::string& history) {
  ASSIGN_OR_RETURN(std::unique_ptr<LineEditor> editor, LineEditor::Open());
  std::unique_ptr<Console> console(new Console(io, std::move(editor), history));
  if (tcgetattr(io.in, &console->before_) != 0) {
    return absl::ErrnoToStatus(errno, "read the terminal's mode");
  }
  termios mode = console->before_;
  mode.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
  mode.c_oflag |= OPOST | ONLCR;
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  if (tcsetattr(io.in, TCSADRAIN, &mode) != 0) {
    return absl::ErrnoToStatus(errno, "set the terminal's mode");
  }
  console->changed_ = true;
  console->Write(kBracketPastes);
  return console;
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

Console::~Console() {
  if (!changed_) return;
  Write(absl::StrCat(screen_.Erase(), kPlainPastes));
  tcsetattr(io_.in, TCSADRAIN, &before_);
}

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
    default:
      return false;
  }
}

absl::StatusOr<std::vector<Key>> Console::ReadKeys() {
  char buffer[65536];
  ASSIGN_OR_RETURN(const size_t n, ReadSome(io_.in, absl::MakeSpan(buffer)));
  if (n == 0) return absl::CancelledError("the terminal is gone");
  return decoder_.Feed(absl::string_view(buffer, n));
}

void Console::Resize() {
  screen_.Resize(TerminalWidth(io_.out), TerminalHeight(io_.out));
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
