// Tests turns, results, system lines and rate limits.

#include "agent/claude/parse.h"

#include "agent/backend.h"
#include "agent/claude/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kInit =
    R"({"type":"system","subtype":"init","session_id":"s1"})";
constexpr absl::string_view kText =
    R"({"type":"assistant","message":{"id":"m1","content":[)"
    R"({"type":"text","text":"hi"}],"usage":{"input_tokens":5,)"
    R"("output_tokens":2}},"parent_tool_use_id":null})";
constexpr absl::string_view kResult =
    R"({"subtype":"success","is_error":false,"result":"hi","type":"result",)"
    R"("duration_ms":1500,"usage":{"input_tokens":10,"output_tokens":4,)"
    R"("cache_read_input_tokens":100,"cache_creation_input_tokens":20},)"
    R"("total_cost_usd":0.25})";

TEST(ClaudeBackendTest, SaysWhatItIs) {
  const Backend& backend = ClaudeBackend();
  EXPECT_EQ(backend.harness, Harness::kClaude);
  EXPECT_EQ(backend.display_name, "Claude Code");
  EXPECT_TRUE(backend.capabilities(Cli{}).steer);
  EXPECT_EQ(backend.NewProtocol({})->continuation().generation, 2);
}

TEST(ClaudeParseTest, InitOfAllVersions) {
  Conversation c;
  c.Receive(R"({"type":"system","subtype":"init","cwd":"/w","session_id":"s1",)"
            R"("tools":["Bash","mcp__a__b"],"mcp_servers":[{"name":"a",)"
            R"("status":"connected"}],"model":"opus","permissionMode":"plan",)"
            R"("claude_code_version":"2.1.325"})");
  c.Receive(R"({"type":"system","subtype":"init","session_id":"s2","tools":[],)"
            R"("mcpServers":["b"]})");
  const auto inits = c.All<Init>();
  ASSERT_THAT(inits, SizeIs(2));
  EXPECT_EQ(inits[0].session_id, "s1");
  EXPECT_EQ(inits[0].cwd, "/w");
  EXPECT_EQ(inits[0].model, "opus");
  EXPECT_EQ(inits[0].permission_mode, "plan");
  EXPECT_EQ(inits[0].version, "2.1.325");
  EXPECT_THAT(inits[0].tools, ElementsAre("Bash", "mcp__a__b"));
  EXPECT_THAT(inits[0].mcp_servers, ElementsAre("a"));
  EXPECT_THAT(inits[1].mcp_servers, ElementsAre("b"));
  EXPECT_EQ(c.protocol().continuation().session_id, "s2");
}

TEST(ClaudeParseTest, ResultEndsTheTurn) {
  Conversation c;
  c.Receive(kInit).Receive(kText).Receive(kResult).End();
  const auto results = c.All<Result>();
  ASSERT_THAT(results, SizeIs(1));
  const Result& r = results[0];
  EXPECT_FALSE(r.is_error);
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.text, "hi");
  EXPECT_EQ(r.reason, "success");
  EXPECT_EQ(r.duration, absl::Milliseconds(1500));
  EXPECT_FALSE(r.synthetic);
  EXPECT_EQ(r.usage.turn,
            (TokenCounts{
                .input = 10, .cached = 100, .cache_write = 20, .output = 4}));
  const auto usages = c.All<Usage>();
  // The message tells its tokens within the turn.
  ASSERT_THAT(usages, SizeIs(2));
  EXPECT_EQ(usages[0].turn, (TokenCounts{.input = 5, .output = 2}));
  EXPECT_EQ(usages[1].turn, r.usage.turn);
  EXPECT_EQ(usages[1].turn_cost.usd, 0.25);
}

TEST(ClaudeParseTest, EveryTurnHasOneResult) {
  Conversation c;
  c.Receive(kResult);  // No line precedes it.
  c.Receive(kInit).Receive(kText).Receive(kResult);
  c.Receive(kText).Receive(kResult);  // A background task started a turn.
  c.Receive(kInit).End({.signal = 15});
  const auto results = c.All<Result>();
  ASSERT_THAT(results, SizeIs(4));
  EXPECT_TRUE(results[3].synthetic);
  EXPECT_EQ(results[3].error, "killed by signal 15");
  EXPECT_EQ(results[3].usage.turn, std::nullopt);
  EXPECT_EQ(results[3].usage.total.input, 30);
}

TEST(ClaudeParseTest, SubagentsAndEndedTasksOpenNoTurn) {
  Conversation c;
  c.Receive(kInit).Receive(kResult);
  c.Receive(
      R"({"type":"assistant","message":{"id":"m","content":[{"type":"text",)"
      R"("text":"late"}]},"parent_tool_use_id":"t1"})");
  c.Receive(R"({"type":"system","subtype":"task_notification","task_id":"x"})");
  c.End();
  EXPECT_THAT(c.All<Result>(), SizeIs(1));
}

TEST(ClaudeParseTest, Errors) {
  struct Case {
    absl::string_view fields, error, reason;
    bool is_error = true;
  };
  constexpr Case kCases[] = {
      {R"("subtype":"success","is_error":true,"result":"API Error: 500")",
       "API Error: 500", "success"},
      {R"("subtype":"error_during_execution","is_error":false,)"
       R"("errors":["a","b"],"terminal_reason":"aborted_tools")",
       "a\nb", "aborted_tools"},
      {R"("subtype":"error_max_budget_usd")", "error_max_budget_usd",
       "error_max_budget_usd"},
      {R"("subtype":"error_max_turns","is_error":false)", "", "error_max_turns",
       false},
      {R"("subtype":"error_max_turns","is_error":true,"errors":["Reached"])",
       "Reached", "error_max_turns"},
      {R"("subtype":"success","terminal_reason":"completed")", "", "success",
       false},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.fields);
    Conversation c;
    c.Receive(absl::StrCat(R"({"type":"result",)", test.fields, "}"));
    const auto results = c.All<Result>();
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].is_error, test.is_error);
    EXPECT_EQ(results[0].error, test.error);
    EXPECT_EQ(results[0].reason, test.reason);
  }
}

std::string ResultCosting(absl::string_view fields) {
  return absl::StrCat(R"({"type":"result","subtype":"success",)", fields, "}");
}

TEST(ClaudeParseTest, CostIsTheDifferenceOfTheTotals) {
  Conversation c(
      Continuation{.generation = 2,
                   .total_cost = {.usd = 1, .source = CostSource::kReported}});
  c.Receive(ResultCosting(R"("total_cost_usd":0.25)"));
  c.Receive(ResultCosting(R"("total_cost_usd":0.75)"));
  c.Receive(ResultCosting(R"("total_cost":0.75,"cost_usd":0.5)"));
  // A smaller total comes from another process.
  c.Receive(ResultCosting(R"("total_cost_usd":0.5)"));
  // 2.1.325 reports the total of a resumed session like this.
  c.Receive(
      ResultCosting(R"("total_cost_usd":9,"model_usage_since_last_result":)"
                    R"({"a":{"costUSD":0.125},"b":{"costUSD":0.125},"c":7})"));
  c.Receive(ResultCosting(R"("usage":{})"));
  std::vector<double> turns;
  for (const Result& r : c.All<Result>()) {
    turns.push_back(r.usage.turn_cost.usd);
  }
  EXPECT_THAT(turns, ElementsAre(0.25, 0.5, 0, 0.5, 0.25, 0));
  EXPECT_EQ(c.All<Result>().back().usage.total_cost.usd, 2.5);
  EXPECT_EQ(c.All<Result>().back().usage.turn_cost.source, CostSource::kNone);
}

TEST(ClaudeParseTest, MessagesAreAddedUpWhereTheResultHasNoUsage) {
  const auto line = [](absl::string_view id, int input) {
    return absl::StrCat(R"({"type":"assistant","message":{"id":")", id,
                        R"(","content":[{"type":"text","text":""}],)",
                        R"("usage":{"input_tokens":)", input, "}}}");
  };
  Conversation c;
  c.Receive(line("a", 1)).Receive(line("b", 10)).Receive(line("a", 2));
  c.Receive(R"({"type":"result","subtype":"success"})");
  c.Receive(R"({"type":"result","subtype":"success"})");
  EXPECT_EQ(c.All<Result>()[0].usage.turn->input, 12);
  EXPECT_EQ(c.All<Result>()[1].usage.turn, std::nullopt);
  // Far more messages than the parser remembers.
  for (int i = 0; i < 100; ++i) c.Receive(line(absl::StrCat(i), 1));
  c.Receive(R"({"type":"result","subtype":"success","usage":"many"})");
  EXPECT_EQ(c.All<Result>()[2].usage.turn->input, 100);
  EXPECT_EQ(c.All<Result>()[2].usage.total.input, 112);
}

TEST(ClaudeParseTest, AbsurdCountsStayInRange) {
  Conversation c;
  for (int i = 0; i < 3; ++i) {
    c.Receive(
        R"({"type":"result","usage":{"input_tokens":9223372036854775807,)"
        R"("output_tokens":-5},"total_cost_usd":1e308,"duration_ms":1e300})");
  }
  const Result last = c.All<Result>().back();
  EXPECT_GT(last.usage.total.input, 0);
  EXPECT_EQ(last.usage.total.output, 0);
  EXPECT_EQ(last.duration, absl::InfiniteDuration());
}

TEST(ClaudeParseTest, ThinkingIsAPartOfTheOutput) {
  Conversation c;
  c.Receive(R"({"type":"result","usage":{"output_tokens":9,)"
            R"("output_tokens_details":{"thinking_tokens":4}}})");
  EXPECT_EQ(c.All<Usage>()[0].turn, (TokenCounts{.output = 9, .reasoning = 4}));
}

TEST(ClaudeParseTest, SystemLines) {
  struct Case {
    absl::string_view fields;
    Notice::Kind kind;
    absl::string_view text;
  };
  constexpr Case kCases[] = {
      {R"("api_retry","attempt":2,"max_retries":4,"retry_delay_ms":499.6,)"
       R"("error_status":529,"error":"overloaded")",
       Notice::Kind::kRetrying,
       "attempt 2 of 4: overloaded (HTTP 529), next in 500 ms"},
      {R"("api_error","error":{"type":"x","message":"gone"})",
       Notice::Kind::kError, "gone"},
      {R"("compact_boundary","compact_metadata":{"trigger":"auto",)"
       R"("pre_tokens":1000})",
       Notice::Kind::kCompaction, "compacted (auto), 1000 tokens before"},
      {R"("status","status":"compacting")", Notice::Kind::kCompaction,
       "compacting"},
      {R"("status","status":null,"permissionMode":"plan")", Notice::Kind::kInfo,
       "permission mode: plan"},
      {R"("status","status":"waiting")", Notice::Kind::kInfo,
       "status: waiting"},
      {R"("permission_denied","tool_name":"Bash","message":"no rm")",
       Notice::Kind::kPermissionDenied, "Bash: no rm"},
      {R"("hook_response","hook_name":"Stop:x","hook_event":"Stop",)"
       R"("outcome":"error","exit_code":2,"stderr":"bad\n")",
       Notice::Kind::kHook,
       "hook_response Stop:x (Stop): error, exit code 2\nbad"},
      {R"("task_started","task_id":"b1","task_type":"local_bash",)"
       R"("description":"make","run_id":"r","is_backgrounded":true)",
       Notice::Kind::kBackgroundTask, "started: b1: make"},
      {R"("local_command_output","content":"cost: 1")", Notice::Kind::kInfo,
       "cost: 1"},
  };
  for (const Case& test : kCases) {
    SCOPED_TRACE(test.fields);
    Conversation c;
    c.Receive(absl::StrCat(R"({"type":"system","subtype":)", test.fields, "}"));
    const auto notices = c.All<Notice>();
    ASSERT_THAT(notices, SizeIs(1));
    EXPECT_EQ(notices[0].kind, test.kind);
    EXPECT_EQ(notices[0].text, test.text);
    EXPECT_THAT(c.messages(), SizeIs(1));
    EXPECT_THAT(c.DriftSeen(), IsEmpty());
  }
}

TEST(ClaudeParseTest, CountersGiveNothing) {
  Conversation c;
  c.Receive(
      R"({"type":"system","subtype":"thinking_tokens","estimated_tokens":3})");
  c.Receive(R"({"type":"system","subtype":"status","status":"requesting"})");
  c.Receive(
      R"({"type":"system","subtype":"background_tasks_changed","tasks":[]})");
  c.Receive(R"({"type":"keep_alive"})");
  c.Receive(R"({"type":"tool_progress","tool_use_id":"t"})");
  c.End();
  EXPECT_THAT(c.messages(), IsEmpty());
  EXPECT_THAT(c.DriftSeen(), IsEmpty());
}

TEST(ClaudeParseTest, SubagentsByTheirTaskLines) {
  Conversation c;
  c.Receive(
      R"({"type":"system","subtype":"task_started","task_id":"a1",)"
      R"("tool_use_id":"t1","description":"Look","subagent_type":"Explore",)"
      R"("task_type":"local_agent"})");
  c.Receive(R"({"type":"system","subtype":"task_progress","task_id":"a1",)"
            R"("description":"Reading"})");
  c.Receive(R"({"type":"system","subtype":"task_updated","task_id":"a1",)"
            R"("patch":{"status":"completed"}})");
  c.Receive(R"({"type":"system","subtype":"task_notification","task_id":"a1",)"
            R"("status":"completed"})");
  const auto lines = c.All<Subagent>();
  ASSERT_THAT(lines, SizeIs(4));
  EXPECT_EQ(lines[0].phase, Subagent::Phase::kStarted);
  EXPECT_EQ(lines[1].phase, Subagent::Phase::kProgress);
  EXPECT_EQ(lines[1].description, "Reading");
  EXPECT_EQ(lines[2].phase, Subagent::Phase::kProgress);
  EXPECT_EQ(lines[2].status, "completed");
  EXPECT_EQ(lines[3].phase, Subagent::Phase::kEnded);
  for (const Subagent& line : lines) {
    EXPECT_EQ(line.id, "a1");
    EXPECT_EQ(line.tool_use_id, "t1");
    EXPECT_EQ(line.kind, "Explore");
  }
}

TEST(ClaudeParseTest, RateLimitsOfBothShapes) {
  Conversation c;
  c.Receive(
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"allowed",)"
      R"("resetsAt":1770120000,"rateLimitType":"five_hour",)"
      R"("unifiedWindows":{"five_hour":{"utilization":1}}}})");
  c.Receive(R"({"type":"rate_limit_event","status":"rejected",)"
            R"("rateLimitType":"seven_day","utilization":0.5})");
  c.Receive(
      R"({"type":"rate_limit_event","rate_limit_info":{"type":"weekly"}})");
  const auto limits = c.All<RateLimit>();
  ASSERT_THAT(limits, SizeIs(3));
  EXPECT_EQ(limits[0].status, "allowed");
  EXPECT_EQ(limits[0].window, "five_hour");
  EXPECT_EQ(limits[0].resets_at, absl::FromUnixSeconds(1770120000));
  EXPECT_EQ(limits[0].used, 1);
  EXPECT_EQ(limits[1].status, "rejected");
  EXPECT_EQ(limits[1].window, "seven_day");
  EXPECT_EQ(limits[1].resets_at, std::nullopt);
  EXPECT_EQ(limits[1].used, 0.5);
  EXPECT_EQ(limits[2].window, "weekly");
}

}  // namespace
}  // namespace troika::claude
