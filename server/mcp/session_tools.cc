#include "server/mcp/session_tools.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agent/registry.h"
#include "server/mcp/defaults.h"
#include "task/request.h"

namespace troika {
namespace {

using Type = mcp::Field::Type;
constexpr auto kRequired = mcp::Field::Need::kRequired;

constexpr absl::string_view kBegunSchema =
    R"({"type":"object","properties":{)"
    R"("sessionId":{"type":"string"},)"
    R"("taskId":{"type":"string","description":"The id of the task, as troika show takes it"},)"
    R"("status":{"type":"string","enum":["active","awaiting_approval","done","error","interrupted"]},)"
    R"("notices":{"type":"array","items":{"type":"string"}}},)"
    R"("required":["sessionId","status"]})";

constexpr absl::string_view kStatusSchema =
    R"({"type":"object","properties":{)"
    R"("sessionId":{"type":"string"},)"
    R"("taskId":{"type":"string"},)"
    R"("status":{"type":"string","enum":["active","awaiting_approval","done","error","interrupted"]},)"
    R"("result":{"type":"string","description":"The final answer of the last turn"},)"
    R"("error":{"type":"string"},)"
    R"("recentOutput":{"type":"string"},)"
    R"("pendingQuestion":{"type":"object","properties":{)"
    R"("id":{"type":"string"},)"
    R"("type":{"type":"string"},)"
    R"("questions":{"type":"array","items":{"type":"object","properties":{)"
    R"("question":{"type":"string"},"options":{"type":"array","items":{"type":"string"}}},)"
    R"("required":["question","options"]}},)"
    R"("rest":{"type":"string"}},"required":["id","type","questions"]},)"
    R"("itemEvents":{"type":"array","items":{"type":"object","properties":{)"
    R"("itemType":{"type":"string"},)"
    R"("status":{"type":"string","enum":["started","in_progress","completed","failed"]},)"
    R"("summary":{"type":"string"}},"required":["itemType","status","summary"]}},)"
    R"("usage":{"type":"object","properties":{"inputTokens":{"type":"integer"},)"
    R"("cachedInputTokens":{"type":"integer"},"outputTokens":{"type":"integer"}},)"
    R"("required":["inputTokens","cachedInputTokens","outputTokens"]},)"
    R"("turnCount":{"type":"integer"},)"
    R"("denials":{"type":"array","items":{"type":"object","properties":{)"
    R"("tool":{"type":"string"},"reason":{"type":"string"}}}},)"
    R"("cursor":{"type":"string","description":"Give it to the next call to see only what is new"},)"
    R"("more":{"type":"boolean","description":"The result goes on: call again with the cursor"}},)"
    R"("required":["sessionId","taskId","status","recentOutput","itemEvents","turnCount","cursor","more"]})";

constexpr absl::string_view kListSchema =
    R"({"type":"object","properties":{)"
    R"("sessions":{"type":"array","items":{"type":"object","properties":{)"
    R"("sessionId":{"type":"string"},)"
    R"("directory":{"type":"string"},)"
    R"("summary":{"type":"string"},)"
    R"("timestamp":{"type":"string"},)"
    R"("isActive":{"type":"boolean"},)"
    R"("activeStatus":{"type":"string"}},)"
    R"("required":["sessionId","directory","summary","timestamp","isActive"]}},)"
    R"("usage":{"type":"object","properties":{"inputTokens":{"type":"integer"},)"
    R"("cachedInputTokens":{"type":"integer"},"outputTokens":{"type":"integer"}}},)"
    R"("cursor":{"type":"string","description":"Give it to the next call to see older sessions"}},)"
    R"("required":["sessions","usage"]})";

// What the CLI of a harness has options for.
struct Options {
  std::vector<std::string> approval_policies;
  bool codex = false;  // Its sandbox, profiles and check for Git.
  bool config = false;
  bool output_schema = false;
};

Options OptionsOf(absl::string_view harness, const Backend& backend) {
  if (harness == "codex") {
    return {
        .approval_policies = {"untrusted", "on-failure", "on-request", "never"},
        .codex = true,
        .config = true,
        .output_schema = true};
  }
  Options options = {.config = harness == "claude",
                     .output_schema = harness == "claude"};
  for (const NativeModeRow& row : backend.native_modes) {
    if (row.option == "approval_policy") {
      options.approval_policies.emplace_back(row.value);
    }
  }
  return options;
}

mcp::Field SessionField() {
  return {.name = "sessionId",
          .description =
              "The session, as the tool that began it or the list "
              "of sessions names it",
          .need = kRequired,
          .max_bytes = 1000};
}

mcp::Field PromptField(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .need = kRequired,
          .max_bytes = kMaxPromptBytes};
}

mcp::Field ImagesField() {
  return {.name = "images",
          .type = Type::kStrings,
          .description = "Paths of images that go along",
          .max = 100};
}

std::vector<mcp::Field> StartFields(const Options& options, bool has_images) {
  std::vector<mcp::Field> fields = {
      PromptField("prompt", "What the agent is to do"),
      {.name = "workingDirectory",
       .description = "The agent's folder; by default that of this client"},
      {.name = "model", .description = "By default that of the CLI"},
      {.name = "approvalPolicy",
       .description = "When the agent asks; by default as the CLI's own "
                      "configuration says",
       .values = options.approval_policies}};
  if (options.codex) {
    fields.push_back(
        {.name = "sandbox",
         .description = "What commands may do without asking; by "
                        "default as the CLI's own configuration "
                        "says",
         .values = {"read-only", "workspace-write", "danger-full-access"}});
    fields.push_back({.name = "fullAuto",
                      .type = Type::kBoolean,
                      .description = "approvalPolicy on-request with sandbox "
                                     "workspace-write",
                      .default_json = "false"});
    fields.push_back({.name = "profile",
                      .description = "A profile of the CLI's configuration"});
  }
  if (options.config) {
    fields.push_back({.name = "config",
                      .type = Type::kObject,
                      .description = "Settings that replace those of the CLI's "
                                     "configuration; keys may have dots"});
  }
  fields.push_back({.name = "baseInstructions",
                    .description = "A text that replaces the CLI's own "
                                   "instructions to the model"});
  if (has_images) fields.push_back(ImagesField());
  if (options.codex) {
    fields.push_back({.name = "skipGitRepoCheck",
                      .type = Type::kBoolean,
                      .description = "Also run outside of a Git repository",
                      .default_json = "false"});
  }
  fields.push_back({.name = "dangerouslyBypassApprovalsAndSandbox",
                    .type = Type::kBoolean,
                    .description = "DANGEROUS: the agent may do everything "
                                   "that you can, and never asks",
                    .default_json = "false"});
  if (options.output_schema) {
    fields.push_back({.name = "outputSchema",
                      .type = Type::kObject,
                      .description = "The JSON schema of the final answer"});
  }
  fields.push_back({.name = "bound",
                    .type = Type::kBoolean,
                    .description = "End the session when this client ends; "
                                   "otherwise it lives on",
                    .default_json = "false"});
  return fields;
}

std::vector<mcp::Field> StatusFields() {
  return {SessionField(),
          {.name = "outputLines",
           .type = Type::kInteger,
           .description = "At most so many lines of recent output",
           .default_json = absl::StrCat(mcp::kOutputLines),
           .min = 0,
           .max = mcp::kMaxOutputLines},
          {.name = "cursor",
           .description = "The cursor of an earlier result: only what is newer "
                          "is shown"},
          {.name = "wait",
           .type = Type::kInteger,
           .description = "Seconds to wait until the session needs something "
                          "or ends, or, with a cursor, until there is news",
           .default_json = "0",
           .min = 0,
           .max = mcp::kMaxWaitSeconds}};
}

}  // namespace

void AddSessionTools(absl::string_view harness, std::vector<Tool>* tools) {
  const absl::StatusOr<const Backend*> backend = BackendById(harness);
  if (!backend.ok()) return;
  const Capabilities can = (*backend)->capabilities(Cli());
  const std::string id(harness);
  std::string name = id;
  name[0] = absl::ascii_toupper(name[0]);
  const auto add = [&](absl::string_view verb, std::string title,
                       std::string description, std::vector<mcp::Field> input,
                       absl::string_view output,
                       const mcp::Annotations& annotations,
                       void (*call)(const std::string&, const ToolCallPtr&)) {
    tools->push_back(
        {.info = {.name = absl::StrCat(id, "_", verb),
                  .title = std::move(title),
                  .description = std::move(description),
                  .input = std::move(input),
                  .output_schema = std::string(output),
                  .annotations = annotations},
         .family = Tool::Family::kSessions,
         .harness = id,
         .call = [id, call](const ToolCallPtr& one) { call(id, one); }});
  };
  add("start", absl::StrCat("Start a ", name, " session"),
      absl::StrCat("Begins a session with ", (*backend)->display_name,
                   " and returns its sessionId as soon as it is known. The "
                   "agent then works by itself: follow it with ",
                   id, "_status."),
      StartFields(OptionsOf(harness, **backend), can.images), kBegunSchema,
      mcp::kActs, StartSession);
  std::vector<mcp::Field> say = {
      SessionField(),
      PromptField("message", "What to say to the agent"),
      {.name = "steer",
       .type = Type::kBoolean,
       .description = "While a turn runs, say it into that turn instead of "
                      "failing as busy",
       .default_json = "false"}};
  if (can.images) say.push_back(ImagesField());
  add("say", absl::StrCat("Say something to a ", name, " session"),
      "Goes on with a session, also with one that has ended or was begun "
      "elsewhere, with its original settings. Fails as busy while a turn runs.",
      std::move(say), kBegunSchema, mcp::kActs, SayToSession);
  add("status", absl::StrCat("Status of a ", name, " session"),
      "Shows what the session does, its result, and what it asks "
      "(pendingQuestion). Use `wait` instead of polling.",
      StatusFields(), kStatusSchema, mcp::kReads, ShowSession);
  add("respond", absl::StrCat("Answer a ", name, " session"),
      "Answers the pendingQuestion of a session: one answer for each question. "
      "For an approval that is approve, deny, or deny: REASON.",
      {SessionField(),
       {.name = "id",
        .description = "The id of the pendingQuestion",
        .need = kRequired,
        .max_bytes = 1000},
       {.name = "answers",
        .type = Type::kStrings,
        .description = "One for each question, in their order",
        .need = kRequired,
        .max = 100}},
      kBegunSchema, mcp::kSteers, RespondToSession);
  add("interrupt", absl::StrCat("Interrupt a ", name, " session"),
      "Ends the turn that runs. The session can go on.", {SessionField()},
      kBegunSchema, mcp::kSteers, InterruptSession);
  add("list", absl::StrCat("List ", name, " sessions"),
      absl::StrCat("Lists the sessions that ", (*backend)->display_name,
                   " keeps on this machine, whoever began them, the newest "
                   "first."),
      {{.name = "workingDirectory",
        .description = "Only the sessions of this folder"},
       {.name = "limit",
        .type = Type::kInteger,
        .description = "At most so many sessions",
        .default_json = absl::StrCat(mcp::kListLimit),
        .min = 1,
        .max = mcp::kMaxListLimit},
       {.name = "cursor",
        .description = "The cursor of an earlier result: older sessions"}},
      kListSchema, mcp::kReads, ListSessionsOf);
  if (!can.fork) return;
  std::vector<mcp::Field> fork = {
      SessionField(), PromptField("prompt", "What the copy is to do")};
  if (can.fork_at_turn) {
    fork.push_back({.name = "turn",
                    .type = Type::kInteger,
                    .description = "The turn after which the copy begins; by "
                                   "default the last",
                    .min = 1,
                    .max = 100000});
  }
  add("fork", absl::StrCat("Fork a ", name, " session"),
      "Begins a session that goes on with a copy of another one.",
      std::move(fork), kBegunSchema, mcp::kActs, ForkSession);
}

}  // namespace troika
