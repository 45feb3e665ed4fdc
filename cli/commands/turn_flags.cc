#include "cli/commands/turn_flags.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"

namespace troika::cli {

void TurnFlags::AddTo(Flags* flags) {
  view_.AddTo(flags);
  flags->Add("quiet", &quiet_);
  flags->Add("detach", &detach_);
  flags->Add("no-stdin", &no_stdin_);
}

absl::StatusOr<ViewOptions> TurnFlags::Options() const {
  ASSIGN_OR_RETURN(ViewOptions options, view_.Options());
  if (!quiet_) return options;
  if (options.output == ViewOptions::Output::kJson) {
    return absl::InvalidArgumentError("--quiet and --json exclude each other");
  }
  if (detach_) {
    return absl::InvalidArgumentError(
        "--quiet and --detach exclude each other");
  }
  options.output = ViewOptions::Output::kQuiet;
  return options;
}

void TimeoutFlags::AddTo(Flags* flags) {
  flags->Add("timeout", &turn_);
  flags->Add("start-timeout", &start_);
  flags->Add("idle-timeout", &idle_);
  flags->Add("task-timeout", &task_);
}

notes::Timeouts TimeoutFlags::timeouts() const {
  return {.start = start_, .idle = idle_, .turn = turn_, .task = task_};
}

absl::StatusOr<std::optional<EditMode>> ReadEditMode(const std::string& id) {
  if (id.empty()) return std::optional<EditMode>();
  // As flags are written, too.
  const auto mode = EditModeFromId(absl::StrReplaceAll(id, {{"-", "_"}}));
  if (mode) return mode;
  return absl::InvalidArgumentError(
      absl::StrCat("--edit-mode ", id,
                   " is none of research, auto_edit, full_auto and dangerous"));
}

absl::StatusOr<std::map<std::string, std::string>> ReadLabels(
    const std::vector<std::string>& labels) {
  std::map<std::string, std::string> read;
  for (const std::string& label : labels) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label ", label, " is not of the form key=value"));
    }
    read[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return read;
}

absl::StatusOr<TaskAndPrompt> ReadTaskAndPrompt(
    std::vector<std::string> words) {
  if (words.empty() || words[0].empty()) {
    return absl::InvalidArgumentError("a task is needed: its id, or latest");
  }
  if (words.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one prompt: \"", words[1], "\" and \"",
                     words[2], "\"; put quotes around it"));
  }
  TaskAndPrompt read = {.task = std::move(words[0])};
  if (words.size() == 2) read.prompt = std::move(words[1]);
  return read;
}

}  // namespace troika::cli
