#include "cli/dashboard/dashboard.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/attach/attach.h"
#include "cli/attach/history.h"
#include "cli/attach/line_editor.h"
#include "cli/dashboard/model.h"
#include "cli/dashboard/session.h"
#include "cli/timeline/terminal_text.h"
#include "task/home.h"

namespace troika::cli {

int RunDashboard(const DashboardOptions& options, const Io& io) {
  absl::StatusOr<std::unique_ptr<LineEditor>> editor = LineEditor::Open();
  if (!editor.ok()) return Fail(io, editor.status().message());
  // Messages are kept for `troika attach`, and those that were typed there can
  // be sent here, too. Without them, the dashboard works as well.
  std::unique_ptr<HistoryFile> history;
  if (const absl::StatusOr<Home> home = Home::Open(options.environment);
      home.ok()) {
    history =
        std::make_unique<HistoryFile>(absl::StrCat(home->path(), kHistoryName));
    const absl::StatusOr<std::vector<std::string>> lines = history->Load();
    if (lines.ok()) {
      for (const std::string& line : *lines) (*editor)->Remember(line);
    }
  }
  Model model({.color = ColorFor(options.view, options.environment, io.out),
               .home = std::string(options.environment.Get("HOME")),
               .help = options.help,
               .defaults = options.defaults,
               .choices = options.choices},
              editor->get());
  const auto remember = [&](absl::string_view line) {
    (*editor)->Remember(line);
    if (history != nullptr) history->Add(line).IgnoreError();
  };
  while (true) {
    DashboardSession::End end;
    {
      // Attaching needs the terminal and the signals for itself.
      DashboardSession session(options, &model, remember, io);
      end = session.Run();
    }
    model.SetWatched({});
    if (!end.why.empty()) Note(io, Sanitized(end.why));
    if (end.attach.empty()) return end.code;
    const v1::Task* const task = model.book().Find(end.attach);
    if (task == nullptr) continue;
    const int code = Attach(*task,
                            {.address = options.address,
                             .environment = options.environment,
                             .view = options.view,
                             .help = options.attach_help},
                            io);
    if (code > kExitSignal) return code;
  }
}

}  // namespace troika::cli
