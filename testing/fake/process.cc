#include "testing/fake/process.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "testing/fake/io.h"

namespace troika::fake {

Work NewWork(const Process& process, absl::string_view asked) {
  Work work;
  const std::string& wanted = process.script.session;
  absl::StatusOr<std::vector<Session>> sessions = process.state.Sessions();
  DieIfBad(sessions.status());
  bool taken = wanted.empty() || wanted == asked;
  for (const Session& session : *sessions) taken |= session.id == wanted;
  if (!taken) {
    work.session.id = wanted;
    return work;
  }
  // Without a state file, an earlier conversation had the first id.
  const bool after_another = !asked.empty() && sessions->empty();
  absl::StatusOr<std::string> id = process.state.NewId("");
  if (id.ok() && after_another) id = process.state.NewId(*id);
  DieIfBad(id.status());
  work.session.id = *std::move(id);
  return work;
}

std::string CurrentFolder() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::current_path(error);
  if (error) Die(kBadScript, "fake: the current folder is gone");
  return path.string();
}

WireOptions WireOptionsOf(const Process& process, const Work& work) {
  return {.harness = process.harness,
          .version = process.version,
          .version_text = process.version_text,
          .session_id = work.session.id,
          .cwd = CurrentFolder(),
          .model = process.line.Value("--model"),
          .permission_mode = "",
          .asks = false,
          .total = work.session.total};
}

}  // namespace troika::fake
