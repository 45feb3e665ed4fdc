#include "testing/fake/claude_inbox.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json_writer.h"
#include "testing/fake/io.h"

namespace troika::fake {
namespace {

constexpr Version kAnswersInitialize = {1, 0, 86};
constexpr Version kSets = {2, 0, 50};  // Earlier ones ignore set_model.
constexpr Version kTellsTheQueue = {2, 1, 325};

}  // namespace

std::optional<std::string> ClaudeInbox::PromptOf(absl::string_view line) {
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok() || value->Get("type").StringOr("") != "user") {
    return std::nullopt;
  }
  const json::Value content = value->Get("message").Get("content");
  std::string prompt(content.StringOr(""));
  for (const json::Value block : content.items()) {
    absl::StrAppend(&prompt, prompt.empty() ? "" : "\n",
                    block.Get("text").StringOr(""));
  }
  return prompt;
}

Flow ClaudeInbox::OnLine(std::string line) {
  if (line.empty()) return Flow::kGoOn;
  json::Parser parser;
  const absl::StatusOr<json::Value> value = parser.Parse(line);
  if (!value.ok()) {
    Die(1, absl::StrCat("Error parsing streaming input line: ", line,
                        ": SyntaxError: ", value.status().message()));
  }
  const absl::string_view type = value->Get("type").StringOr("");
  if (type == "control_request") return OnRequest(*value);
  if (type == "user" && process_.line.Has("--replay-user-messages")) {
    Replay(*value);
  }
  Keep(std::move(line));
  return Flow::kGoOn;
}

Flow ClaudeInbox::OnRequest(json::Value request) {
  const absl::string_view subtype =
      request.Get("request").Get("subtype").StringOr("");
  if (subtype == "initialize" && process_.version < kAnswersInitialize) {
    return Flow::kGoOn;
  }
  const bool sets = subtype == "set_model" || subtype == "set_permission_mode";
  if (sets && process_.version < kSets) return Flow::kGoOn;
  const bool known = sets || subtype == "initialize" || subtype == "interrupt";
  json::ObjectWriter response;
  response.String("subtype", known ? "success" : "error")
      .Value("request_id", request.Get("request_id"));
  if (!known) {
    response.String(
        "error",
        absl::StrCat("Unsupported control request subtype: ", subtype));
  } else if (subtype == "set_model") {
    model_ = std::string(request.Get("request").Get("model").StringOr(""));
  } else if (subtype == "initialize") {
    response.Json("response", R"({"commands":[],"agents":[],"models":[]})");
  } else if (subtype == "interrupt" && process_.version >= kTellsTheQueue) {
    response.Json("response", R"({"still_queued":[]})");
  }
  DieIfBad(WriteAll(STDOUT_FILENO,
                    absl::StrCat(json::ObjectWriter()
                                     .String("type", "control_response")
                                     .Json("response", response.Take())
                                     .Take(),
                                 "\n")));
  return subtype == "interrupt" ? Flow::kStop : Flow::kGoOn;
}

void ClaudeInbox::Replay(json::Value line) {
  DieIfBad(WriteAll(STDOUT_FILENO,
                    absl::StrCat(json::ObjectWriter()
                                     .String("type", "user")
                                     .Value("message", line.Get("message"))
                                     .String("session_id", session_id_)
                                     .Json("parent_tool_use_id", "null")
                                     .Json("isReplay", "true")
                                     .Take(),
                                 "\n")));
}

}  // namespace troika::fake
