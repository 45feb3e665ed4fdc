#include "cli/attach/attach.h"

#include <poll.h>

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "cli/attach/attached_task.h"
#include "cli/attach/console.h"
#include "cli/attach/history.h"
#include "cli/timeline/terminal_text.h"
#include "task/home.h"

namespace troika::cli {
namespace {

absl::StatusOr<std::unique_ptr<Console>> OpenConsole(
    const AttachOptions& options, const Io& io) {
  const absl::StatusOr<Home> home = Home::Open(options.environment);
  return Console::Open(
      io, home.ok() ? absl::StrCat(home->path(), kHistoryName) : "");
}

}  // namespace

int Attach(const v1::Task& task, const AttachOptions& options, const Io& io) {
  absl::StatusOr<std::unique_ptr<Console>> console = OpenConsole(options, io);
  if (!console.ok()) return Fail(io, console.status().message());
  AttachedTask attached(task, options, console->get(), io);
  const int code = attached.Run();
  console->reset();
  Note(io, attached.Farewell());
  return code;
}

absl::StatusOr<std::optional<std::string>> AskForPrompt(
    absl::string_view question, const AttachOptions& options, const Io& io) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Console> console,
                   OpenConsole(options, io));
  const Timeline::Color color =
      ColorFor(options.view, options.environment, io.out);
  Signals signals(kTerminalSignals);
  SystemClock clock;
  while (true) {
    console->Draw(
        {.above = {std::string(question)}, .sign = MessageSign(color)});
    std::vector<pollfd> fds = {{.fd = signals.fd(), .events = POLLIN},
                               console->PollFd()};
    Wait(&fds, console->wake_at(), clock);
    for (const int signal : signals.Take()) {
      if (!console->OnSignal(signal)) return std::optional<std::string>();
    }
    ASSIGN_OR_RETURN(const std::vector<Key> keys,
                     console->ReadKeys(fds.back().revents, clock.Awake()));
    for (const Key& key : keys) {
      if (console->Edit(key)) continue;
      LineEditor& editor = console->editor();
      const std::string line = editor.text();
      const bool empty = absl::StripAsciiWhitespace(line).empty();
      if (key.kind == Key::Kind::kEnter && !empty) {
        console->Remember(line);
        return std::optional<std::string>(line);
      }
      if (key.kind == Key::Kind::kCtrlC && !line.empty()) {
        editor.Set("");
      } else if (key.kind == Key::Kind::kCtrlD && !line.empty()) {
        editor.Press("\x04");
      } else if (key.kind != Key::Kind::kEnter && key.kind != Key::Kind::kTab) {
        return std::optional<std::string>();
      }
    }
  }
}

}  // namespace troika::cli
