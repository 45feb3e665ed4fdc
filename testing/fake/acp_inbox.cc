#include "testing/fake/acp_inbox.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/fake/acp_lines.h"
#include "testing/fake/io.h"

namespace troika::fake {
namespace {

constexpr Version kLoads = {0, 35, 0};

std::string ModesJson(absl::string_view mode) {
  return absl::StrCat(R"({"availableModes":[{"id":"default","name":"Default"},)"
                      R"({"id":"yolo","name":"YOLO"}],"currentModeId":")",
                      mode, "\"}");
}

void Print(absl::string_view line) { DieIfBad(WriteAll(STDOUT_FILENO, line)); }

}  // namespace

bool AcpInbox::loads() const { return process_.version >= kLoads; }

std::optional<AcpInbox::Prompt> AcpInbox::PromptOf(absl::string_view line) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok() || value->Get("method").StringOr("") != "session/prompt") {
    return std::nullopt;
  }
  Prompt prompt = {.id = value->Get("id").ToJson(), .text = ""};
  for (const json::Value block : value->Get("params").Get("prompt").items()) {
    absl::StrAppend(&prompt.text, block.Get("text").StringOr(""));
  }
  return prompt;
}

Flow AcpInbox::OnLine(std::string line) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok()) return Flow::kGoOn;
  const absl::string_view method = value->Get("method").StringOr("");
  if (method == "session/cancel") {
    // The real CLI has begun the turn when it has read the prompt.
    cancelled_ = has_line();
    return Flow::kStop;
  }
  if (method.empty() || method == "session/prompt") {
    Keep(std::move(line));
  } else {
    OnRequest(*value);
  }
  return Flow::kGoOn;
}

void AcpInbox::OnRequest(json::Value request) {
  const std::string id = request.Get("id").ToJson();
  const absl::string_view method = request.Get("method").StringOr("");
  const std::string mode =
      process_.line.Value("--approval-mode") == "yolo" ? "yolo" : "default";
  if (method == "initialize") {
    Print(AcpResult(
        id, absl::StrCat(R"({"protocolVersion":1,"authMethods":[],"agentInfo":)"
                         R"({"name":"gemini-cli","version":")",
                         process_.version_text,
                         R"("},"agentCapabilities":{"loadSession":)",
                         loads() ? "true" : "false",
                         R"(,"promptCapabilities":{"image":true}}})")));
  } else if (method == "session/new") {
    work_ = NewWork(process_);
    json::ObjectWriter result;
    result.String("sessionId", work_->session.id);
    if (loads()) result.Json("modes", ModesJson(mode));
    Print(AcpResult(id, result.Take()));
  } else if (method == "session/load") {
    OnLoad(request);
  } else if (method == "session/set_mode" && work_) {
    Print(AcpText(work_->session.id, "agent_message_chunk", "[MODE_UPDATE]"));
    Print(AcpResult(id, "{}"));
  } else {
    Print(AcpError(id, -32601, absl::StrCat("Method not found: ", method)));
  }
}

void AcpInbox::OnLoad(json::Value request) {
  const std::string id = request.Get("id").ToJson();
  const absl::string_view session_id =
      request.Get("params").Get("sessionId").StringOr("");
  absl::StatusOr<std::optional<Session>> session =
      process_.state.Find(session_id);
  DieIfBad(session.status());
  if (!*session) {
    return Print(AcpError(
        id, -32603,
        absl::StrCat("Invalid session identifier \"", session_id, "\".")));
  }
  work_ = Work{.session = **session, .begun = Begun::kResumed};
  // The history is told before and after the response.
  Print(AcpText(session_id, "user_message_chunk", "an old prompt"));
  Print(AcpResult(id, absl::StrCat(R"({"modes":)", ModesJson("default"), "}")));
  Print(AcpText(session_id, "agent_message_chunk", "an old answer"));
}

}  // namespace troika::fake
