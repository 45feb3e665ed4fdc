// The terminal as a whole screen, which ncurses draws.
#ifndef TROIKA_CLI_DASHBOARD_CURSES_SCREEN_H_
#define TROIKA_CLI_DASHBOARD_CURSES_SCREEN_H_

#include <cstdio>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "cli/dashboard/frame.h"
#include "cli/dashboard/model.h"
#include "cli/io.h"

struct screen;

namespace troika::cli {

// While it lives, the terminal shows its other screen, delivers each key at
// once and pastes in brackets. Then it is as it was before. Keys are read by
// the owner, who also handles the signals: those of kTerminalSignals must be
// blocked. There may be only one of it.
class CursesScreen {
 public:
  // FailedPrecondition if ncurses does not know the terminal.
  static absl::StatusOr<std::unique_ptr<CursesScreen>> Open(
      const Io& io, const Environment& environment);
  ~CursesScreen();
  CursesScreen(const CursesScreen&) = delete;
  CursesScreen& operator=(const CursesScreen&) = delete;

  ScreenSize size() const { return size_; }
  // Takes the size that the terminal has now.
  void Resize();
  // Draws what differs from what is shown. Whatever the rows contain, nothing
  // but characters and their colours reaches the terminal.
  void Draw(const Frame& frame);
  // Draws everything anew next time.
  void Forget();
  // Sends bytes that leave the cursor where it is.
  void Send(absl::string_view bytes);
  // Gives the terminal back for a while.
  void Suspend();
  void Resume();

 private:
  struct FileCloser {
    void operator()(FILE* file) const { fclose(file); }
  };
  using File = std::unique_ptr<FILE, FileCloser>;

  CursesScreen(const Io& io, File in, File out);
  void DrawRow(int row, absl::string_view text);

  const Io io_;
  File in_;
  File out_;
  ::screen* screen_ = nullptr;
  bool suspended_ = false;
  ScreenSize size_;
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_CURSES_SCREEN_H_
