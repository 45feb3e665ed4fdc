#include "cli/commands/run_options.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/status_macros.h"
#include "cli/commands/harness_ids.h"

namespace troika::cli {
namespace {

// What flags can't hold as the request does.
struct Given {
  std::string edit_mode;
  std::vector<std::string> labels;
  TimeoutFlags timeouts;
  TurnFlags turn_flags;
};

void AddLaunchFlags(LaunchOptions* options, Flags* flags) {
  flags->Add("model", &options->model);
  flags->Add("approval-policy", &options->approval_policy);
  flags->Add("sandbox", &options->sandbox);
  flags->Add("dangerously-bypass", &options->dangerously_bypass);
  flags->Add("image", &options->images);
  flags->Add("config", &options->config);
  flags->Add("profile", &options->profile);
  flags->Add("output-schema", &options->output_schema);
  flags->Add("skip-git-check", &options->skip_git_check);
  flags->Add("add-dir", &options->extra_dirs);
  flags->Add("effort", &options->effort);
  flags->Add("verbosity", &options->verbosity);
  flags->Add("web-search", &options->web_search);
  flags->Add("ephemeral", &options->ephemeral);
  flags->Add("base-instructions", &options->base_instructions);
  flags->Add("plan-tool", &options->plan_tool);
  flags->Add("local-provider", &options->local_provider);
  flags->Add("last-message-file", &options->last_message_file);
}

void AddFlags(TaskRequest* request, Given* given, Flags* flags) {
  AddLaunchFlags(&request->options, flags);
  flags->Add("edit-mode", &given->edit_mode);
  flags->Add("cwd", &request->cwd);
  flags->Add("title", &request->title);
  flags->Add("label", &given->labels);
  flags->Add("resume", &request->resume_session);
  given->timeouts.AddTo(flags);
  given->turn_flags.AddTo(flags);
}

absl::Status ReadWords(std::vector<std::string> words, RunOptions* options) {
  if (words.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a harness is needed: ", HarnessIds()));
  }
  ASSIGN_OR_RETURN(const Backend* const backend, BackendById(words[0]));
  options->request.harness = backend->harness;
  if (words.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than one prompt: \"", words[1], "\" and \"",
                     words[2], "\"; put quotes around it"));
  }
  if (words.size() == 2) options->prompt.argument = std::move(words[1]);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunOptions> ReadRunOptions(absl::Span<const std::string> args) {
  RunOptions options;
  TaskRequest& request = options.request;
  Given given;
  Flags flags;
  AddFlags(&request, &given, &flags);
  ASSIGN_OR_RETURN(std::vector<std::string> words, flags.Parse(args));
  RETURN_IF_ERROR(ReadWords(std::move(words), &options));
  ASSIGN_OR_RETURN(request.options.edit_mode, ReadEditMode(given.edit_mode));
  ASSIGN_OR_RETURN(request.labels, ReadLabels(given.labels));
  request.timeouts = given.timeouts.timeouts();
  ASSIGN_OR_RETURN(options.view, given.turn_flags.Options());
  options.then = given.turn_flags.then();
  options.prompt.use_stdin = given.turn_flags.use_stdin();
  return options;
}

}  // namespace troika::cli
