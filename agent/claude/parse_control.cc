// Handles requests, responses and lines that were written to the agent.

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/content.h"
#include "agent/claude/parse.h"
#include "xxhash.h"

namespace troika::claude {
namespace {

constexpr size_t kMaxWritten = 64;

}  // namespace

void ClaudeProtocol::OnControlRequest(json::Value line, LineOut& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_request"));
  const absl::string_view subtype = wire.request.Get("subtype").StringOr("");
  if (subtype != "can_use_tool") {
    if (subtype != "hook_callback" && subtype != "mcp_message") {
      return OnUnknown("control_request", subtype, out);
    }
    return out.EmitRaw(absl::StrCat("control_request/", subtype));
  }
  const auto request =
      Read<PermissionRequest>(wire.request, Scope("control_request.request"));
  if (!requests_.Ask(wire.request_id, request, ledger(), out)) {
    out.EmitRaw("control_request", "a request of this id is open");
  }
}

void ClaudeProtocol::OnControlResponse(json::Value line, LineOut& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_response"));
  const auto response =
      Read<ControlResponse>(wire.response, Scope("control_response.response"));
  const auto asked =
      std::find(asked_.begin(), asked_.end(), response.request_id);
  if (asked == asked_.end()) return out.EmitRaw("control_response");
  if (response.subtype != "success") {
    out.Emit(Notice{.kind = Notice::Kind::kError,
                    .text = absl::StrCat(*asked, ": ", response.error)});
  }
  asked_.erase(asked);
}

void ClaudeProtocol::OnControlCancel(json::Value line, LineOut& out) {
  const auto wire = Read<ControlLine>(line, Scope("control_cancel_request"));
  if (!requests_.Cancel(wire.request_id, out)) {
    out.EmitRaw("control_cancel_request", "no request of this id is open");
  }
}

void ClaudeProtocol::OnWrittenLine(const Record& record, MessageSink sink) {
  // A plain prompt; its UserInput was emitted when the turn was requested.
  if (input_ == ProtocolOptions::Input::kPrompt) return;
  Emitter emitter(record, sink);
  LineOut out(emitter);
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
    asked_.emplace_back(line->Get("request_id").StringOr(""));
  } else if (type == "control_response") {
    const auto wire = Read<ControlLine>(*line, {});
    requests_.OnResponse(Read<ControlResponse>(wire.response, {}), out);
  }
}

void ClaudeProtocol::OnPromptWritten(json::Value line, LineOut& out) {
  UserInput input = PromptOf(line.Get("message").Get("content"));
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
