#include "dto/task.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/proto_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Query = std::vector<std::pair<std::string, std::string>>;

notes::Request SampleRequest() {
  return {.harness = "codex",
          .prompt = "do it",
          .options = {.model = "asked", .edit_mode = EditMode::kAutoEdit},
          .policy = {{.file = "/p.rules", .origin = "user", .text = "secret"}},
          .require_policy = true};
}

TaskState SampleState() {
  TaskState state;
  state.task = "t1";
  state.harness = Harness::kGemini;
  state.cwd = "/src";
  state.title = "Do it";
  state.labels = {{"team", "web"}, {"n", ""}};
  state.status = TaskStatus::kAwaitingApproval;
  state.error = "e";
  state.hint = "h";
  state.session_id = "s";
  state.imported_from = "/f";
  state.model = "m";
  state.version = "1.2";
  state.permission_mode = "plan";
  state.stderr_tail = "oh no";
  state.last_action = "Bash: make\nall";
  state.document.path = "/src/gpt5_docs/a.md";
  state.document.error = "full";
  state.exit_code = 0;
  state.signal = 9;
  state.turns = 3;
  state.timeouts = {.start = absl::Milliseconds(1500),
                    .task = absl::Minutes(1)};
  state.worked = absl::Milliseconds(2500);
  state.budget.limits = {.tokens = 100, .time_ms = 5000};
  state.result = Result{.is_error = true,
                        .error = "re",
                        .text = "rt",
                        .duration = absl::Seconds(2)};
  state.outcome = TurnOutcome::kInterrupted;
  state.inputs = {{.receipt = {.id = "in-1", .text = "go", .turn = 1}}};
  state.queue_held = true;
  state.approvals["a1"] = {.asked = {7, 1},
                           .request = {.id = "a1",
                                       .tool_use_id = "u",
                                       .tool_name = "Bash",
                                       .input_json = R"({"command":"rm"})",
                                       .reason = "why"}};
  state.questions["q1"].request = {
      .id = "q1",
      .items = {{.header = "hd", .text = "which?", .options = {"a", "b"}}}};
  state.parent = "p";
  state.wire = Wire::kAcp;
  state.fork = {.task = "t0", .turn = 2, .point = "x"};
  state.settled = {{.id = "withdrawn"},
                   {.id = "a0",
                    .choice = "deny",
                    .text = "no",
                    .by = "user",
                    .via = "api",
                    .delivery = Delivery::kDelivered}};
  state.usage = {.input = 1, .cached = 2, .output = 4};
  state.cost_usd = 0.5;
  state.cost_source = CostSource::kReported;
  state.created = absl::FromUnixMillis(1500);
  state.started = absl::FromUnixSeconds(2);
  state.last_activity = absl::FromUnixSeconds(3);
  state.ended = absl::FromUnixSeconds(4);
  return state;
}

TEST(TaskTest, HasEveryFieldOfTheContract) {
  const notes::Request request = SampleRequest();
  const v1::Task task = ToTask(
      SampleState(),
      {.last_event_id = "7.1", .trouble = "disk full", .request = &request});
  std::vector<const google::protobuf::FieldDescriptor*> set;
  task.GetReflection()->ListFields(task, &set);
  // All but queue_position, which only the queue knows, and receipt, which only
  // some replies have.
  EXPECT_EQ(static_cast<int>(set.size()), task.descriptor()->field_count() - 2);
  EXPECT_FALSE(task.has_queue_position());
  EXPECT_EQ(task.policy(0).file(), "/p.rules");
  EXPECT_EQ(task.policy(0).text(), "");
  EXPECT_EQ(task.budget().limits().tokens(), 100);
  EXPECT_EQ(task.budget().used().time().seconds(), 2);

  EXPECT_EQ(task.id(), "t1");
  EXPECT_EQ(task.harness(), "gemini");
  EXPECT_EQ(task.title(), "Do it");
  EXPECT_EQ(task.cwd(), "/src");
  EXPECT_EQ(task.model(), "m");
  EXPECT_EQ(task.edit_mode(), v1::auto_edit);
  EXPECT_THAT(task.labels(),
              UnorderedElementsAre(Pair("team", "web"), Pair("n", "")));
  EXPECT_EQ(task.session_id(), "s");
  EXPECT_EQ(task.created_at().nanos(), 500000000);
  EXPECT_EQ(task.started_at().seconds(), 2);
  EXPECT_EQ(task.last_activity_at().seconds(), 3);
  EXPECT_EQ(task.ended_at().seconds(), 4);
  EXPECT_EQ(task.last_event_id(), "7.1");
  EXPECT_EQ(task.usage().total().output_tokens(), 4);
  EXPECT_EQ(task.usage().total_cost_usd(), 0.5);
  EXPECT_EQ(task.usage().total_cost_source(), v1::reported);
  EXPECT_EQ(task.result().error(), "re");
  EXPECT_EQ(task.result().duration().seconds(), 2);
  EXPECT_FALSE(task.result().has_usage());
  EXPECT_EQ(task.exit_code(), 0);
  EXPECT_EQ(task.signal(), 9);
  EXPECT_EQ(task.reason(), "e");
  EXPECT_EQ(task.hint(), "h");
  EXPECT_EQ(task.version(), "1.2");
  EXPECT_EQ(task.permission_mode(), "plan");
  EXPECT_EQ(task.stderr_tail(), "oh no");
  EXPECT_EQ(task.last_action(), "Bash: make");
  EXPECT_EQ(task.document_path(), "/src/gpt5_docs/a.md");
  EXPECT_EQ(task.document_error(), "full");
  EXPECT_EQ(task.turns(), 3);
  EXPECT_EQ(task.parent_id(), "p");
  EXPECT_EQ(task.trouble(), "disk full");
  EXPECT_EQ(task.prompt(), "do it");
  EXPECT_EQ(task.timeouts().start().nanos(), 500000000);
  EXPECT_EQ(task.timeouts().task().seconds(), 60);
  EXPECT_FALSE(task.timeouts().has_idle());
  EXPECT_EQ(task.worked().seconds(), 2);
  EXPECT_EQ(task.worked().nanos(), 500000000);
  ASSERT_EQ(task.approvals_size(), 1);
  EXPECT_EQ(task.approvals(0).id(), "a1");
  EXPECT_EQ(task.approvals(0).tool_name(), "Bash");
  EXPECT_EQ(task.approvals(0).event_id(), "7.1");
  EXPECT_EQ(task.approvals(0)
                .input()
                .struct_value()
                .fields()
                .at("command")
                .string_value(),
            "rm");
  EXPECT_FALSE(task.approvals(0).has_cut());
  ASSERT_EQ(task.questions_size(), 1);
  EXPECT_FALSE(task.questions(0).has_cut());
  EXPECT_EQ(task.questions(0).items(0).text(), "which?");
  EXPECT_THAT(task.questions(0).items(0).options(), ElementsAre("a", "b"));
}

TEST(TaskTest, StatesHaveTheirStatusesNames) {
  for (int i = 0; i < kTaskStatuses; ++i) {
    TaskState state;
    state.status = static_cast<TaskStatus>(i);
    EXPECT_EQ(v1::Task::State_Name(ToTask(state, {}).state()),
              std::string(NameOf(state.status)));
  }
  for (const EditMode mode :
       {EditMode::kResearch, EditMode::kAutoEdit, EditMode::kFullAuto,
        EditMode::kDangerous, EditMode::kAsk, EditMode::kNative}) {
    const TaskState state = {.edit_mode = mode};
    EXPECT_EQ(v1::EditMode_Name(ToTask(state, {}).edit_mode()),
              std::string(EditModeId(mode)));
  }
}

TEST(TaskTest, UntilTheAgentSaysItIsAsAskedFor) {
  const notes::Request request = SampleRequest();
  EXPECT_EQ(ToTask({}, {.request = &request}).model(), "asked");
  EXPECT_EQ(ToTask({}, {.request = &request}).harness(), "codex");
  const v1::Task task =
      ToTask({.asked_model = "later", .edit_mode = EditMode::kFullAuto},
             {.request = &request});
  EXPECT_EQ(task.model(), "later");
  EXPECT_EQ(task.edit_mode(), v1::full_auto);

  notes::Request bypass;
  bypass.options.dangerously_bypass = true;
  EXPECT_EQ(ToTask({}, {.request = &bypass}).edit_mode(), v1::dangerous);
  const notes::Request plain;
  const notes::Request sandboxed = {.options = {.sandbox = "workspace-write"}};
  EXPECT_EQ(ToTask({}, {.request = &sandboxed}).edit_mode(), v1::native);
  EXPECT_EQ(ToTask({}, {.request = &plain}).edit_mode(), v1::research);
}

TEST(TaskTest, TheReasonIsTheEndingWhereThereIsNoError) {
  TaskState state;
  state.ending.text = "interrupted by user";
  EXPECT_EQ(ToTask(state, {}).reason(), "interrupted by user");
  state.error = "worse";
  EXPECT_EQ(ToTask(state, {}).reason(), "worse");
}

TEST(TaskTest, WhatIsNotUtf8IsShown) {
  TaskState state;
  state.title = "a\xFF";
  state.labels = {{"k\xFF", "v\xFF"}};
  const std::string json = ToJson(ToTask(state, {}));
  EXPECT_THAT(json, HasSubstr("\"title\":\"a\uFFFD\""));
  EXPECT_THAT(json, HasSubstr("{\"k\uFFFD\":\"v\uFFFD\"}"));
}

TEST(TaskTest, LongTextsThatWaitForAnAnswerAreCut) {
  constexpr size_t kLimit = size_t{32} << 10;
  const std::string secret = "5ecret-that-is-cut";
  TaskState state;
  for (int i = 0; i < 100; ++i) {
    // An approval would be cut within the secret.
    std::string text(kLimit - 22, 'x');
    absl::StrAppend(&text, secret, std::string(size_t{1} << 20, 'y'));
    const std::string id = absl::StrCat("a", 100 + i);
    state.approvals[id].asked = {i, 0};
    state.approvals[id].request = {
        .id = id, .input_json = absl::StrCat("{\"command\":\"", text, "\"}")};
    state.questions[id].request = {.id = id, .items = {{.text = text}}};
  }
  const Redactor redactor(std::vector<std::string>{secret});
  const v1::Task task = ToTask(state, {.redactor = &redactor});
  ASSERT_EQ(task.approvals_size(), 100);
  const std::string& input = task.approvals(0).input().string_value();
  EXPECT_LE(input.size(), kLimit);
  EXPECT_GE(input.size(), kLimit - 20);
  EXPECT_EQ(input.find("5ecret"), std::string::npos);
  EXPECT_EQ(task.approvals(99).id(), "a199");
  EXPECT_TRUE(task.approvals(0).cut());
  EXPECT_TRUE(task.questions(99).cut());
  EXPECT_LE(task.ByteSizeLong(), size_t{1} << 21);
}

// The limit of all texts together is reached by the paths of the first one.
TEST(TaskTest, TellsWhatIsCutByTheLimitOfAll) {
  TaskState state;
  state.approvals["a"].request = {
      .id = "a",
      .paths = std::vector<std::string>(40, std::string(30'000, 'x'))};
  state.approvals["b"].asked = {1, 0};
  state.approvals["b"].request = {.id = "b", .paths = {"y"}};
  state.approvals["c"].asked = {2, 0};
  state.approvals["c"].request = {.id = "c"};
  const v1::Task task = ToTask(state, {});
  ASSERT_EQ(task.approvals_size(), 3);
  EXPECT_LT(task.approvals(0).paths_size(), 40);
  EXPECT_TRUE(task.approvals(0).cut());
  EXPECT_EQ(task.approvals(1).paths_size(), 0);
  EXPECT_TRUE(task.approvals(1).cut());
  EXPECT_FALSE(task.approvals(2).has_cut());
}

TEST(ProtoJsonTest, PrintsWhatIsEmptyAndIsReadBack) {
  v1::Task task = ToTask(SampleState(), {});
  const std::string json = ToJson(task);
  EXPECT_THAT(json, HasSubstr(R"("prompt":"")"));
  EXPECT_THAT(json, HasSubstr(R"("state":"awaiting_approval")"));
  EXPECT_THAT(json, HasSubstr(R"("createdAt":"1970-01-01T00:00:01.500Z")"));
  EXPECT_EQ(json.find('\n'), std::string::npos);
  v1::Task read;
  ASSERT_TRUE(FromJson(json, &read).ok()) << FromJson(json, &read);
  EXPECT_EQ(read.DebugString(), task.DebugString());
  ASSERT_TRUE(FromBinary(task.SerializeAsString(), &read).ok());
  EXPECT_EQ(read.DebugString(), task.DebugString());
}

std::string JsonErrorOf(absl::string_view json) {
  v1::CreateTaskRequest request;
  const absl::Status status = FromJson(json, &request);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << json;
  return std::string(status.message());
}

TEST(ProtoJsonTest, ErrorsNameTheField) {
  EXPECT_THAT(JsonErrorOf(R"({"promt":"x"})"), HasSubstr("promt"));
  EXPECT_THAT(JsonErrorOf(R"({"options":{"modle":"x"}})"), HasSubstr("modle"));
  EXPECT_THAT(JsonErrorOf(R"({"options":{"editMode":"all"}})"),
              HasSubstr("edit"));
  EXPECT_THAT(JsonErrorOf(R"({"options":{"editMode":77}})"),
              HasSubstr("edit_mode"));
  EXPECT_EQ(JsonErrorOf(R"({"prompt":1e999})"),
            "no CreateTaskRequest: Number exceeds the range of double; "
            "dto/troika.proto says what it takes");
  EXPECT_THAT(JsonErrorOf(R"({"prompt":{}})"), HasSubstr("prompt"));
  EXPECT_THAT(JsonErrorOf(R"({"timeouts":{"idle":"soon"}})"),
              HasSubstr("idle"));
}

TEST(ProtoJsonTest, RefusesWhatIsNoJson) {
  for (const absl::string_view json :
       {"", "[]", "null", "{'prompt':'x'}", "{prompt:\"x\"}",
        "{\"prompt\":", "{\"prompt\":\"x\"} {}", "{\"prompt\":\"\xFF\"}",
        "{\"prompt\":\"\\ud800\"}x"}) {
    EXPECT_THAT(JsonErrorOf(json), HasSubstr("JSON")) << json;
  }
}

std::string Nested(int levels) {
  return absl::StrCat(R"({"id":"a","approval":{"input":)",
                      std::string(levels, '['), std::string(levels, ']'), "}}");
}

TEST(ProtoJsonTest, DepthIsLimitedBeforeProtobufTrips) {
  v1::RespondRequest request;
  EXPECT_TRUE(FromJson(Nested(kMaxMessageDepth - 2), &request).ok())
      << FromJson(Nested(kMaxMessageDepth - 2), &request);
  EXPECT_THAT(FromJson(Nested(kMaxMessageDepth - 1), &request).ToString(),
              HasSubstr("nested too deeply"));
  EXPECT_FALSE(FromJson(Nested(100000), &request).ok());
  EXPECT_FALSE(FromJson(std::string(json::kMaxBytes + 1, ' '), &request).ok());
}

TEST(ProtoJsonTest, ClientsPassOverWhatIsNew) {
  v1::Task task;
  const absl::string_view json = R"({"id":"t","state":"frozen","shape":{}})";
  EXPECT_FALSE(FromJson(json, &task).ok());
  ASSERT_TRUE(FromJson(json, &task, UnknownFields::kIgnore).ok());
  EXPECT_EQ(task.id(), "t");
  EXPECT_EQ(task.state(), v1::Task::state_unspecified);
}

TEST(ProtoJsonTest, BinaryIsCheckedAlike) {
  v1::CreateTaskRequest request;
  EXPECT_FALSE(FromBinary("\xFF\xFF", &request).ok());
  const std::string unknown = "\xC0\x3E\x01";  // Field 1000 is 1.
  EXPECT_THAT(FromBinary(unknown, &request).ToString(), HasSubstr("1000"));
  EXPECT_TRUE(FromBinary(unknown, &request, UnknownFields::kIgnore).ok());
  v1::LaunchOptions options;
  EXPECT_THAT(FromBinary("\x10\x4D", &options).ToString(),
              HasSubstr("edit_mode has no value 77"));
}

TEST(ProtoJsonTest, QueriesFillFieldsByName) {
  v1::ListTasksRequest request;
  const absl::Status status = FromQuery({{"states", "running"},
                                         {"states", "idle"},
                                         {"harnesses", "codex"},
                                         {"labels", "team=web"},
                                         {"labels", "eq=a=b"},
                                         {"labels", "none="},
                                         {"text", "log in"},
                                         {"page_size", "20"}},
                                        &request);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(request.states(), ElementsAre(v1::Task::running, v1::Task::idle));
  EXPECT_THAT(request.harnesses(), ElementsAre("codex"));
  EXPECT_THAT(request.labels(),
              UnorderedElementsAre(Pair("team", "web"), Pair("eq", "a=b"),
                                   Pair("none", "")));
  EXPECT_EQ(request.text(), "log in");
  EXPECT_EQ(request.page_size(), 20);

  v1::UsageRequest usage;
  ASSERT_TRUE(
      FromQuery({{"since", "2026-01-31T09:30:00.25+01:00"}}, &usage).ok());
  EXPECT_EQ(usage.since().seconds(), 1769848200);
  EXPECT_EQ(usage.since().nanos(), 250000000);
  EXPECT_FALSE(usage.has_until());
  ASSERT_TRUE(
      FromQuery({{"by_day", "true"}, {"utc_offset_minutes", "-60"}}, &usage)
          .ok());
  EXPECT_TRUE(usage.by_day());
  EXPECT_EQ(usage.utc_offset_minutes(), -60);
  EXPECT_THAT(std::string(FromQuery({{"by_day", "1"}}, &usage).message()),
              HasSubstr("true or false"));
}

TEST(ProtoJsonTest, BadQueriesSayWhatThereIs) {
  const std::pair<Query, std::string> kCases[] = {
      {{{"state", "idle"}}, "there are states, harnesses, cwd, labels"},
      {{{"states", "lazy"}}, "one of state_unspecified, queued"},
      {{{"page_size", "ten"}}, "a whole number"},
      {{{"page_size", "9999999999"}}, "a whole number"},
      {{{"labels", "team"}}, "key=value"},
      {{{"labels", "=web"}}, "key=value"},
      {{{"text", "\xFF"}}, "UTF-8"},
      {{{"text", "a"}, {"text", "b"}}, "twice"},
      {{{std::string(100000, '\xFF'), ""}}, "no parameter"}};
  for (const auto& [query, wanted] : kCases) {
    v1::ListTasksRequest request;
    const absl::Status status = FromQuery(query, &request);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(wanted));
  }
  v1::UsageRequest usage;
  EXPECT_THAT(FromQuery({{"since", "monday"}}, &usage).ToString(),
              HasSubstr("a time such as"));
  v1::CreateTaskRequest create;
  EXPECT_THAT(FromQuery({{"options", "x"}}, &create).ToString(),
              HasSubstr("can't stand in a query"));
}

}  // namespace
}  // namespace troika
