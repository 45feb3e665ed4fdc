#include "testing/fake/app_server_wire.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "rpc/message.h"

namespace troika::fake {
namespace {

constexpr auto kOmitted = rpc::VersionMember::kOmitted;

std::string MessageJson(absl::string_view text) {
  return json::ObjectWriter().String("message", text).Take();
}

std::string StatusOf(TodoEntry::Status status) {
  switch (status) {
    case TodoEntry::Status::kCompleted:
      return "completed";
    case TodoEntry::Status::kInProgress:
      return "inProgress";
    default:
      return "pending";
  }
}

bool IsEdit(absl::string_view tool) {
  return tool == "Edit" || tool == "Write";
}

// Quoted as Codex does it.
std::string ShellWord(absl::string_view text) {
  const bool plain =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isalnum(c) || absl::StrContains("_-./=:@%+,", c);
      });
  if (plain) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace

std::string AppServerWire::NewTurn() {
  ForgetTurn();
  turn_ = absl::StrCat(options().session_id, "-turn-", ++turns_);
  return turn_;
}

std::string AppServerWire::NewToolId(absl::string_view) {
  return absl::StrCat("call_", ++items_);
}

std::string AppServerWire::Notify(absl::string_view method,
                                  absl::string_view key,
                                  absl::string_view json) const {
  json::ObjectWriter params;
  params.String("threadId", options().session_id).String("turnId", turn_);
  params.Json(key, json);
  return rpc::NotificationLine(method, params.Take(), kOmitted);
}

std::string AppServerWire::Item(absl::string_view event,
                                json::ObjectWriter item) const {
  return Notify(absl::StrCat("item/", event), "item", item.Take());
}

json::ObjectWriter AppServerWire::ItemOf(absl::string_view type,
                                         absl::string_view id) {
  json::ObjectWriter item;
  item.String("type", type).String("id", id);
  return item;
}

std::string AppServerWire::StartTurn(absl::string_view prompt) {
  const std::string turn = json::ObjectWriter()
                               .String("id", turn_)
                               .String("status", "inProgress")
                               .Take();
  const std::string text =
      json::ObjectWriter().String("type", "text").String("text", prompt).Take();
  const std::string id = NewToolId("");
  const auto message = [&] {
    json::ObjectWriter item = ItemOf("userMessage", id);
    item.Json("content", JsonArray({text}));
    return item;
  };
  return absl::StrCat(Notify("turn/started", "turn", turn),
                      Item("started", message()), Item("completed", message()));
}

std::string AppServerWire::TextLine(absl::string_view text) {
  json::ObjectWriter item = ItemOf("agentMessage", NewToolId(""));
  return Item("completed", std::move(item.String("text", text)));
}

std::string AppServerWire::SayLines(absl::string_view text) {
  const std::string id = NewToolId("");
  json::ObjectWriter begun = ItemOf("agentMessage", id);
  begun.String("text", "");
  const std::string delta =
      rpc::NotificationLine("item/agentMessage/delta",
                            json::ObjectWriter()
                                .String("threadId", options().session_id)
                                .String("turnId", turn_)
                                .String("itemId", id)
                                .String("delta", text)
                                .Take(),
                            kOmitted);
  json::ObjectWriter whole = ItemOf("agentMessage", id);
  whole.String("text", text);
  return absl::StrCat(Item("started", std::move(begun)), delta,
                      Item("completed", std::move(whole)));
}

std::string AppServerWire::Think(absl::string_view text) {
  std::string quoted;
  json::AppendQuoted(text, &quoted);
  json::ObjectWriter item = ItemOf("reasoning", NewToolId(""));
  item.Json("summary", JsonArray({quoted})).Json("content", "[]");
  return Item("completed", std::move(item));
}

json::ObjectWriter AppServerWire::Command(const Running& run,
                                          absl::string_view status) const {
  json::ObjectWriter item = ItemOf("commandExecution", run.id);
  item.String("command", absl::StrCat("/bin/bash -c ", run.command))
      .String("cwd", options().cwd)
      .String("status", status);
  return item;
}

std::string AppServerWire::StartRunLines(const Running& run) {
  return Item("started", Command(run, "inProgress"));
}

std::string AppServerWire::EndRunLines(const Running& run,
                                       const CommandOutcome& outcome) {
  json::ObjectWriter item =
      Command(run, outcome.exit_code == 0 ? "completed" : "failed");
  item.String("aggregatedOutput",
              absl::StrCat(outcome.output, outcome.output.empty() ? "" : "\n"))
      .Json("exitCode", absl::StrCat(outcome.exit_code));
  return Item("completed", std::move(item));
}

json::ObjectWriter AppServerWire::FileChange(absl::string_view id,
                                             const FileWritten& file,
                                             absl::string_view status) {
  const std::string kind = json::ObjectWriter()
                               .String("type", file.existed ? "update" : "add")
                               .Take();
  const std::string change = json::ObjectWriter()
                                 .String("path", file.path)
                                 .Json("kind", kind)
                                 .String("diff", file.content)
                                 .Take();
  json::ObjectWriter item = ItemOf("fileChange", id);
  item.Json("changes", JsonArray({change})).String("status", status);
  return item;
}

std::string AppServerWire::WriteFile(const FileWritten& file) {
  const std::string id = NewToolId("");
  return absl::StrCat(Item("started", FileChange(id, file, "inProgress")),
                      Item("completed", FileChange(id, file, "completed")));
}

json::ObjectWriter AppServerWire::AskedItem(absl::string_view status) const {
  json::Parser parser;
  const auto input = parser.Parse(asked_.input_json);
  const json::Value value = input.ok() ? *input : json::Value();
  if (IsEdit(asked_.tool)) {
    return FileChange(
        asked_id_,
        {.path = std::string(value.Get("file_path").StringOr("file")),
         .content = std::string(value.Get("content").StringOr("")),
         .existed = false},
        status);
  }
  return Command(
      {.id = asked_id_,
       .command = std::string(value.Get("command").StringOr(asked_.tool))},
      status);
}

std::string AppServerWire::Ask(const Asked& asked) {
  asked_ = asked;
  asked_id_ = NewToolId(asked.tool);
  json::ObjectWriter params;
  params.String("threadId", options().session_id)
      .String("turnId", turn_)
      .String("itemId", asked_id_);
  const rpc::Id id = rpc::Id::FromInt(asks_++);
  if (asked.tool == "AskUserQuestion") {
    json::Parser parser;
    const auto input = parser.Parse(asked.input_json);
    const json::Value question = input->Get("questions").At(0);
    const std::string item = json::ObjectWriter()
                                 .String("id", "q1")
                                 .Value("header", question.Get("header"))
                                 .Value("question", question.Get("question"))
                                 .Value("options", question.Get("options"))
                                 .Take();
    params.Json("questions", JsonArray({item})).Json("isBlocking", "true");
    return rpc::RequestLine(id, "item/tool/requestUserInput", params.Take(),
                            kOmitted);
  }
  const std::string started = Item("started", AskedItem("inProgress"));
  if (IsEdit(asked.tool)) {
    return absl::StrCat(started,
                        rpc::RequestLine(id, "item/fileChange/requestApproval",
                                         params.Take(), kOmitted));
  }
  json::Parser parser;
  const auto input = parser.Parse(asked.input_json);
  params
      .String(
          "command",
          absl::StrCat(
              "/bin/bash -c ",
              ShellWord(input.ok() ? input->Get("command").StringOr("") : "")))
      .String("cwd", options().cwd)
      .Json("availableDecisions", R"(["accept","acceptForSession","cancel"])");
  return absl::StrCat(
      started, rpc::RequestLine(id, "item/commandExecution/requestApproval",
                                params.Take(), kOmitted));
}

std::optional<AskAnswer> AppServerWire::AnswerIn(absl::string_view line) const {
  json::Parser parser;
  const auto value = parser.Parse(line);
  if (!value.ok()) return std::nullopt;
  const rpc::Message reply = rpc::Parse(*value);
  if (reply.id != rpc::Id::FromInt(asks_ - 1) ||
      (reply.kind != rpc::Kind::kResponse && reply.kind != rpc::Kind::kError)) {
    return std::nullopt;
  }
  const absl::string_view decision = reply.result.Get("decision").StringOr("");
  const bool answered = reply.result.Get("answers").IsObject();
  return AskAnswer{
      .allowed =
          decision == "accept" || decision == "acceptForSession" || answered,
      .message = decision.empty() ? reply.error.message : std::string(decision),
      .input_json = answered ? reply.result.ToJson() : asked_.input_json};
}

std::string AppServerWire::Resolved() const {
  return Notify("serverRequest/resolved", "requestId", absl::StrCat(asks_ - 1));
}

std::string AppServerWire::EndAsk(const AskAnswer& answer) {
  if (asked_.tool == "AskUserQuestion") return Resolved();
  json::ObjectWriter item =
      AskedItem(answer.allowed ? "completed" : "declined");
  if (!IsEdit(asked_.tool) && answer.allowed) {
    item.String("aggregatedOutput", "Did as asked.\n").Json("exitCode", "0");
  }
  return absl::StrCat(Resolved(), Item("completed", std::move(item)));
}

std::string AppServerWire::CancelAsk() { return Resolved(); }

std::string AppServerWire::Todo(absl::Span<const TodoEntry> entries) {
  std::vector<std::string> steps;
  for (const TodoEntry& entry : entries) {
    steps.push_back(json::ObjectWriter()
                        .String("step", entry.text)
                        .String("status", StatusOf(entry.status))
                        .Take());
  }
  return Notify("turn/plan/updated", "plan", JsonArray(steps));
}

std::string AppServerWire::EndTurn(absl::string_view status,
                                   absl::string_view error_json) {
  const std::string turn = json::ObjectWriter()
                               .String("id", turn_)
                               .String("status", status)
                               .Json("error", error_json)
                               .Take();
  return Notify("turn/completed", "turn", turn);
}

std::string AppServerWire::UsageLine(const Tokens& sum) {
  const std::string counts =
      json::ObjectWriter()
          .Json("inputTokens", absl::StrCat(sum.input + sum.cached))
          .Json("cachedInputTokens", absl::StrCat(sum.cached))
          .Json("outputTokens", absl::StrCat(sum.output))
          .Take();
  return Notify("thread/tokenUsage/updated", "tokenUsage",
                json::ObjectWriter().Json("total", counts).Take());
}

std::string AppServerWire::TellTokens() {
  Tokens sum = total();
  sum += tokens();
  return UsageLine(sum);
}

std::string AppServerWire::Succeed() {
  TakeTokens();
  return absl::StrCat(UsageLine(total()), EndTurn("completed", "null"));
}

std::string AppServerWire::Fail(absl::string_view message) {
  const std::string error =
      rpc::NotificationLine("error",
                            json::ObjectWriter()
                                .Json("error", MessageJson(message))
                                .Json("willRetry", "false")
                                .String("threadId", options().session_id)
                                .String("turnId", turn_)
                                .Take(),
                            kOmitted);
  return absl::StrCat(error, EndTurn("failed", MessageJson(message)));
}

std::string AppServerWire::Interrupt() {
  return EndTurn("interrupted", "null");
}

}  // namespace troika::fake
