// How a runner makes tasks and starts their processes.
#include <poll.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "agent/discovery.h"
#include "agent/registry.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/start.h"
#include "task/runner.h"

namespace troika {
namespace {

constexpr size_t kMaxSchema = size_t{1} << 20;

absl::string_view StdinName(Launch::Stdin mode) {
  switch (mode) {
    case Launch::Stdin::kNull:
      return "null";
    case Launch::Stdin::kPrompt:
      return "prompt";
    case Launch::Stdin::kConversation:
      break;
  }
  return "conversation";
}

std::vector<std::string> EnvironmentOf(const Environment& environment,
                                       const Launch& launch) {
  Environment::Map variables = environment.variables();
  for (const auto& [name, value] : launch.env) variables[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) {
    entries.push_back(absl::StrCat(name, "=", value));
  }
  return entries;
}

absl::StatusOr<std::string> ReadSchema(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  if (!file.good() && !file.eof()) {
    return absl::NotFoundError(absl::StrCat("read the output schema ", path));
  }
  if (text.size() > kMaxSchema) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output schema ", path, " is over 1 MiB"));
  }
  return text;
}

absl::StatusOr<LaunchRequest> CompleteLaunch(LaunchRequest request,
                                             const Backend& backend) {
  if (backend.inline_output_schema() &&
      !request.options.output_schema.empty()) {
    ASSIGN_OR_RETURN(request.output_schema_text,
                     ReadSchema(request.options.output_schema));
  }
  return request;
}

absl::StatusOr<Cli> Find(const Backend& backend, const Environment& environment,
                         const RunnerTools& tools) {
  ProcessRunner runner;
  return FindCli(backend.cli_names(), environment,
                 {.cache_path = tools.version_cache, .runner = &runner});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Runner>> Runner::Create(const Home& home,
                                                       TaskRequest request,
                                                       Environment environment,
                                                       RunnerTools tools) {
  RETURN_IF_ERROR(CompleteRequest(environment, &request));
  const Backend& backend = BackendOf(request.harness);
  // What would fail later fails now, and leaves no task behind.
  ASSIGN_OR_RETURN(const Cli cli, Find(backend, environment, tools));
  ASSIGN_OR_RETURN(const LaunchRequest launch,
                   CompleteLaunch({.options = request.options,
                                   .cwd = request.cwd,
                                   .resume_session = request.resume_session},
                                  backend));
  RETURN_IF_ERROR(backend.BuildLaunch(launch, cli).status());
  ASSIGN_OR_RETURN(std::vector<TurnAsked::Image> images,
                   ReadImages(request.options.images, backend));

  const std::string turn =
      notes::ToJson(notes::Turn{.turn = 1,
                                .prompt = request.prompt,
                                .images = std::move(images),
                                .by = "user"});
  if (turn.size() > kMaxLineBytes ||
      notes::ToJson(RequestNote(request, "")).size() + relay::kMaxKey >
          kMaxLineBytes) {
    return absl::InvalidArgumentError(
        "prompt and images are over 16 MiB together: name them by path");
  }

  ASSIGN_OR_RETURN(TaskFolder folder, home.NewTask());
  std::unique_ptr<Runner> runner(
      new Runner(std::move(folder), std::move(tools)));
  runner->environment_ = std::move(environment);
  RETURN_IF_ERROR(WriteEnvironment(runner->folder_, runner->environment_));
  ASSIGN_OR_RETURN(relay::LogWriter log,
                   TakeLog(runner->folder_, runner->tools_.clock));
  log.Append(
      {.key = "request",
       .payload = notes::ToJson(RequestNote(request, runner->folder_.id))});
  log.Append({.key = "turn-1", .payload = turn});
  RETURN_IF_ERROR(log.Flush());
  RETURN_IF_ERROR(log.Sync());
  // The log's name is to survive a loss of power, too.
  fsync(runner->folder_.fd.get());
  RETURN_IF_ERROR(runner->OpenFollower());
  return runner;
}

absl::Status Runner::StartProcess() {
  auto log = relay::LogWriter::Open(folder_.fd.get(), folder_.id, tools_.clock);
  // Somebody else is at it: a relay that starts, or another runner. The
  // follower looks again in a moment.
  if (absl::IsUnavailable(log.status())) return absl::OkStatus();
  RETURN_IF_ERROR(log.status());
  // Now nobody else can write. What was written since we read is read first.
  if (log->offset() != follower_->offset()) return absl::OkStatus();
  return Launch(*std::move(log));
}

absl::StatusOr<LaunchRequest> Runner::NextLaunch() const {
  const bool first = state().session_id.empty();
  LaunchOptions options = options_;
  options.images.clear();
  if (const TurnAsked* turn = follower_->replay().waiting_turn()) {
    for (const TurnAsked::Image& image : turn->images) {
      options.images.push_back(image.path);
    }
  }
  return CompleteLaunch(
      {.options = std::move(options),
       .cwd = request().cwd,
       .resume_session = first ? request().resume_session : state().session_id},
      *backend_);
}

absl::Status Runner::Launch(relay::LogWriter log) {
  const auto cli = Find(*backend_, environment_, tools_);
  if (!cli.ok()) return FailStart(std::move(log), cli.status().message());
  const auto request = NextLaunch();
  if (!request.ok()) {
    return FailStart(std::move(log), request.status().message());
  }
  const auto launch = backend_->BuildLaunch(*request, *cli);
  if (!launch.ok()) return FailStart(std::move(log), launch.status().message());
  const int generation = state().generation + 1;
  const bool keeps =
      !request->resume_session.empty() && backend_->resume_keeps_session(*cli);
  const relay::RelaySpec spec = {
      .argv = launch->argv,
      .env = EnvironmentOf(environment_, *launch),
      .cwd = request->cwd,
      .stdin_mode = launch->stdin_mode == Launch::Stdin::kNull
                        ? relay::StdinMode::kNull
                        : relay::StdinMode::kPipe,
      .spawned_note = notes::ToJson(notes::Spawned{
          .generation = generation,
          .turn = state().turns - state().turns_waiting + 1,
          .argv = launch->argv,
          .cwd = request->cwd,
          .version = cli->version,
          .stdin_mode = std::string(StdinName(launch->stdin_mode)),
          .expected_session = keeps ? request->resume_session : "",
          .notices = launch->notices}),
      .spawned_key = absl::StrCat("spawn-", generation),
      .max_log_bytes = tools_.max_log_bytes,
      .grace_ms = tools_.grace_ms};
  Step();
  auto ready = relay::StartRelay(tools_.relay_program, spec, std::move(log),
                                 folder_.fd.get());
  if (ready.ok()) {
    ready_ = *std::move(ready);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(relay::LogWriter again, TakeLog(folder_, tools_.clock));
  return FailStart(std::move(again), ready.status().message());
}

absl::Status Runner::OnRelayStarted() {
  pollfd fd = {.fd = ready_.get(), .events = POLLIN};
  if (poll(&fd, 1, 0) <= 0) return absl::OkStatus();
  const absl::Status started = relay::RelayStarted(ready_.get());
  ready_.Reset();
  if (started.ok()) return absl::OkStatus();
  ASSIGN_OR_RETURN(relay::LogWriter log, TakeLog(folder_, tools_.clock));
  return FailStart(std::move(log), started.message());
}

absl::Status Runner::FailStart(relay::LogWriter log, absl::string_view error) {
  Step();
  log.Append({.payload = notes::ToJson(
                  notes::StartFailed{.generation = state().generation + 1,
                                     .error = std::string(error)})});
  RETURN_IF_ERROR(log.Flush());
  return log.Sync();
}

}  // namespace troika
