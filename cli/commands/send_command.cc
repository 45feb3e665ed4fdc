// `troika send` and `troika resume`.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "agent/registry.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "cli/commands/help.h"
#include "cli/commands/sessions.h"
#include "cli/commands/turn.h"
#include "dto/request.h"

namespace troika::cli {
namespace {

template <typename Request>
struct SendCommandLine {
  std::string task;
  Request request;
  TurnOptions turn;
};

// Reads what both commands have, besides the flags that `flags` has already.
template <typename Request>
absl::StatusOr<SendCommandLine<Request>> ReadSendCommandLine(Args args,
                                                             Flags flags) {
  SendCommandLine<Request> line;
  std::vector<std::string> images;
  TurnFlags turn;
  flags.Add("image", &images);
  turn.AddTo(&flags);
  ASSIGN_OR_RETURN(const std::vector<std::string> words, flags.Parse(args));
  ASSIGN_OR_RETURN(line.turn, turn.Read(words));
  ASSIGN_OR_RETURN(line.task,
                   ReadTask({words.begin(), words.begin() + !words.empty()}));
  for (const std::string& image : images) {
    line.request.add_images(json::ToValidUtf8(AbsolutePath(image)));
  }
  *line.request.mutable_timeouts() = ToTimeouts(line.turn.timeouts);
  if (line.turn.budget != notes::Budget()) {
    *line.request.mutable_budget() = ToBudget(line.turn.budget);
  }
  return line;
}

absl::StatusOr<SendCommandLine<v1::InputRequest>> ReadSend(Args args) {
  std::string model;
  bool steer = false, queue = false, interrupt = false;
  Flags flags;
  flags.Add("model", &model);
  flags.Add("steer", &steer);
  flags.Add("queue", &queue);
  flags.Add("interrupt", &interrupt);
  ASSIGN_OR_RETURN(
      SendCommandLine<v1::InputRequest> line,
      ReadSendCommandLine<v1::InputRequest>(args, std::move(flags)));
  line.request.set_model(json::ToValidUtf8(model));
  if (steer + queue + interrupt > 1) {
    return absl::InvalidArgumentError(
        "--steer, --queue and --interrupt exclude each other");
  }
  if (steer) line.request.set_mode(v1::InputRequest::steer);
  if (queue) line.request.set_mode(v1::InputRequest::queue);
  if (interrupt) line.request.set_mode(v1::InputRequest::interrupt);
  return line;
}

absl::StatusOr<SendCommandLine<v1::ResumeRequest>> ReadResume(Args args) {
  std::string model, edit_mode;
  Flags flags;
  flags.Add("model", &model);
  flags.Add("edit-mode", &edit_mode);
  ASSIGN_OR_RETURN(
      SendCommandLine<v1::ResumeRequest> line,
      ReadSendCommandLine<v1::ResumeRequest>(args, std::move(flags)));
  line.turn.prompt.need = PromptInput::Need::kNoPrompt;
  if (!model.empty()) line.request.set_model(json::ToValidUtf8(model));
  ASSIGN_OR_RETURN(const std::optional<EditMode> mode, ReadEditMode(edit_mode));
  if (mode) line.request.set_edit_mode(ToEditMode(*mode));
  return line;
}

template <typename Request, typename Method>
absl::StatusOr<int> GiveTurn(const SendCommandLine<Request>& line,
                             Request request, Method method, Server& server,
                             const Io& io) {
  request.set_idempotency_key(client::NewIdempotencyKey());
  GivenTurn turn;
  ASSIGN_OR_RETURN(turn.before, server.api.GetTask(line.task));
  ASSIGN_OR_RETURN(turn.after, (server.api.*method)(turn.before.id(), request));
  if constexpr (requires { request.text(); }) {
    turn.prompt = request.text();
  } else {
    turn.prompt = request.prompt();
  }
  return ShowTurn(server, turn, line.turn, io);
}

absl::StatusOr<int> Send(const SendCommandLine<v1::InputRequest>& line,
                         Server& server, const Io& io) {
  v1::InputRequest request = line.request;
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.turn.prompt, io));
  request.set_text(json::ToValidUtf8(prompt.value_or("")));
  return GiveTurn(line, request, &client::ApiClient::SendInput, server, io);
}

// Makes a task that continues a session.
absl::StatusOr<int> ContinueSession(const v1::Session& session,
                                    const v1::ResumeRequest& wanted,
                                    const TurnOptions& turn, Server& server,
                                    const Io& io) {
  TaskRequest wanted_task = {.cwd = session.cwd(),
                             .timeouts = turn.timeouts,
                             .resume_session = session.id(),
                             .budget = turn.budget};
  ASSIGN_OR_RETURN(const Backend* const backend,
                   BackendById(session.harness()));
  wanted_task.harness = backend->harness;
  wanted_task.prompt =
      wanted.prompt().empty() ? std::string(kGoOn) : wanted.prompt();
  wanted_task.options.model = wanted.model();
  if (wanted.has_edit_mode()) {
    wanted_task.options.edit_mode = ToEditMode(wanted.edit_mode());
  }
  wanted_task.options.images = {wanted.images().begin(), wanted.images().end()};
  v1::CreateTaskRequest request =
      ToCreateRequest(wanted_task, server.environment);
  request.set_idempotency_key(client::NewIdempotencyKey());
  ASSIGN_OR_RETURN(const v1::Task task, server.api.CreateTask(request));
  return ShowTurn(server,
                  {.before = task,
                   .after = task,
                   .show = FollowOptions::Show::kAll,
                   .prompt = wanted_task.prompt},
                  turn, io);
}

absl::StatusOr<int> Resume(const SendCommandLine<v1::ResumeRequest>& line,
                           Server& server, const Io& io) {
  v1::ResumeRequest request = line.request;
  const absl::StatusOr<v1::Task> task = server.api.GetTask(line.task);
  std::optional<v1::Session> session;
  if (absl::IsNotFound(task.status())) {
    ASSIGN_OR_RETURN(session, FindSession(server, line.task));
  } else if (task.ok() && !task->imported_from().empty()) {
    // The task is a copy, which takes no input.
    ASSIGN_OR_RETURN(session,
                     FindSession(server, task->session_id(), task->harness()));
  }
  if (session) RETURN_IF_ERROR(CheckResumable(*session));
  ASSIGN_OR_RETURN(const std::optional<std::string> prompt,
                   ReadPrompt(line.turn.prompt, io));
  if (prompt) request.set_prompt(json::ToValidUtf8(*prompt));
  if (session) {
    return ContinueSession(*session, request, line.turn, server, io);
  }
  return GiveTurn(line, request, &client::ApiClient::Resume, server, io);
}

}  // namespace

constinit const Command kSendCommand = {
    .name = "send",
    .summary = "give a task another prompt",
    .help = kSendHelp,
    .run = RunOnServer<kSendCommand, ReadSend, Send>};

constinit const Command kResumeCommand = {
    .name = "resume",
    .summary = "continue a task that has ended, or a session",
    .help = kResumeHelp,
    .run = RunOnServer<kResumeCommand, ReadResume, Resume>};

}  // namespace troika::cli
