#include "cli/dashboard/curses_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/dashboard/terminfo.h"
#include "cli/timeline/characters.h"
#include "cli/timeline/painted_text.h"
#include "cli/timeline/table.h"

// Last, and without macros for its functions, because they have names such as
// move and erase.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <ncurses.h>

namespace troika::cli {
namespace {

constexpr absl::string_view kBracketPastes = "\x1b[?2004h";
constexpr absl::string_view kPlainPastes = "\x1b[?2004l";
constexpr short kDefaultColour = -1;

// Pairs of ncurses for the colours that rows have, by the code's last digit.
constexpr int kFirstColour = 31;
constexpr int kLastColour = 36;

struct Look {
  attr_t attributes = WA_NORMAL;
  short pair = 0;
};

// Applies the sequence "\x1b[1;33m".
void Apply(absl::string_view sequence, Look* look) {
  for (const absl::string_view part :
       absl::StrSplit(sequence.substr(2, sequence.size() - 3), ';')) {
    int code = 0;
    if (!absl::SimpleAtoi(part, &code)) code = 0;
    if (code == 0) *look = Look();
    if (code == 1) look->attributes |= WA_BOLD;
    if (code == 2) look->attributes |= WA_DIM;
    if (code == 3) look->attributes |= WA_ITALIC;
    if (code == 4) look->attributes |= WA_UNDERLINE;
    if (code == 7) look->attributes |= WA_REVERSE;
    if (code >= kFirstColour && code <= kLastColour && has_colors()) {
      look->pair = static_cast<short>(code - kFirstColour + 1);
    }
  }
}

// The character as it may be shown, whatever it is.
wchar_t Harmless(const Character& c) {
  if (c.code == '\t') return L' ';
  if (!c.valid || IsControl(c.code) || Reorders(c.code)) {
    return static_cast<wchar_t>(kReplacement);
  }
  const auto wide = static_cast<wchar_t>(c.code);
  return wcwidth(wide) < 0 ? static_cast<wchar_t>(kReplacement) : wide;
}

}  // namespace

CursesScreen::CursesScreen(const Io& io, File in, File out)
    : io_(io), in_(std::move(in)), out_(std::move(out)) {}

absl::StatusOr<std::unique_ptr<CursesScreen>> CursesScreen::Open(
    const Io& io, const Environment& environment) {
  // Everything we write is UTF-8. Containers often set no locale at all.
  if (setlocale(LC_CTYPE, "C.UTF-8") == nullptr) setlocale(LC_CTYPE, "");
  File in(fdopen(fcntl(io.in, F_DUPFD_CLOEXEC, 0), "r"));
  File out(fdopen(fcntl(io.out, F_DUPFD_CLOEXEC, 0), "w"));
  if (in == nullptr || out == nullptr) {
    return absl::ErrnoToStatus(errno, "open the terminal");
  }
  std::unique_ptr<CursesScreen> screen(
      new CursesScreen(io, std::move(in), std::move(out)));
  if (KnowsTerminal(io.out)) {
    screen->screen_ = newterm(nullptr, screen->out_.get(), screen->in_.get());
  }
  if (screen->screen_ == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("ncurses does not know this terminal (TERM is ",
                     environment.Get("TERM"),
                     "): set TERM to one that it knows, such as xterm, or list "
                     "tasks with troika tasks -f"));
  }
  raw();
  noecho();
  nonl();
  // Keys are read elsewhere.
  typeahead(-1);
  if (has_colors()) {
    start_color();
    use_default_colors();
    for (int code = kFirstColour; code <= kLastColour; ++code) {
      init_pair(static_cast<short>(code - kFirstColour + 1),
                static_cast<short>(code - kFirstColour + 1), kDefaultColour);
    }
  }
  screen->Resize();
  screen->Send(kBracketPastes);
  return screen;
}

CursesScreen::~CursesScreen() {
  if (screen_ == nullptr) return;
  Suspend();
  delscreen(screen_);
}

void CursesScreen::Resize() {
  const size_t columns = TerminalWidth(io_.out);
  const size_t rows = TerminalHeight(io_.out);
  size_ = {.columns = columns == 0 ? 80 : columns,
           .rows = rows == 0 ? 24 : rows};
  resizeterm(static_cast<int>(size_.rows), static_cast<int>(size_.columns));
  Forget();
}

void CursesScreen::Forget() { clearok(curscr, TRUE); }

void CursesScreen::DrawRow(int row, absl::string_view text) {
  Look look;
  size_t column = 0;
  while (!text.empty()) {
    if (const size_t colour = ColourLength(text); colour > 0) {
      Apply(text.substr(0, colour), &look);
      text.remove_prefix(colour);
      continue;
    }
    const Character c = FirstCharacter(text);
    text.remove_prefix(c.bytes);
    wchar_t cell[CCHARW_MAX + 1] = {Harmless(c)};
    const int known = wcwidth(cell[0]);
    // Nothing to draw it over.
    if (known == 0) continue;
    size_t length = 1;
    while (!text.empty()) {
      const Character next = FirstCharacter(text);
      const wchar_t mark = Harmless(next);
      if (wcwidth(mark) != 0) break;
      text.remove_prefix(next.bytes);
      // Selectors of a variant would change the width on some terminals.
      if (IsInvisible(next.code)) continue;
      if (length + 1 < CCHARW_MAX) cell[length++] = mark;
    }
    const size_t width = std::max(WidthOf(c.code), static_cast<size_t>(known));
    if (column + width > size_.columns) return;
    cchar_t shown;
    if (setcchar(&shown, cell, look.attributes, look.pair, nullptr) == OK) {
      mvadd_wch(row, static_cast<int>(column), &shown);
    }
    column += width;
  }
}

void CursesScreen::Draw(const Frame& frame) {
  if (suspended_) return;
  const BlockingWrite blocking;
  erase();
  const size_t rows = std::min(frame.rows.size(), size_.rows);
  for (size_t i = 0; i < rows; ++i) {
    DrawRow(static_cast<int>(i), frame.rows[i]);
  }
  curs_set(frame.cursor ? 1 : 0);
  if (frame.cursor) {
    move(static_cast<int>(frame.cursor->row),
         static_cast<int>(frame.cursor->column));
  }
  refresh();
}

void CursesScreen::Send(absl::string_view bytes) {
  const BlockingWrite blocking;
  fflush(out_.get());
  // A terminal that is gone is noticed by its keys.
  WriteAll(io_.out, bytes).IgnoreError();
}

void CursesScreen::Suspend() {
  if (std::exchange(suspended_, true)) return;
  Send(kPlainPastes);
  const BlockingWrite blocking;
  curs_set(1);
  endwin();
}

void CursesScreen::Resume() {
  suspended_ = false;
  reset_prog_mode();
  Resize();
  Send(kBracketPastes);
}

}  // namespace troika::cli
