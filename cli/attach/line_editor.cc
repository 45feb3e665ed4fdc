#include "cli/attach/line_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <stdlib.h>

#include <deque>
#include <utility>

#include "absl/status/status.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "cli/timeline/characters.h"

namespace troika::cli {
namespace {

constexpr int kHistorySize = 500;

struct FileCloser {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, FileCloser>;

std::wstring ToWide(absl::string_view text) {
  std::wstring wide;
  while (!text.empty()) {
    const Character c = FirstCharacter(text);
    // libedit's functions take the text's end from a NUL.
    if (c.code != 0) wide += static_cast<wchar_t>(c.code);
    text.remove_prefix(c.bytes);
  }
  return wide;
}

std::string ToUtf8(const wchar_t* begin, const wchar_t* end) {
  std::string text;
  for (const wchar_t* c = begin; c != end; ++c) {
    AppendUtf8(static_cast<char32_t>(*c), &text);
  }
  return text;
}

struct Pty {
  UniqueFd controller;
  UniqueFd terminal;
};

absl::StatusOr<Pty> OpenPty() {
  Pty pty;
  pty.controller = UniqueFd(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  char name[64] = "";
  if (!pty.controller.ok() || grantpt(pty.controller.get()) != 0 ||
      unlockpt(pty.controller.get()) != 0 ||
      ptsname_r(pty.controller.get(), name, sizeof(name)) != 0) {
    return absl::ErrnoToStatus(errno, "open a pseudo-terminal for libedit");
  }
  pty.terminal = UniqueFd(open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.terminal.ok()) return absl::ErrnoToStatus(errno, name);
  return pty;
}

wchar_t* NoPrompt(EditLine* /*edit*/) {
  static wchar_t empty[] = L"";
  return empty;
}

}  // namespace

struct LineEditor::Libedit {
  ~Libedit() {
    if (edit != nullptr) el_end(edit);
    if (history != nullptr) history_wend(history);
  }

  Pty pty;
  // libedit draws what nobody sees, because text of the agent appears above
  // the line at any time, of which libedit knows nothing.
  File nowhere;
  EditLine* edit = nullptr;
  HistoryW* history = nullptr;
  std::deque<wchar_t> keys;  // Still to be read by libedit.
};

LineEditor::LineEditor(std::unique_ptr<Libedit> libedit)
    : libedit_(std::move(libedit)) {}

LineEditor::~LineEditor() = default;

absl::StatusOr<std::unique_ptr<LineEditor>> LineEditor::Open() {
  auto libedit = std::make_unique<Libedit>();
  ASSIGN_OR_RETURN(libedit->pty, OpenPty());
  const int terminal = libedit->pty.terminal.get();
  libedit->nowhere.reset(fopen("/dev/null", "r+e"));
  if (libedit->nowhere == nullptr) {
    return absl::ErrnoToStatus(errno, "open /dev/null");
  }
  FILE* const nowhere = libedit->nowhere.get();
  libedit->edit = el_init_fd("troika", nowhere, nowhere, nowhere, terminal,
                             terminal, fileno(nowhere));
  libedit->history = history_winit();
  if (libedit->edit == nullptr || libedit->history == nullptr) {
    return absl::InternalError("start libedit: it does not say why");
  }
  EditLine* const edit = libedit->edit;
  HistEventW event;
  history_w(libedit->history, &event, H_SETSIZE, kHistorySize);
  history_w(libedit->history, &event, H_SETUNIQUE, 1);
  el_wset(edit, EL_CLIENTDATA, libedit.get());
  el_wset(edit, EL_PROMPT, &NoPrompt);
  el_wset(edit, EL_EDITOR, L"emacs");
  el_wset(edit, EL_HIST, &history_w, libedit->history);
  el_wset(edit, EL_GETCFN, &LineEditor::NextKey);
  // libedit's own search would read keys in a loop and block us.
  el_wset(edit, EL_BIND, L"^R", L"ed-search-prev-history", nullptr);
  el_wset(edit, EL_BIND, L"\\ep", L"ed-search-prev-history", nullptr);
  el_wset(edit, EL_BIND, L"\\en", L"ed-search-next-history", nullptr);
  el_wset(edit, EL_BIND, L"^W", L"ed-delete-prev-word", nullptr);
  el_wset(edit, EL_BIND, L"^U", L"vi-kill-line-prev", nullptr);
  // el_wgets() carries out one command and returns.
  el_wset(edit, EL_UNBUFFERED, 1);
  return std::unique_ptr<LineEditor>(new LineEditor(std::move(libedit)));
}

int LineEditor::NextKey(editline* edit, wchar_t* key) {
  void* data = nullptr;
  el_wget(edit, EL_CLIENTDATA, &data);
  std::deque<wchar_t>& keys = static_cast<Libedit*>(data)->keys;
  if (keys.empty()) return 0;
  *key = keys.front();
  keys.pop_front();
  return 1;
}

std::string LineEditor::text() const {
  const LineInfoW* const line = el_wline(libedit_->edit);
  return ToUtf8(line->buffer, line->lastchar);
}

bool LineEditor::empty() const {
  const LineInfoW* const line = el_wline(libedit_->edit);
  return line->lastchar == line->buffer;
}

size_t LineEditor::cursor() const {
  const LineInfoW* const line = el_wline(libedit_->edit);
  return ToUtf8(line->buffer, line->cursor).size();
}

void LineEditor::Set(absl::string_view text) {
  el_reset(libedit_->edit);
  Insert(text);
}

bool LineEditor::Insert(absl::string_view text) {
  const LineInfoW* const line = el_wline(libedit_->edit);
  const std::wstring wide = ToWide(text);
  const auto length = static_cast<size_t>(line->lastchar - line->buffer);
  if (length + wide.size() > kMaxCharacters) return false;
  return wide.empty() || el_winsertstr(libedit_->edit, wide.c_str()) == 0;
}

void LineEditor::Press(absl::string_view keys) {
  for (const char key : keys) libedit_->keys.push_back(key);
  while (!libedit_->keys.empty()) {
    int count = 0;
    el_wgets(libedit_->edit, &count);
  }
}

void LineEditor::Remember(absl::string_view line) {
  const std::wstring wide = ToWide(line);
  if (wide.empty()) return;
  HistEventW event;
  history_w(libedit_->history, &event, H_ENTER, wide.c_str());
}

}  // namespace troika::cli
