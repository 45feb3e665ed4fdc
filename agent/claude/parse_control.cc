// Handles requests and responses, and what is and was written to the agent.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/content.h"
#include "agent/claude/parse.h"
#include "base/json_writer.h"
#include "xxhash.h"

namespace troika::claude {
namespace {

// Earlier versions (1.0.60) wait for their requests' answers before they end an
// interrupted turn.
constexpr Version kWithdrawsRequests = {2, 0, 50};

constexpr size_t kMaxWritten = 64;
constexpr absl::string_view kInterrupt = "interrupt-";

std::string ImageBlock(const TurnAsked::Image& image) {
  const std::string source = json::ObjectWriter()
                                 .String("type", "base64")
                                 .String("media_type", image.media_type)
                                 .String("data", image.base64)
                                 .Take();
  return json::ObjectWriter()
      .String("type", "image")
      .Json("source", source)
      .Take();
}

std::string UserLine(const TurnAsked& turn) {
  std::string content = absl::StrCat("[", json::ObjectWriter()
                                              .String("type", "text")
                                              .String("text", turn.prompt)
                                              .Take());
  for (const TurnAsked::Image& image : turn.images) {
    absl::StrAppend(&content, ",", ImageBlock(image));
  }
  content += ']';
  const std::string message = json::ObjectWriter()
                                  .String("role", "user")
                                  .Json("content", content)
                                  .Take();
  return json::ObjectWriter()
             .String("type", "user")
             .Json("message", message)
             .Json("parent_tool_use_id", "null")
             .String("session_id", "")
             .Take() +
         "\n";
}

std::string RequestLine(absl::string_view id, absl::string_view request) {
  return json::ObjectWriter()
             .String("type", "control_request")
             .String("request_id", id)
             .Json("request", request)
             .Take() +
         "\n";
}

std::string ResponseLine(absl::string_view response) {
  return json::ObjectWriter()
             .String("type", "control_response")
             .Json("response", response)
             .Take() +
         "\n";
}

}  // namespace

std::optional<Outgoing> ClaudeProtocol::PromptLine(
    const TurnAsked& turn) const {
  if (input_ == ProtocolOptions::Input::kPrompt) return std::nullopt;
  return Outgoing{.key = PromptKey(turn.turn), .bytes = UserLine(turn)};
}

void ClaudeProtocol::OnTurnAsked(const TurnAsked& turn, Emitter& out) {
  if (input_ == ProtocolOptions::Input::kPrompt) {
    return LineProtocol::OnTurnAsked(turn, out);
  }
  if (!turn.model.empty()) {
    const std::string id = absl::StrCat("turn-", turn.turn, ".model");
    Want({.key = id,
          .bytes = RequestLine(id, json::ObjectWriter()
                                       .String("subtype", "set_model")
                                       .String("model", turn.model)
                                       .Take())});
  }
  Want({.key = PromptKey(turn.turn), .bytes = UserLine(turn)});
}

void ClaudeProtocol::OnInterruptAsked(Emitter& out) {
  if (input_ == ProtocolOptions::Input::kPrompt) return;
  const std::string id =
      absl::StrCat(kInterrupt, generation(), ".", ++interrupts_);
  Want({.key = id, .bytes = RequestLine(id, R"({"subtype":"interrupt"})")});
  if (version_ >= kWithdrawsRequests) return;
  for (const std::string& open : requests_.OpenIds()) {
    OnAnswerGiven(
        {.id = open,
         .by = "user",
         .answer = ApprovalAnswer{.reason = "The user interrupted the turn."}},
        out);
  }
}

void ClaudeProtocol::OnAnswerGiven(const AnswerGiven& answer, Emitter& out) {
  const std::optional<std::string> response = requests_.ResponseTo(answer, out);
  if (!response) return;
  // The key is a number because the agent's request ids may have any length.
  Want({.key = absl::StrCat("answer-", generation(), ".", ++answers_),
        .bytes = ResponseLine(*response)});
}

void ClaudeProtocol::OnControlRequest(json::Value line, Emitter& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_request"));
  const absl::string_view subtype = wire.request.Get("subtype").StringOr("");
  if (subtype != "can_use_tool") {
    RefuseRequest(wire.request_id,
                  absl::StrCat("Unsupported request: ",
                               json::ToValidUtf8(subtype.substr(0, 100))));
    // Known requests for hooks and MCP servers that we would have to offer.
    if (subtype != "hook_callback" && subtype != "mcp_message") {
      return OnUnknown("control_request", subtype, out);
    }
    return out.EmitRaw(absl::StrCat("control_request/", subtype));
  }
  const auto request =
      Read<PermissionRequest>(wire.request, Scope("control_request.request"));
  SetParent(tasks_.ToolUseOf(request.agent_id), out);
  if (requests_.IsOpen(wire.request_id)) {
    return out.EmitRaw("control_request", "a request of this id is open");
  }
  while (requests_.full()) {
    RefuseRequest(requests_.CancelOldest(out), "Too many open requests");
  }
  requests_.Ask(wire.request_id, request, ledger(), out);
}

void ClaudeProtocol::OnLongLine(json::Value head, Emitter& out) {
  if (head.Get("type").StringOr("") != "control_request") return;
  const absl::string_view id = head.Get("request_id").StringOr("");
  if (id.empty() || requests_.IsOpen(id)) return;
  RefuseRequest(id, "The request is too long");
  out.Emit(Notice{.kind = Notice::Kind::kPermissionDenied,
                  .text = "refused the agent's request: it is too long to be "
                          "shown to anybody",
                  .by = "default"});
}

void ClaudeProtocol::RefuseRequest(absl::string_view id,
                                   absl::string_view error) {
  if (input_ == ProtocolOptions::Input::kPrompt || id.empty() || !HasRoom()) {
    return;
  }
  Want({.key = absl::StrCat("refusal-", generation(), ".", ++refusals_),
        .bytes = ResponseLine(json::ObjectWriter()
                                  .String("subtype", "error")
                                  .String("request_id", id)
                                  .String("error", error)
                                  .Take())});
}

void ClaudeProtocol::OnControlResponse(json::Value line, Emitter& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_response"));
  const auto response =
      Read<ControlResponse>(wire.response, Scope("control_response.response"));
  const auto asked = std::find_if(
      asked_.begin(), asked_.end(),
      [&](const Asked& one) { return one.id == response.request_id; });
  if (asked == asked_.end()) return out.EmitRaw("control_response");
  if (response.subtype != "success") {
    out.Emit(Notice{.kind = Notice::Kind::kError,
                    .text = absl::StrCat(asked->id, ": ", response.error)});
  } else if (absl::StartsWith(asked->id, kInterrupt) && asked->turn == turn_ &&
             !turn_began_) {
    // Claude Code 2.1.325 runs a turn whose prompt waits, although it confirms
    // the interrupt.
    interrupted_early_ = true;
  }
  asked_.erase(asked);
}

void ClaudeProtocol::OnControlCancel(json::Value line, Emitter& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_cancel_request"));
  if (!requests_.Cancel(wire.request_id, out)) {
    out.EmitRaw("control_cancel_request", "no request of this id is open");
  }
}

void ClaudeProtocol::OnWrittenLine(const Record& record, MessageSink sink) {
  // A plain prompt; its UserInput was emitted when the turn was requested.
  if (input_ == ProtocolOptions::Input::kPrompt) return;
  Emitter out(record, sink);
  if (record.size > kMaxLineBytes) {
    // Only a prompt with images is this large.
    ledger().StartTurn();
    return out.EmitRaw(
        "user", absl::StrCat("a line of ", record.size,
                             " bytes, over the limit of ", kMaxLineBytes));
  }
  const absl::StatusOr<json::Value> line = parser().Parse(record.bytes);
  if (!line.ok()) return;
  const absl::string_view type = line->Get("type").StringOr("");
  if (type == "user") {
    OnPromptWritten(*line, out);
  } else if (type == "control_request") {
    if (asked_.size() == kMaxWritten) asked_.pop_front();
    asked_.push_back({.id = std::string(line->Get("request_id").StringOr("")),
                      .turn = turn_});
  } else if (type == "control_response") {
    const auto wire = Read<ControlLine>(*line, {});
    requests_.OnResponse(Read<ControlResponse>(wire.response, {}), out);
  }
}

void ClaudeProtocol::OnPromptWritten(json::Value line, Emitter& out) {
  UserInput input = PromptOf(line.Get("message").Get("content"));
  if (!ledger().turn_open()) {
    ++turn_;
    turn_began_ = false;
    interrupted_early_ = false;
  }
  ledger().StartTurn();
  if (written_.size() == kMaxWritten) written_.pop_front();
  written_.push_back(XXH3_64bits(input.text.data(), input.text.size()));
  out.Emit(std::move(input));
}

bool ClaudeProtocol::TakeWritten(absl::string_view text) {
  if (written_.empty()) return false;
  const auto it = std::find(written_.begin(), written_.end(),
                            XXH3_64bits(text.data(), text.size()));
  if (it == written_.end()) return false;
  written_.erase(it);
  return true;
}

}  // namespace troika::claude
