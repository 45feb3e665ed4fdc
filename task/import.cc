#include "task/import.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/protocol.h"
#include "base/blocking.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "relay/log_writer.h"
#include "task/make.h"
#include "task/notes.h"
#include "task/request.h"

namespace troika {
namespace {

constexpr size_t kChunk = size_t{1} << 20;

// Appends the file's lines. One that crosses two chunks becomes continued
// records, which readers join.
absl::StatusOr<int64_t> AppendLines(const RegularFile& file,
                                    const std::string& path,
                                    relay::LogWriter* log) {
  int64_t lines = 0;
  bool open = false;  // Whether the last record is to be continued.
  std::string chunk;
  for (int64_t offset = 0; offset < file.size;) {
    chunk.clear();
    const auto wanted =
        static_cast<size_t>(std::min<int64_t>(kChunk, file.size - offset));
    ASSIGN_OR_RETURN(const size_t count,
                     ReadAt(file.fd.get(), offset, wanted, path, &chunk));
    if (count == 0) break;  // The file has shrunk.
    offset += static_cast<int64_t>(count);
    absl::string_view rest = chunk;
    for (size_t end = rest.find('\n'); end != rest.npos;
         end = rest.find('\n')) {
      log->Append(
          {.stream = relay::Stream::kStdout, .payload = rest.substr(0, end)});
      rest.remove_prefix(end + 1);
      open = false;
      ++lines;
    }
    if (!rest.empty()) {
      log->Append({.stream = relay::Stream::kStdout,
                   .end = relay::LineEnd::kContinued,
                   .payload = rest});
      open = true;
    }
    RETURN_IF_ERROR(log->Flush());
  }
  if (!open) return lines;
  log->Append({.stream = relay::Stream::kStdout, .end = relay::LineEnd::kNone});
  return lines + 1;
}

// Appends a file that is one JSON object as one line. A line break outside of a
// string means the same as a space, and within one there can be none.
absl::StatusOr<int64_t> AppendObject(const RegularFile& file,
                                     const std::string& path,
                                     relay::LogWriter* log) {
  if (file.size > kMaxLineBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("import ", path, ": it is over ", kMaxLineBytes >> 20,
                     " MiB, and in this format it is read as a whole"));
  }
  std::string object;
  RETURN_IF_ERROR(
      ReadAt(file.fd.get(), 0, static_cast<size_t>(file.size), path, &object)
          .status());
  std::replace(object.begin(), object.end(), '\n', ' ');
  log->Append({.stream = relay::Stream::kStdout, .payload = object});
  return 1;
}

absl::Status WriteLog(const TaskFolder& folder, const ImportRequest& request,
                      const Environment& kept, const RegularFile& file,
                      Clock* clock) {
  const NativeSession& session = request.session;
  ASSIGN_OR_RETURN(relay::LogWriter log,
                   relay::LogWriter::Open(folder.fd.get(), folder.id, clock));
  const notes::Request note = {
      .task = folder.id,
      .harness = std::string(HarnessId(request.harness)),
      .prompt = session.first_prompt,
      .cwd = session.cwd,
      .title = TitleOf(session.first_prompt),
      .options = {.model = session.model},
      .env_digest = EnvironmentDigest(kept)};
  log.Append({.key = "request", .payload = notes::ToJson(note)});
  log.Append({.key = "imported",
              .payload = notes::ToJson(
                  notes::Imported{.session = session.id,
                                  .path = json::ToValidUtf8(request.path),
                                  .size = file.size,
                                  .by = request.by})});
  const bool is_object = absl::EndsWith(request.path, ".json");
  ASSIGN_OR_RETURN(const int64_t lines,
                   is_object ? AppendObject(file, request.path, &log)
                             : AppendLines(file, request.path, &log));
  log.Append({.key = "import-ended",
              .payload = notes::ToJson(notes::ImportEnded{.lines = lines})});
  return log.Flush();
}

}  // namespace

absl::StatusOr<std::string> ImportSession(const Home& home,
                                          const ImportRequest& request,
                                          const Environment& environment,
                                          Clock* clock) {
  AssertMayBlock("importing a session");
  ASSIGN_OR_RETURN(const RegularFile file,
                   OpenRegularFile(AT_FDCWD, request.path));
  if (file.size > kMaxImportBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("import ", request.path, ": it has ", file.size,
                     " bytes, over the limit of ", kMaxImportBytes));
  }
  const Environment kept = ForAgents(environment);
  ASSIGN_OR_RETURN(TaskFolder folder, home.NewTask());
  absl::Cleanup remove = [path = folder.path] {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  };
  RETURN_IF_ERROR(WriteEnvironment(folder, kept));
  RETURN_IF_ERROR(WriteLog(folder, request, kept, file, clock));
  RETURN_IF_ERROR(SyncTask(folder));
  std::move(remove).Cancel();
  return folder.id;
}

}  // namespace troika
