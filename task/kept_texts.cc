#include "task/kept_texts.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/write_whole.h"

namespace troika {
namespace {

struct TextRow {
  absl::string_view text;    // Name of the text in requests.
  absl::string_view option;  // Name of the option for its path.
  const char* file;
  NamedFile limit;
  std::string TaskRequest::*value;
  std::string LaunchOptions::*path;
};

constexpr TextRow kTexts[] = {
    {"base_instructions_text", "base_instructions", kBaseInstructionsName,
     NamedFile::kBaseInstructions, &TaskRequest::base_instructions_text,
     &LaunchOptions::base_instructions},
    {"output_schema_json", "output_schema", kOutputSchemaName,
     NamedFile::kOutputSchema, &TaskRequest::output_schema_json,
     &LaunchOptions::output_schema},
};

absl::Status CheckJsonObject(absl::string_view text, absl::string_view name) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(text);
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is no JSON: ", value.status().message()));
  }
  if (value->IsObject()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is no JSON object but ",
                   json::TypeName(value->type()), ": give a JSON schema"));
}

absl::Status WriteText(const TaskFolder& folder, const char* name,
                       absl::string_view text) {
  const auto failed = [&](absl::string_view what) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat(what, " ", folder.path, "/", name));
  };
  const UniqueFd file(openat(folder.fd.get(), name,
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.ok()) return failed("make");
  RETURN_IF_ERROR(
      WriteWhole(file.get(), text, absl::StrCat(folder.path, "/", name)));
  if (fdatasync(file.get()) != 0) return failed("sync");
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTexts(const TaskRequest& request) {
  for (const TextRow& row : kTexts) {
    const std::string& text = request.*row.value;
    if (text.empty()) continue;
    if (!(request.options.*row.path).empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(row.text, " and options.", row.option,
                       " are both given: leave one of them out"));
    }
    const size_t limit = MaxBytesOf(row.limit);
    if (text.size() > limit) {
      return absl::InvalidArgumentError(absl::StrCat(
          row.text, " has ", text.size(), " bytes, over the limit of ", limit,
          ": make it shorter"));
    }
  }
  if (request.output_schema_json.empty()) return absl::OkStatus();
  return CheckJsonObject(request.output_schema_json, "output_schema_json");
}

absl::Status TakeTextsOfFork(const Home& home, TaskRequest* request) {
  if (request->fork.task.empty()) return absl::OkStatus();
  for (const TextRow& row : kTexts) {
    std::string& path = request->options.*row.path;
    const std::string kept =
        absl::StrCat(home.TaskPath(request->fork.task), "/", row.file);
    if (path != kept) continue;
    ASSIGN_OR_RETURN(request->*row.value, ReadNamedFile(path, row.limit));
    path.clear();
  }
  return absl::OkStatus();
}

void NameTexts(const std::string& folder, TaskRequest* request) {
  for (const TextRow& row : kTexts) {
    if ((request->*row.value).empty()) continue;
    request->options.*row.path = absl::StrCat(folder, "/", row.file);
  }
}

absl::Status KeepTexts(const TaskFolder& folder, const TaskRequest& request) {
  bool kept = false;
  for (const TextRow& row : kTexts) {
    const std::string& text = request.*row.value;
    if (text.empty()) continue;
    AssertMayBlock("sync of a request's texts");
    RETURN_IF_ERROR(WriteText(folder, row.file, text));
    kept = true;
  }
  // Keeps the files' names.
  if (kept && fsync(folder.fd.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("sync ", folder.path));
  }
  return absl::OkStatus();
}

}  // namespace troika
