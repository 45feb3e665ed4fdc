#include "server/document_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/ability_range.h"
#include "agent/registry.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_whole.h"
#include "dto/redact.h"
#include "relay/log_format.h"
#include "relay/log_reader.h"
#include "server/secrets.h"
#include "task/document.h"
#include "task/replay.h"

namespace troika {
namespace {

constexpr char kFolder[] = "gpt5_docs";
constexpr int64_t kAtOnce = int64_t{1} << 20;
constexpr int kMaxAttempts = 100;
// Documents of ours are shorter.
constexpr size_t kMaxDocument = size_t{16} << 20;

std::string EditModeText(const TaskState& state, const LaunchOptions& options) {
  if (state.edit_mode && state.edit_mode != EditMode::kNative) {
    return std::string(EditModeId(*state.edit_mode));
  }
  return PermissionText(options);
}

// The line by which a document is known to be the task's.
std::string TaskLine(absl::string_view id) {
  return absl::StrCat("\n- Task: ", id, "\n");
}

struct Document {
  std::string cwd;
  std::string title;
  absl::Time time;
  TurnReport report;
};

absl::StatusOr<Document> ReadDocument(const TaskFolder& folder) {
  ASSIGN_OR_RETURN(relay::LogReader reader,
                   relay::LogReader::Open(folder.fd.get()));
  Replay replay;
  std::optional<TurnDocument> turn;
  const auto add = [&](Message&& message) {
    if (!turn) turn.emplace(replay.state().cwd);
    turn->Add(message);
  };
  ReplaySink sink(&replay, add);
  int64_t read = 0;
  do {
    ASSIGN_OR_RETURN(read, reader.Read(sink, kAtOnce));
  } while (read > 0);
  const notes::Request* const request = replay.request();
  const TaskState& state = replay.state();
  if (request == nullptr || !turn || !state.document.turn_ended) {
    return absl::FailedPreconditionError(
        absl::StrCat("task ", folder.id, " has no turn that has ended"));
  }
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(request->harness));
  const auto environment = ReadEnvironment(folder);
  DocumentFacts facts = {
      .title = request->document.title.empty() ? state.title
                                               : request->document.title,
      .task = folder.id,
      .harness =
          NameAndVersion(backend->display_name, {.version = state.version}),
      .asked_model = request->options.model,
      .effort = request->options.effort,
      .edit_mode = EditModeText(state, request->options),
      .exit_code = state.exit_code,
      .log = absl::StrCat(folder.path, "/", relay::kLogName)};
  if (backend->McpServers != nullptr && environment.ok()) {
    facts.mcp_servers = backend->McpServers(*environment);
  }
  const std::string& folder_then = request->document.folder;
  Document document = {.cwd = folder_then.empty() ? state.cwd : folder_then,
                       .title = facts.title,
                       .time = *state.document.turn_ended,
                       .report = {.text = turn->Markdown(facts),
                                  .metadata = turn->Metadata(facts),
                                  .searched = turn->searched()}};
  const Redactor redactor(TaskSecrets(folder.id, environment, request));
  redactor.RedactPlain(&document.report.text);
  redactor.RedactPlain(&document.report.metadata);
  redactor.RedactPlain(&document.title);
  return document;
}

// Opens a folder by a path that had no links when the task was made.
absl::StatusOr<UniqueFd> OpenWithoutLinks(const std::string& path) {
  constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(open("/", kFlags));
  for (const absl::string_view name :
       absl::StrSplit(path, '/', absl::SkipEmpty())) {
    UniqueFd next(openat(folder.get(), std::string(name).c_str(), kFlags));
    if (!next.ok() && (errno == ELOOP || errno == ENOTDIR)) {
      return absl::FailedPreconditionError(
          absl::StrCat(path, " was replaced since the task began: ", name,
                       " is no folder any more, and links are not followed"));
    }
    if (!next.ok()) {
      return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
    }
    folder = std::move(next);
  }
  return folder;
}

// The folder of documents, which is made if it is missing.
absl::StatusOr<UniqueFd> OpenFolder(const std::string& cwd) {
  const std::string path = absl::StrCat(cwd, "/", kFolder);
  ASSIGN_OR_RETURN(const UniqueFd parent, OpenWithoutLinks(cwd));
  if (mkdirat(parent.get(), kFolder, 0755) != 0 && errno != EEXIST) {
    return absl::ErrnoToStatus(errno, absl::StrCat("make ", path));
  }
  UniqueFd folder(openat(parent.get(), kFolder,
                         O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.ok()) return folder;
  if (errno == ELOOP || errno == ENOTDIR) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     " is no folder, and links are not followed: remove "
                     "it, or make a folder of that name"));
  }
  return absl::ErrnoToStatus(errno, absl::StrCat("open ", path));
}

bool IsOurs(int folder, const std::string& name, absl::string_view id) {
  const auto text = ReadFileUpTo(folder, name.c_str(), kMaxDocument);
  return text.ok() && absl::StrContains(*text, TaskLine(id));
}

// Gives the file `from` the first name that no file has. Returns that name.
absl::StatusOr<std::string> Publish(int folder, const std::string& from,
                                    const Document& document,
                                    const std::string& id,
                                    absl::TimeZone zone) {
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    std::string name =
        DocumentName(document.title, document.time, zone, attempt);
    if (renameat2(folder, from.c_str(), folder, name.c_str(),
                  RENAME_NOREPLACE) == 0) {
      return name;
    }
    if (errno != EEXIST) {
      return absl::ErrnoToStatus(
          errno, absl::StrCat("write ", document.cwd, "/", kFolder, "/", name));
    }
    // The server was killed before its log said that it was written.
    if (IsOurs(folder, name, id)) return name;
  }
  return absl::AlreadyExistsError(
      absl::StrCat(kMaxAttempts, " files of that name are in ", document.cwd,
                   "/", kFolder, " already: remove some"));
}

}  // namespace

absl::StatusOr<TurnReport> ReportTurn(const Home& home, const std::string& id) {
  AssertMayBlock("reading a task's log");
  ASSIGN_OR_RETURN(const TaskFolder task, home.OpenTask(id));
  ASSIGN_OR_RETURN(Document document, ReadDocument(task));
  return std::move(document.report);
}

absl::StatusOr<std::string> WriteDocument(const Home& home,
                                          const std::string& id,
                                          absl::TimeZone zone) {
  AssertMayBlock("writing a document");
  ASSIGN_OR_RETURN(const TaskFolder task, home.OpenTask(id));
  ASSIGN_OR_RETURN(const Document document, ReadDocument(task));
  ASSIGN_OR_RETURN(const UniqueFd folder, OpenFolder(document.cwd));
  // One that is there was left by a server that was killed.
  const std::string temporary = absl::StrCat(".agent_", id, ".tmp");
  unlinkat(folder.get(), temporary.c_str(), 0);
  const UniqueFd file(openat(folder.get(), temporary.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  const std::string path = absl::StrCat(document.cwd, "/", kFolder, "/");
  if (!file.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("make a file in ", path));
  }
  const absl::Cleanup remove = [&] {
    unlinkat(folder.get(), temporary.c_str(), 0);
  };
  RETURN_IF_ERROR(
      WriteWhole(file.get(), document.report.text, path + temporary));
  if (fdatasync(file.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("sync ", path, temporary));
  }
  ASSIGN_OR_RETURN(const std::string name,
                   Publish(folder.get(), temporary, document, id, zone));
  fsync(folder.get());
  return path + name;
}

}  // namespace troika
