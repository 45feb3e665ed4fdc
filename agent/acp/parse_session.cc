// Opens the session and writes to the agent.

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "agent/acp/errors.h"
#include "agent/acp/parse.h"
#include "base/json_writer.h"
#include "base/version.h"

namespace troika::acp {
namespace {

constexpr int64_t kProtocolVersion = 1;

std::string InitializeJson() {
  return json::ObjectWriter()
      .Json("protocolVersion", absl::StrCat(kProtocolVersion))
      .Json("clientCapabilities",
            R"({"fs":{"readTextFile":false,"writeTextFile":false},)"
            R"("terminal":false})")
      .Json("clientInfo", json::ObjectWriter()
                              .String("name", "troika")
                              .String("version", kVersion)
                              .Take())
      .Take();
}

std::string ImageBlock(const TurnAsked::Image& image) {
  json::ObjectWriter block;
  if (!image.base64.empty()) {
    block.String("type", "image")
        .String("mimeType", image.media_type)
        .String("data", image.base64);
  } else {
    // The turn was meant for a wire that takes paths. All agents take links.
    const absl::string_view path = image.path;
    block.String("type", "resource_link")
        .String("uri", absl::StrCat("file://", path))
        .String("name", path.substr(path.rfind('/') + 1));
    if (!image.media_type.empty()) {
      block.String("mimeType", image.media_type);
    }
  }
  return block.Take();
}

std::string TextBlock(absl::string_view text) {
  return json::ObjectWriter()
      .String("type", "text")
      .String("text", text)
      .Take();
}

std::string AuthNames(json::Value methods) {
  std::string names;
  for (const json::Value method : methods.items()) {
    absl::StrAppend(&names, names.empty() ? "" : ", ",
                    method.Get("id").StringOr("?"));
  }
  return names;
}

}  // namespace

std::string SetupJson(const SessionSetup& setup) {
  json::ObjectWriter out;
  const auto add = [&](absl::string_view name, absl::string_view value) {
    if (!value.empty()) out.String(name, value);
  };
  add("cwd", setup.cwd);
  add("resume", setup.resume);
  add("mode", setup.mode);
  add("model", setup.model);
  add("auth_method", setup.auth_method);
  if (setup.fork) out.Json("fork", "true");
  return out.Take();
}

SessionSetup ReadSetup(absl::string_view setup_json) {
  json::Parser parser;
  const auto object = parser.Parse(setup_json);
  if (!object.ok()) return {};
  const auto get = [&](absl::string_view name) {
    return std::string(object->Get(name).StringOr(""));
  };
  return {.cwd = get("cwd"),
          .resume = get("resume"),
          .mode = get("mode"),
          .model = get("model"),
          .auth_method = get("auth_method"),
          .fork = object->Get("fork").BoolOr(false)};
}

AcpProtocol::AcpProtocol(const ProtocolOptions& options, Harness harness)
    : LineProtocol(options),
      setup_(ReadSetup(options.setup_json)),
      calls_(harness, &ledger()) {}

std::string AcpProtocol::Key(absl::string_view kind, int number) const {
  return absl::StrCat(kind, "-", generation(), ".", number);
}

void AcpProtocol::Call(absl::string_view method, absl::string_view params_json,
                       std::string key) {
  const rpc::Id id = rpc::Id::FromInt(requests_++);
  waits_for_ = std::string(method);
  (void)ours_.Take(id);  // Only another client's request could have it.
  (void)ours_.Add({.id = id, .method = waits_for_, .tag = {}});
  Want({.key = std::move(key),
        .bytes = rpc::RequestLine(id, method, params_json)});
}

void AcpProtocol::Answer(std::string line) {
  // The key is a number because the agent's request ids may have any length.
  Want({.key = Key("answer", ++answers_), .bytes = std::move(line)});
}

void AcpProtocol::OnTurnAsked(const TurnAsked& turn, Emitter& out) {
  turns_.push_back(turn);
  abandoned_ = false;
  if (init_) out.Emit(*std::exchange(init_, std::nullopt));
  Proceed(out);
}

void AcpProtocol::Proceed(Emitter& out) {
  if (waits() || turns_.empty()) return;
  if (step_ == Step::kNew) {
    return Call("initialize", InitializeJson(), Key("open", ++steps_));
  }
  if (step_ == Step::kConnected) return SendSession(out);
  if (step_ == Step::kOpen && !setup_.mode.empty() && !mode_set_) {
    return SendMode();
  }
  if (step_ == Step::kOpen && !setup_.model.empty() && !model_set_) {
    return SendModel(out);
  }
  step_ = Step::kReady;
  SendPrompt(out);
}

void AcpProtocol::OnInitialized(json::Value result, Emitter& out) {
  const auto wire = Read<InitializeResult>(result, Scope("initialize.result"));
  const auto can = Read<AgentCapabilities>(
      wire.agent_capabilities, Scope("initialize.result.agentCapabilities"));
  can_load_ = can.load_session.value_or(false);
  can_resume_ = can.session.Get("resume").exists();
  can_fork_ = can.session.Get("fork").exists();
  takes_images_ = can.prompt.Get("image").BoolOr(false);
  agent_version_ = std::string(wire.agent_info.Get("version").StringOr(""));
  auth_methods_ = AuthNames(wire.auth_methods);
  if (wire.protocol_version != kProtocolVersion) {
    return FailTurns(
        absl::StrCat("initialize: the agent speaks version ",
                     wire.protocol_version.value_or(0),
                     " of the Agent Client Protocol, and Troika speaks ",
                     kProtocolVersion),
        out);
  }
  step_ = Step::kConnected;
}

void AcpProtocol::SendSession(Emitter& out) {
  json::ObjectWriter params;
  absl::string_view method = "session/new";
  // A process of this conversation that failed to open it may have been given
  // another id; what was asked for counts.
  if (!setup_.resume.empty()) {
    params.String("sessionId", setup_.resume);
    if (setup_.fork && !can_fork_) {
      return FailTurns("the agent can't fork a session: start a new task", out);
    }
    if (!setup_.fork && !can_resume_ && !can_load_) {
      return FailTurns("the agent can't go on with a session: start a new task",
                       out);
    }
    method = setup_.fork   ? "session/fork"
             : can_resume_ ? "session/resume"
                           : "session/load";
  }
  params.String("cwd", setup_.cwd).Json("mcpServers", "[]");
  Call(method, params.Take(), Key("open", ++steps_));
}

void AcpProtocol::OnSession(json::Value result, Emitter& out) {
  const auto wire = Read<SessionResult>(result, Scope("session.result"));
  // A fork without an id of its own would be the session that it copies.
  const bool told = setup_.fork || !wire.session_id.empty();
  const std::string id(told ? wire.session_id : resumed_);
  if (id.empty()) return FailTurns("the agent gave its session no id", out);
  set_session_id(id);
  step_ = Step::kOpen;
  const absl::string_view mode = wire.modes.Get("currentModeId").StringOr("");
  // A loaded session gets its mode in any case: what the agent still says of
  // its history comes before the response.
  mode_set_ = mode == setup_.mode && !loading_;
  model_by_ = ModelBy::kNothing;
  if (wire.models.IsObject()) model_by_ = ModelBy::kMethod;
  for (const json::Value option : wire.config_options.items()) {
    if (option.Get("category").StringOr("") != "model") continue;
    model_by_ = ModelBy::kOption;
    model_option_ = std::string(option.Get("id").StringOr(""));
  }
  const absl::string_view model =
      wire.models.Get("currentModelId").StringOr("");
  Init init = {
      .session_id = id,
      .model = std::string(setup_.model.empty() ? model : setup_.model),
      .cwd = setup_.cwd,
      .version = agent_version_,
      .permission_mode = std::string(setup_.mode.empty() ? mode : setup_.mode),
      .tools = {},
      .mcp_servers = {}};
  // Init without a turn would say that the agent works.
  if (abandoned_) {
    init_ = std::move(init);
  } else {
    out.Emit(std::move(init));
  }
}

void AcpProtocol::SendMode() {
  Call("session/set_mode",
       json::ObjectWriter()
           .String("sessionId", session_id())
           .String("modeId", setup_.mode)
           .Take(),
       Key("open", ++steps_));
}

void AcpProtocol::SendModel(Emitter& out) {
  json::ObjectWriter params;
  params.String("sessionId", session_id());
  switch (model_by_) {
    case ModelBy::kNothing:
      return FailTurns(
          "the agent does not let its model be chosen: leave the "
          "model out",
          out);
    case ModelBy::kMethod:
      return Call("session/set_model",
                  params.String("modelId", setup_.model).Take(),
                  Key("open", ++steps_));
    case ModelBy::kOption:
      return Call("session/set_config_option",
                  params.String("configId", model_option_)
                      .String("value", setup_.model)
                      .Take(),
                  Key("open", ++steps_));
  }
}

void AcpProtocol::SendPrompt(Emitter& out) {
  const TurnAsked turn = std::move(turns_.front());
  turns_.pop_front();
  if (!turn.images.empty() && !takes_images_) {
    Result result;
    result.is_error = true;
    result.error =
        "the agent takes no images: name the file in the prompt instead";
    result.usage = meter().Unreported();
    ledger().EndTurn(std::move(result), out);
    return Proceed(out);
  }
  std::string blocks = absl::StrCat("[", TextBlock(turn.prompt));
  for (const TurnAsked::Image& image : turn.images) {
    absl::StrAppend(&blocks, ",", ImageBlock(image));
  }
  blocks += ']';
  prompting_ = true;
  Call("session/prompt",
       json::ObjectWriter()
           .String("sessionId", session_id())
           .Json("prompt", blocks)
           .Take(),
       PromptKey(turn.turn));
}

void AcpProtocol::OnOpenFailed(absl::string_view method,
                               const rpc::Error& error, Emitter& out) {
  loading_ = false;
  const bool wants_login =
      error.code == kAuthRequired && step_ == Step::kConnected;
  if (wants_login && !authenticated_ && !setup_.auth_method.empty() &&
      method != "authenticate") {
    return Call(
        "authenticate",
        json::ObjectWriter().String("methodId", setup_.auth_method).Take(),
        Key("open", ++steps_));
  }
  std::string text = absl::StrCat(method, ": ", ErrorText(error));
  if (wants_login) {
    absl::StrAppend(&text, "; log in with the agent's own program first");
    if (!auth_methods_.empty()) {
      absl::StrAppend(&text, " (it knows ", auth_methods_, ")");
    }
  }
  FailTurns(text, out);
}

void AcpProtocol::FailTurns(absl::string_view error, Emitter& out) {
  if (turns_.empty()) {
    return out.Emit(
        Notice{.kind = Notice::Kind::kError, .text = std::string(error)});
  }
  Result result;
  result.is_error = true;
  result.error = std::string(error);
  EndWaitingTurns(result, out);
}

void AcpProtocol::EndWaitingTurns(Result result, Emitter& out) {
  for (size_t i = std::exchange(turns_, {}).size(); i > 0; --i) {
    result.usage = meter().Unreported();
    ledger().EndTurn(result, out);
  }
}

void AcpProtocol::SendCancel() {
  cancelling_ = true;
  Want({.key = Key("interrupt", ++interrupts_),
        .bytes = rpc::NotificationLine(
            "session/cancel",
            json::ObjectWriter().String("sessionId", session_id()).Take())});
  // The agent waits for these before it ends its turn.
  for (const Permissions::Reply& reply : permissions_.CancelAll()) {
    Answer(rpc::ResponseLine(reply.id, reply.result_json));
  }
}

void AcpProtocol::OnInterruptAsked(Emitter& out) {
  if (prompting_) return SendCancel();
  // The agent has not been told of these turns.
  if (turns_.empty()) return;
  Result result;
  result.is_error = true;
  result.error = "interrupted";
  result.synthetic = true;
  EndWaitingTurns(std::move(result), out);
  abandoned_ = true;
}

void AcpProtocol::OnAnswerGiven(const AnswerGiven& answer, Emitter&) {
  const std::optional<Permissions::Reply> reply = permissions_.ReplyTo(answer);
  if (!reply) return;
  if (reply->ends_turn) SendCancel();
  Answer(rpc::ResponseLine(reply->id, reply->result_json));
}

void AcpProtocol::OnWrittenLine(const Record& record, MessageSink sink) {
  Emitter out(record, sink);
  if (record.size > kMaxLineBytes) {
    // Only a prompt with images is this large.
    ledger().StartTurn();
    loading_ = false;
    return out.EmitRaw(
        "session/prompt",
        absl::StrCat("a line of ", record.size, " bytes, over the limit of ",
                     kMaxLineBytes));
  }
  const absl::StatusOr<json::Value> line = parser().Parse(record.bytes);
  if (!line.ok()) return;
  const rpc::Message message = rpc::Parse(*line);
  if (message.kind == rpc::Kind::kRequest) {
    // A recorded conversation has requests of another client.
    (void)ours_.Take(message.id);
    (void)ours_.Add(
        {.id = message.id, .method = std::string(message.method), .tag = {}});
    if (message.method == "session/load") loading_ = true;
    if (message.method != "session/prompt") {
      resumed_ =
          std::string(message.params.Get("sessionId").StringOr(resumed_));
    }
    if (message.method == "session/prompt") OnPromptWritten(message, out);
  } else if (message.kind == rpc::Kind::kResponse) {
    const auto refused =
        permissions_.OnReplied(message.id, message.result, out);
    if (refused) calls_.Deny(refused->native_tool_id, refused->why, out);
  } else if (message.kind == rpc::Kind::kNotification &&
             message.method == "session/cancel") {
    cancelling_ = true;
  }
}

void AcpProtocol::OnPromptWritten(const rpc::Message& request, Emitter& out) {
  UserInput input;
  for (const json::Value block : request.params.Get("prompt").items()) {
    if (block.Get("type").StringOr("") == "text") {
      absl::StrAppend(&input.text, block.Get("text").StringOr(""));
    } else {
      ++input.images;
    }
  }
  prompting_ = true;
  cancelling_ = false;
  prompt_ended_ = false;
  loading_ = false;
  prompt_ = input.text;
  ledger().StartTurn();
  out.Emit(std::move(input));
}

}  // namespace troika::acp
