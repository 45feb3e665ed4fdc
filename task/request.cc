#include "task/request.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "base/blocking.h"
#include "base/json.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "task/watchdog.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxTitle = 80;

absl::Status CheckFolder(const std::string& path, absl::string_view what) {
  std::error_code error;
  if (fs::is_directory(path, error)) return absl::OkStatus();
  if (fs::exists(path, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " ", path, " is no folder: name another"));
  }
  return absl::NotFoundError(absl::StrCat(
      what, " ", path, " does not exist: make it, or name another"));
}

struct NamedFileRow {
  absl::string_view name;
  size_t limit;
};

NamedFileRow RowOf(NamedFile which) {
  switch (which) {
    case NamedFile::kImage:
      return {"the image", size_t{10} << 20};
    case NamedFile::kOutputSchema:
      return {"the output schema", size_t{1} << 20};
    case NamedFile::kBaseInstructions:
      return {"the base instructions", size_t{1} << 20};
  }
  return {};
}

absl::Status WithName(NamedFile which, const absl::Status& error) {
  return absl::Status(
      error.code(),
      absl::StrCat("can't use ", RowOf(which).name, ": ", error.message()));
}

// For a file that the CLI reads, not we.
absl::Status CheckNamedFile(const std::string& path, NamedFile which) {
  const absl::Status status = CheckFileUpTo(path, RowOf(which).limit);
  return status.ok() ? status : WithName(which, status);
}

// The system would take such a path for a shorter one.
absl::Status CheckPath(absl::string_view path, absl::string_view what) {
  if (!absl::StrContains(path, '\0')) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the path of ", what, " \"", absl::CHexEscape(path),
                   "\" has a NUL byte within: leave it out"));
}

// Calls `visit` with each path but cwd, and its name.
void ForEachPath(
    LaunchOptions& options,
    absl::FunctionRef<void(std::string& path, absl::string_view what)> visit) {
  for (std::string& path : options.extra_dirs) visit(path, "the extra folder");
  for (std::string& path : options.images) visit(path, "the image");
  visit(options.output_schema, "the output schema");
  visit(options.base_instructions, "the base instructions");
  visit(options.last_message_file, "the last message's file");
}

void ForEachPath(
    TaskRequest& request,
    absl::FunctionRef<void(std::string& path, absl::string_view what)> visit) {
  ForEachPath(request.options, visit);
  for (std::string& path : request.policy_files) {
    visit(path, "the file with rules");
  }
}

absl::Status CheckAllPaths(TaskRequest& request) {
  absl::Status status = CheckPath(request.cwd, "the folder");
  ForEachPath(request, [&](std::string& path, absl::string_view what) {
    status.Update(CheckPath(path, what));
  });
  return status;
}

// "." ends in a slash once it is normal.
std::string FolderFrom(absl::string_view base, absl::string_view path) {
  std::string folder = PathFrom(base, path);
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// The agent runs elsewhere, so none of its paths may depend on our folder.
void CompletePaths(absl::string_view base, TaskRequest* request) {
  ForEachPath(*request, [&](std::string& path, absl::string_view) {
    path = PathFrom(base, path);
  });
}

absl::Status CheckPaths(const TaskRequest& request) {
  const LaunchOptions& options = request.options;
  RETURN_IF_ERROR(CheckFolder(request.cwd, "the folder"));
  for (const std::string& path : options.extra_dirs) {
    RETURN_IF_ERROR(CheckFolder(path, "the extra folder"));
  }
  for (const std::string& path : options.images) {
    RETURN_IF_ERROR(CheckNamedFile(path, NamedFile::kImage));
  }
  if (!options.output_schema.empty()) {
    RETURN_IF_ERROR(
        CheckNamedFile(options.output_schema, NamedFile::kOutputSchema));
  }
  if (!options.base_instructions.empty()) {
    RETURN_IF_ERROR(CheckNamedFile(options.base_instructions,
                                   NamedFile::kBaseInstructions));
  }
  return absl::OkStatus();
}

absl::string_view MediaType(const std::string& path) {
  const std::string end =
      absl::AsciiStrToLower(fs::path(path).extension().string());
  if (end == ".png") return "image/png";
  if (end == ".jpg" || end == ".jpeg") return "image/jpeg";
  if (end == ".gif") return "image/gif";
  if (end == ".webp") return "image/webp";
  return "";
}

}  // namespace

std::string TitleOf(absl::string_view prompt) {
  absl::string_view line = absl::StripAsciiWhitespace(prompt);
  line = line.substr(0, line.find('\n'));
  const absl::string_view cut = CutAtCharacter(line, kMaxTitle);
  return absl::StrCat(cut, cut.size() < line.size() ? "…" : "");
}

absl::Status CheckPrompt(absl::string_view prompt) {
  if (absl::StripAsciiWhitespace(prompt).empty()) {
    return absl::InvalidArgumentError("the prompt is empty: say what to do");
  }
  if (prompt.size() > kMaxPromptBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the prompt has ", prompt.size(), " bytes, over the limit of ",
        kMaxPromptBytes, ": put it into a file, and name that"));
  }
  // The log and every wire are UTF-8; two of the CLIs refuse anything else.
  if (!json::IsValidUtf8(prompt)) {
    return absl::InvalidArgumentError("the prompt is not UTF-8: convert it");
  }
  return absl::OkStatus();
}

std::string PathFrom(absl::string_view base, absl::string_view path) {
  if (path.empty()) return "";
  return (fs::path(std::string(base)) / std::string(path))
      .lexically_normal()
      .string();
}

void MakePathsAbsolute(TaskRequest* request) {
  std::error_code error;
  const std::string here = fs::current_path(error).string();
  request->cwd = FolderFrom(here, request->cwd.empty() ? "." : request->cwd);
  CompletePaths(here, request);
}

absl::Status CompleteRequest(const Environment& environment,
                             TaskRequest* request) {
  RETURN_IF_ERROR(CheckPrompt(request->prompt));
  RETURN_IF_ERROR(CheckAllPaths(*request));
  if (!absl::StartsWith(request->cwd, "/")) {
    return absl::InvalidArgumentError(
        absl::StrCat("the folder \"", request->cwd,
                     "\" is no absolute path: name it from / on"));
  }
  request->cwd = FolderFrom("/", request->cwd);
  CompletePaths(request->cwd, request);
  RETURN_IF_ERROR(CheckPaths(*request));
  if (request->title.empty()) request->title = TitleOf(request->prompt);
  request->timeouts = WithDefaults(request->timeouts);
  const Backend& backend = BackendOf(request->harness);
  if (request->fork_session && request->resume_session.empty()) {
    return absl::InvalidArgumentError(
        "fork_session: there is no session to fork; name it as "
        "resume_session");
  }
  LaunchOptions& options = request->options;
  // An agent that we know nothing of has no other edit mode.
  if (request->harness == Harness::kAcp && !options.edit_mode &&
      options.approval_policy.empty()) {
    options.edit_mode = EditMode::kAsk;
  }
  if (request->resume_session == kLatestSession) {
    if (backend.sessions == nullptr) {
      return absl::NotFoundError(
          absl::StrCat(backend.display_name,
                       " keeps no sessions that can be listed: name the "
                       "session, or start a new task"));
    }
    ASSIGN_OR_RETURN(request->resume_session,
                     LatestSession(*backend.sessions, backend.display_name,
                                   request->cwd, environment));
  }
  return ReadImages(request->options.images, ImageForm::kPath).status();
}

notes::Request RequestNote(const TaskRequest& request, absl::string_view id) {
  return {.task = std::string(id),
          .harness = std::string(HarnessId(request.harness)),
          .prompt = request.prompt,
          .images = request.options.images,
          .cwd = request.cwd,
          .title = request.title,
          .labels = request.labels,
          .options = request.options,
          .timeouts = request.timeouts,
          .resume_session = request.resume_session,
          .fork_session = request.fork_session,
          .fork = request.fork,
          .idempotency_key = request.idempotency_key,
          .parent = request.parent,
          .notices = request.notices,
          .output_limit_bytes = request.output_limit_bytes,
          .document = request.document,
          .budget = request.budget,
          .policy = request.policy,
          .policy_restricts = request.policy_restricts,
          .require_policy = request.require_policy,
          .policy_folder = request.policy_folder};
}

size_t MaxBytesOf(NamedFile which) { return RowOf(which).limit; }

absl::StatusOr<std::string> ReadNamedFile(const std::string& path,
                                          NamedFile which) {
  absl::StatusOr<std::string> bytes = ReadFileUpTo(path, RowOf(which).limit);
  if (!bytes.ok()) return WithName(which, bytes.status());
  return bytes;
}

absl::StatusOr<std::vector<TurnAsked::Image>> ReadImages(
    const std::vector<std::string>& paths, ImageForm form) {
  if (!paths.empty()) AssertMayBlock("read of images");
  std::vector<TurnAsked::Image> images;
  for (const std::string& path : paths) {
    TurnAsked::Image image = {.path = path,
                              .media_type = std::string(MediaType(path))};
    if (image.media_type.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the image ", path,
                       " is of no kind that agents see: .png, .jpg, .gif, "
                       ".webp"));
    }
    RETURN_IF_ERROR(CheckPath(path, "the image"));
    if (form == ImageForm::kData) {
      ASSIGN_OR_RETURN(const std::string bytes,
                       ReadNamedFile(path, NamedFile::kImage));
      image.base64 = absl::Base64Escape(bytes);
    } else {
      RETURN_IF_ERROR(CheckNamedFile(path, NamedFile::kImage));
    }
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace troika
