// Handles what we send to app-server, and its responses.

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/codex/app_server.h"
#include "base/json_writer.h"
#include "xxhash.h"

namespace troika::codex {
namespace {

constexpr auto kOmitted = rpc::VersionMember::kOmitted;
constexpr size_t kMaxWritten = 64;
// Ends of the keys of inputs that are no prompt of the user's.
constexpr absl::string_view kAgain = ".again";
constexpr absl::string_view kRemark = ".remark";

std::string TextItem(absl::string_view text) {
  return json::ObjectWriter()
      .String("type", "text")
      .String("text", text)
      .Take();
}

std::string InputOf(const TurnAsked& turn) {
  std::string input = TextItem(turn.prompt);
  for (const TurnAsked::Image& image : turn.images) {
    absl::StrAppend(&input, ",",
                    json::ObjectWriter()
                        .String("type", "localImage")
                        .String("path", image.path)
                        .Take());
  }
  return input;
}

// Adds the members of the setup to an object that has members.
std::string With(std::string object, absl::string_view members) {
  if (members.empty()) return object;
  object.pop_back();
  return absl::StrCat(object, object == "{" ? "" : ",", members, "}");
}

// The name that the command line has for a type of sandbox.
absl::string_view SandboxName(absl::string_view type) {
  if (type == "dangerFullAccess") return "danger-full-access";
  if (type == "readOnly") return "read-only";
  return type == "workspaceWrite" ? "workspace-write" : type;
}

// Whether a response to this request must come soon. The server answers an
// interrupt only once the turn has ended, which may take long.
bool IsWaitedFor(absl::string_view method) {
  return method != "turn/interrupt" && method != kModelList &&
         method != "thread/backgroundTerminals/clean";
}

}  // namespace

absl::string_view AppServerProtocol::waiting_for() const {
  if (!turn_id_.empty()) return "";
  for (const auto& call : ours_.open()) {
    if (IsWaitedFor(call.method)) return call.method;
  }
  return "";
}

void AppServerProtocol::Request(absl::string_view method,
                                absl::string_view params_json,
                                const Action* action) {
  const int64_t id = ++last_id_;
  std::string key = absl::StrCat("rpc-", generation(), ".", id);
  if (action != nullptr && action->turn > 0) key = PromptKey(action->turn);
  if (action != nullptr && action->again) absl::StrAppend(&key, kAgain);
  if (action != nullptr && action->kind == Action::Kind::kRemark) {
    absl::StrAppend(&key, kRemark);
  }
  Want({.key = std::move(key),
        .bytes = rpc::RequestLine(rpc::Id::FromInt(id), method, params_json,
                                  kOmitted)});
}

void AppServerProtocol::OnTurnAsked(const TurnAsked& turn, Emitter&) {
  actions_.push_back({.kind = Action::Kind::kInput,
                      .input_json = InputOf(turn),
                      .turn = turn.turn});
  SendActions();
}

void AppServerProtocol::OnInterruptAsked(Emitter&) {
  actions_.push_back({.kind = Action::Kind::kInterrupt, .input_json = ""});
  SendActions();
}

void AppServerProtocol::OnAnswerGiven(const AnswerGiven& answer, Emitter& out) {
  const auto reply = requests_.ReplyTo(answer, out);
  if (!reply) return;
  Want({.key = absl::StrCat("answer-", generation(), ".", ++answers_),
        .bytes = reply->line});
  if (reply->remark.empty()) return;
  actions_.push_back(
      {.kind = Action::Kind::kRemark, .input_json = TextItem(reply->remark)});
  SendActions();
}

void AppServerProtocol::OpenThread() {
  if (resume_session_.empty()) {
    return Request("thread/start", With("{}", thread_params_));
  }
  const std::string params = json::ObjectWriter()
                                 .String("threadId", resume_session_)
                                 .Json("excludeTurns", "true")
                                 .Take();
  if (fork_params_) {
    return Request("thread/fork",
                   With(With(params, *fork_params_), thread_params_));
  }
  Request("thread/resume", With(params, thread_params_));
}

void AppServerProtocol::AskForModels() {
  // An id of its own, because the other requests are numbered.
  Want({.key = absl::StrCat("models-", generation()),
        .bytes = rpc::RequestLine(rpc::Id::FromString("models"), kModelList,
                                  kModelListParams, kOmitted)});
}

void AppServerProtocol::StartTurn(const Action& action) {
  const std::string input = absl::StrCat(
      "[", remarks_, remarks_.empty() ? "" : ",", action.input_json, "]");
  remarks_.clear();
  const std::string params = json::ObjectWriter()
                                 .String("threadId", thread_id_)
                                 .Json("input", input)
                                 .Take();
  turn_starting_ = true;
  Request("turn/start", With(params, turn_params_), &action);
}

bool AppServerProtocol::MoveInterruptToFront() {
  const auto interrupt =
      std::find_if(actions_.begin(), actions_.end(), [](const Action& action) {
        return action.kind == Action::Kind::kInterrupt;
      });
  if (interrupt == actions_.end()) return false;
  std::rotate(actions_.begin(), interrupt, std::next(interrupt));
  return true;
}

void AppServerProtocol::SendActions() {
  while (!actions_.empty() && !thread_id_.empty() && !turn_starting_) {
    const Action& action = actions_.front();
    const bool runs = !turn_id_.empty();
    if (runs && !turn_announced_) return;
    json::ObjectWriter params;
    params.String("threadId", thread_id_);
    if (action.kind == Action::Kind::kInterrupt) {
      if (runs && !std::exchange(interrupting_, true)) {
        Request("turn/interrupt", params.String("turnId", turn_id_).Take());
      }
    } else if (action.kind == Action::Kind::kRemark && !runs) {
      absl::StrAppend(&remarks_, remarks_.empty() ? "" : ",",
                      action.input_json);
    } else if (!runs) {
      StartTurn(action);
    } else if (interrupting_ || !action.may_steer) {
      // It waits until the turn has ended, and an interrupt does not.
      if (!MoveInterruptToFront()) return;
      continue;
    } else {
      Request("turn/steer",
              params.Json("input", absl::StrCat("[", action.input_json, "]"))
                  .String("expectedTurnId", turn_id_)
                  .Take(),
              &action);
    }
    actions_.pop_front();
  }
}

void AppServerProtocol::OnWrittenLine(const Record& record, MessageSink sink) {
  Emitter out(record, sink);
  const absl::StatusOr<json::Value> line = parser().Parse(record.bytes);
  if (!line.ok()) return;
  const rpc::Message message = rpc::Parse(*line);
  if (message.kind == rpc::Kind::kResponse ||
      message.kind == rpc::Kind::kError) {
    return requests_.OnReply(message, out);
  }
  if (message.kind != rpc::Kind::kRequest) return;
  Sent sent;
  if (message.method == "turn/steer") {
    for (const json::Value item : message.params.Get("input").items()) {
      absl::StrAppend(&sent.input_json, sent.input_json.empty() ? "" : ",",
                      item.ToJson());
      absl::StrAppend(&sent.text, sent.text.empty() ? "" : "\n",
                      item.Get("text").StringOr(""));
    }
    sent.remark = absl::EndsWith(record.key, kRemark);
  }
  (void)ours_.Add({message.id, std::string(message.method), std::move(sent)});
  if (message.method == "turn/start" || message.method == "turn/steer") {
    OnWrittenInput(message, record.key, out);
  }
}

void AppServerProtocol::OnWrittenInput(const rpc::Message& request,
                                       absl::string_view key, Emitter& out) {
  // A remark is not worth a turn of its own.
  if (!absl::EndsWith(key, kRemark)) ledger().StartTurn();
  UserInput input;
  for (const json::Value part : request.params.Get("input").items()) {
    if (part.Get("type").StringOr("") != "text") {
      ++input.images;
      continue;
    }
    absl::StrAppend(&input.text, input.text.empty() ? "" : "\n",
                    part.Get("text").StringOr(""));
  }
  if (absl::EndsWith(key, kAgain)) return;  // Its echo is still expected.
  if (written_.size() == kMaxWritten) written_.pop_front();
  written_.push_back(XXH3_64bits(input.text.data(), input.text.size()));
  out.Emit(std::move(input));
}

void AppServerProtocol::OnResponse(const rpc::Message& response, Emitter& out) {
  const auto call = ours_.Take(response.id);
  if (!call) return out.EmitRaw("response", "no request of this id is open");
  if (response.kind == rpc::Kind::kError) {
    return OnErrorResponse(*call, response.error, out);
  }
  if (call->method == "initialize") {
    Want({.key = absl::StrCat("initialized-", generation()),
          .bytes = rpc::NotificationLine("initialized", "", kOmitted)});
    OpenThread();
    AskForModels();
  } else if (call->method == "thread/start" ||
             call->method == "thread/resume" || call->method == "thread/fork") {
    OnThreadOpened(response.result, out);
  } else if (call->method == kModelList) {
    models_ = ReadModels(response.result);
  } else if (call->method == "turn/start") {
    const auto turn =
        Read<Turn>(response.result.Get("turn"), {drift(), "turn"});
    turn_starting_ = false;
    if (turn.id != ended_turn_) OnTurnId(turn.id, out);
    SendActions();
  }
}

void AppServerProtocol::OnErrorResponse(const rpc::Pending<Sent>::Call& call,
                                        const rpc::Error& error, Emitter& out) {
  if (call.method == kModelList) return;  // An older version.
  std::string text =
      absl::StrCat("Codex refused ", call.method, ": ", error.message);
  if (call.method == "initialize" || absl::StartsWith(call.method, "thread/")) {
    if (call.method != "thread/backgroundTerminals/clean") {
      return GiveUp(std::move(text), out);
    }
    out.Emit(Notice{.kind = Notice::Kind::kBackgroundTask,
                    .text = absl::StrCat(
                        "a command of the interrupted turn may still run: ",
                        error.message)});
    return;
  }
  if (call.method == "turn/steer") {
    // Most likely the turn has just ended.
    if (call.tag.remark) {
      absl::StrAppend(&remarks_, remarks_.empty() ? "" : ",",
                      call.tag.input_json);
    } else {
      actions_.push_front({.kind = Action::Kind::kInput,
                           .input_json = call.tag.input_json,
                           .may_steer = false,
                           .again = true,
                           .text = call.tag.text});
    }
    return SendActions();
  }
  if (call.method == "turn/start") {
    turn_starting_ = false;
    Result result;
    result.is_error = true;
    result.error = std::move(text);
    result.usage = meter().Unreported();
    ledger().StartTurn();
    ledger().EndTurn(std::move(result), out);
    return SendActions();
  }
  // The turn that was to be interrupted has ended.
  if (call.method == "turn/interrupt") return;
  out.Emit(Notice{.kind = Notice::Kind::kError, .text = std::move(text)});
}

void AppServerProtocol::OnThreadOpened(json::Value result, Emitter& out) {
  const auto opened = Read<OpenedThread>(result, {drift(), "result"});
  const auto thread = Read<Thread>(opened.thread, {drift(), "thread"});
  if (thread.id.empty()) {
    return GiveUp("Codex opened a thread without an id", out);
  }
  thread_id_ = std::string(thread.id);
  std::string mode(opened.approval_policy.StringOr(
      opened.approval_policy.IsObject() ? "granular" : ""));
  if (own_sandbox_) {
    const absl::string_view sandbox =
        SandboxName(opened.sandbox.Get("type").StringOr(""));
    absl::StrAppend(&mode, mode.empty() || sandbox.empty() ? "" : ", ",
                    sandbox);
  }
  init_ = Init{.session_id = thread_id_,
               .model = std::string(opened.model),
               .cwd = std::string(opened.cwd),
               .version = std::string(thread.cli_version),
               .permission_mode = std::move(mode)};
  SendActions();
}

void AppServerProtocol::GiveUp(std::string error, Emitter& out) {
  Result result;
  result.is_error = true;
  result.error = std::move(error);
  result.usage = meter().Unreported();
  ledger().StartTurn();
  ledger().EndTurn(std::move(result), out);
  actions_.clear();
  Want({.key = absl::StrCat("close-", generation()),
        .kind = Outgoing::Kind::kClose});
}

void AppServerProtocol::OnTurnId(absl::string_view turn_id, Emitter& out) {
  if (turn_id.empty() || turn_id == turn_id_) return;
  turn_id_ = std::string(turn_id);
  turn_announced_ = false;
  turn_starting_ = false;
  ledger().StartTurn();
  EmitInit(out);
  out.Emit(Notice{.kind = Notice::Kind::kTurnStarted});
  SendActions();
}

void AppServerProtocol::EmitInit(Emitter& out) {
  if (!init_) return;
  // Codex never opens another thread than it was asked for.
  set_session_id(init_->session_id);
  init_->models = std::exchange(models_, {});
  out.Emit(*std::exchange(init_, std::nullopt));
}

}  // namespace troika::codex
