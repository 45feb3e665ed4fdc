#include "task/make.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/discovery.h"
#include "agent/protocol.h"
#include "agent/registry.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_writer.h"
#include "task/notes.h"

namespace troika {
namespace {

// Linux limits one string and the sum of all strings that a program is started
// with. Some of the sum is left for the command line.
constexpr size_t kMaxVariable = size_t{128} << 10;
constexpr size_t kMaxVariables = (size_t{2} << 20) - (size_t{256} << 10);

// No program could be started with more.
absl::Status CheckSize(const Environment& environment) {
  size_t total = 0;
  size_t largest = 0;
  absl::string_view name;
  for (const auto& [key, value] : environment.variables()) {
    const size_t size = key.size() + value.size() + 2;  // With '=' and NUL.
    total += size + sizeof(char*);
    if (size <= largest) continue;
    largest = size;
    name = key;
  }
  const std::string shown = absl::CHexEscape(name.substr(0, 100));
  if (largest > kMaxVariable) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the environment variable ", shown, " has ", largest,
        " bytes, over the limit of ", kMaxVariable,
        " that a program can be started with: unset or shorten it"));
  }
  if (total <= kMaxVariables) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the environment has ", total, " bytes, over the limit of ",
                   kMaxVariables,
                   " that a program can be started with: unset what the "
                   "agent does not need; the largest variable is ",
                   shown, " with ", largest, " bytes"));
}

// Fails now if the start would fail later.
absl::Status CheckLaunch(const TaskRequest& request, const Backend& backend,
                         const Cli& cli) {
  ASSIGN_OR_RETURN(const LaunchRequest launch,
                   CompleteLaunch({.options = request.options,
                                   .cwd = request.cwd,
                                   .resume_session = request.resume_session,
                                   .fork_session = request.fork_session},
                                  backend));
  return backend.BuildLaunch(launch, cli).status();
}

absl::StatusOr<relay::LogWriter> WriteLog(const TaskFolder& folder,
                                          const notes::Request& request,
                                          absl::string_view turn,
                                          Clock* clock) {
  ASSIGN_OR_RETURN(relay::LogWriter log,
                   relay::LogWriter::Open(folder.fd.get(), folder.id, clock));
  log.Append({.key = "request", .payload = notes::ToJson(request)});
  log.Append({.key = "turn-1", .payload = turn});
  RETURN_IF_ERROR(log.Flush());
  return log;
}

}  // namespace

absl::StatusOr<LaunchRequest> CompleteLaunch(LaunchRequest request,
                                             const Backend& backend) {
  if (backend.inline_output_schema && !request.options.output_schema.empty()) {
    ASSIGN_OR_RETURN(
        request.output_schema_text,
        ReadNamedFile(request.options.output_schema, NamedFile::kOutputSchema));
  }
  return request;
}

absl::StatusOr<Cli> FindCliOf(const Backend& backend,
                              const Environment& environment,
                              const std::string& version_cache) {
  ProcessRunner runner;
  return FindCli(backend.cli_names, environment,
                 {.cache_path = version_cache, .runner = &runner});
}

absl::Status SyncTask(const TaskFolder& folder) {
  AssertMayBlock("fdatasync of a new task");
  for (const char* const name : {relay::kLogName, kEnvironmentName}) {
    const UniqueFd file(openat(folder.fd.get(), name, O_RDONLY | O_CLOEXEC));
    if (!file.ok() || fdatasync(file.get()) != 0) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat("sync ", folder.path, "/", name));
    }
  }
  // Keeps the names of both files. File systems with a journal did so with the
  // first sync, and have nothing left to do.
  if (fsync(folder.fd.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("sync ", folder.path));
  }
  return absl::OkStatus();
}

absl::StatusOr<MadeTask> MakeTask(const Home& home, TaskRequest request,
                                  const Environment& environment,
                                  absl::StatusOr<Cli> cli, Clock* clock) {
  Environment kept = ForAgents(environment);
  RETURN_IF_ERROR(CheckSize(kept));
  RETURN_IF_ERROR(CompleteRequest(kept, &request));
  const Backend& backend = BackendOf(request.harness);
  RETURN_IF_ERROR(cli.status());
  RETURN_IF_ERROR(CheckLaunch(request, backend, *cli));
  ASSIGN_OR_RETURN(std::vector<TurnAsked::Image> images,
                   ReadImages(request.options.images, backend));
  const std::string turn =
      notes::ToJson(notes::Turn{.turn = 1,
                                .prompt = request.prompt,
                                .images = std::move(images),
                                .by = "user",
                                .request_key = request.idempotency_key});
  if (turn.size() > kMaxLineBytes ||
      notes::ToJson(RequestNote(request, "")).size() + relay::kMaxKey >
          kMaxLineBytes) {
    return absl::InvalidArgumentError(
        "prompt and images are over 16 MiB together: name them by path");
  }

  ASSIGN_OR_RETURN(TaskFolder folder, home.NewTask());
  absl::Cleanup remove = [path = folder.path] {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  };
  RETURN_IF_ERROR(WriteEnvironment(folder, kept));
  notes::Request note = RequestNote(request, folder.id);
  note.env_digest = EnvironmentDigest(kept);
  ASSIGN_OR_RETURN(relay::LogWriter log, WriteLog(folder, note, turn, clock));
  std::move(remove).Cancel();
  return MadeTask{.folder = std::move(folder),
                  .log = std::move(log),
                  .environment = std::move(kept),
                  .cli = *std::move(cli)};
}

}  // namespace troika
