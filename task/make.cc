#include "task/make.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/discovery.h"
#include "agent/discovery/models.h"
#include "agent/protocol.h"
#include "agent/registry.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_writer.h"
#include "task/kept_texts.h"
#include "task/notes.h"
#include "task/policy_hold.h"
#include "task/policy_judge.h"

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

absl::Status CheckGitRepository(const std::filesystem::path& cwd) {
  AssertMayBlock("looking for a git repository");
  std::error_code error;
  for (std::filesystem::path dir = cwd; !dir.empty(); dir = dir.parent_path()) {
    if (std::filesystem::exists(dir / ".git", error)) return absl::OkStatus();
    if (dir == dir.parent_path()) break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("cwd: ", cwd.native(),
                   " is not in a git repository, so that the agent's changes "
                   "could not be undone: run git init, or use --skip-git-check "
                   "(skip_git_check in the API)"));
}

// Fails now if the start would fail later.
// Returns the wire of the task's first process.
absl::StatusOr<Wire> CheckLaunch(const Home& home, TaskRequest request,
                                 const Backend& backend, const Cli& cli) {
  // The task has no folder yet, but its files will have paths like these.
  NameTexts(home.tasks_path(), &request);
  ASSIGN_OR_RETURN(
      const LaunchRequest launch,
      CompleteLaunch({.options = request.options,
                      .cwd = request.cwd,
                      .resume_session = request.resume_session,
                      .fork_session = request.fork_session,
                      .fork_point = request.fork.point,
                      .guarded = request.policy_restricts,
                      .output_schema_text = request.output_schema_json},
                     backend));
  if (request.require_policy && request.policy_restricts) {
    RETURN_IF_ERROR(CheckPolicyHolds(backend, request.options));
  }
  ASSIGN_OR_RETURN(const Launch built, backend.BuildLaunch(launch, cli));
  if (built.needs_git_repository) {
    RETURN_IF_ERROR(CheckGitRepository(request.cwd));
  }
  return built.wire;
}

// Leaves out a model that the CLI lacks. If it can't be asked, the model stays.
void LeaveOutMissingModel(const Home& home, const Backend& backend,
                          const Cli& cli, const Environment& environment,
                          TaskRequest* request) {
  std::string& model = request->options.model;
  if (!request->model_fallback || model.empty()) return;
  ProcessRunner runner;
  const auto models =
      ListModels(backend, cli, environment,
                 {.cache_path = home.version_cache(), .runner = &runner});
  if (!models.ok() ||
      std::find(models->begin(), models->end(), model) != models->end()) {
    return;
  }
  request->notices.push_back(
      absl::StrCat(NameAndVersion(backend.display_name, cli), " has no model ",
                   model, ": its own default is used instead"));
  model.clear();
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

constexpr unsigned kWriteAndWait = SYNC_FILE_RANGE_WAIT_BEFORE |
                                   SYNC_FILE_RANGE_WRITE |
                                   SYNC_FILE_RANGE_WAIT_AFTER;

// Whether the file system has one journal, in which a sync of one file commits
// all changes before it: names, and files whose bytes were written out. So one
// sync does for a new task, where each one costs a flush of the disk.
bool WritesInOrder(int fd) {
  struct statfs info = {};
  return fstatfs(fd, &info) == 0 && info.f_type == EXT4_SUPER_MAGIC;
}

}  // namespace

absl::StatusOr<LaunchRequest> CompleteLaunch(LaunchRequest request,
                                             const Backend& backend) {
  if (backend.inline_output_schema && !request.options.output_schema.empty() &&
      request.output_schema_text.empty()) {
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
  const auto failed = [&](const char* name) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("sync ", folder.path, "/", name));
  };
  const auto open_file = [&](const char* name) {
    return UniqueFd(openat(folder.fd.get(), name, O_RDONLY | O_CLOEXEC));
  };
  const UniqueFd environment = open_file(kEnvironmentName);
  if (!environment.ok()) return failed(kEnvironmentName);
  const UniqueFd log = open_file(relay::kLogName);
  if (!log.ok()) return failed(relay::kLogName);
  const bool written =
      WritesInOrder(folder.fd.get()) &&
      sync_file_range(environment.get(), 0, 0, kWriteAndWait) == 0;
  if (fdatasync(log.get()) != 0) return failed(relay::kLogName);
  if (written) return absl::OkStatus();
  if (fdatasync(environment.get()) != 0) return failed(kEnvironmentName);
  // Keeps the names of both files.
  if (fsync(folder.fd.get()) != 0) return failed("");
  return absl::OkStatus();
}

absl::StatusOr<MadeTask> MakeTask(
    const Home& home, TaskRequest request, const Environment& environment,
    absl::StatusOr<Cli> cli, Clock* clock,
    const std::function<std::string()>& take_folder) {
  Environment kept = ForAgents(environment);
  RETURN_IF_ERROR(CheckSize(kept));
  RETURN_IF_ERROR(TakeTextsOfFork(home, &request));
  RETURN_IF_ERROR(CheckTexts(request));
  RETURN_IF_ERROR(CompleteRequest(kept, &request));
  if (request.document.wanted) {
    // Links that lead elsewhere by the time it is written are not followed.
    std::error_code error;
    request.document.folder = std::filesystem::canonical(request.cwd, error);
  }
  RETURN_IF_ERROR(CollectPolicy(home, &request));
  const Backend& backend = BackendOf(request.harness);
  RETURN_IF_ERROR(cli.status());
  LeaveOutMissingModel(home, backend, *cli, kept, &request);
  ASSIGN_OR_RETURN(const Wire wire, CheckLaunch(home, request, backend, *cli));
  ASSIGN_OR_RETURN(
      std::vector<TurnAsked::Image> images,
      ReadImages(request.options.images, backend.sends_images_inline(wire)
                                             ? ImageForm::kData
                                             : ImageForm::kPath));
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
        "prompt, images and rules are over 16 MiB together: name images by "
        "path, and leave out rules");
  }

  ASSIGN_OR_RETURN(TaskFolder folder,
                   home.NewTask(take_folder ? take_folder() : ""));
  absl::Cleanup remove = [path = folder.path] {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  };
  RETURN_IF_ERROR(WriteEnvironment(folder, kept));
  RETURN_IF_ERROR(KeepTexts(folder, request));
  NameTexts(folder.path, &request);
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
