#include "agent/gemini/parse.h"

#include "absl/strings/str_cat.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::gemini {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kInit =
    R"({"type":"init","session_id":"s1","model":"m"})"
    "\n";
constexpr absl::string_view kUser =
    R"({"type":"message","role":"user","content":"do it"})"
    "\n";
constexpr absl::string_view kSuccess = R"({"type":"result","status":"success"})"
                                       "\n";

std::string Fragment(absl::string_view text) {
  return absl::StrCat(R"({"type":"message","role":"assistant","content":")",
                      text, "\",\"delta\":true}\n");
}

std::string Use(absl::string_view id, absl::string_view name,
                absl::string_view parameters) {
  return absl::StrCat(R"({"type":"tool_use","tool_name":")", name,
                      R"(","tool_id":")", id, R"(","parameters":)", parameters,
                      "}\n");
}

std::string ResultOf(absl::string_view id, absl::string_view rest) {
  return absl::StrCat(R"({"type":"tool_result","tool_id":")", id, "\",", rest,
                      "}\n");
}

struct Parsed {
  std::vector<Message> messages;
  std::vector<std::string> drift;
  Continuation continuation;
};

Parsed Parse(absl::string_view stream, const Continuation& continuation = {}) {
  Drift drift;
  GeminiProtocol protocol({.continuation = continuation, .drift = &drift});
  Parsed run;
  run.messages = RunStream(protocol, stream);
  run.continuation = protocol.continuation();
  for (const Drift::Entry& e : drift.Entries()) run.drift.push_back(e.what);
  EXPECT_EQ(BrokenRules(run.messages), "");
  return run;
}

std::vector<std::string> TextsWithBlocks(const std::vector<Message>& messages) {
  std::vector<std::string> texts;
  for (const Message& m : messages) {
    if (const auto* text = std::get_if<Text>(&m.payload)) {
      texts.push_back(absl::StrCat(m.block_id, "=", text->text));
    } else if (const auto* delta = std::get_if<TextDelta>(&m.payload)) {
      texts.push_back(absl::StrCat(m.block_id, "+", delta->text));
    }
  }
  return texts;
}

TEST(GeminiParseTest, InitOpensATurnAndNamesTheSession) {
  const Parsed run = Parse(kInit);
  const auto inits = Payloads<Init>(run.messages);
  ASSERT_THAT(inits, SizeIs(1));
  EXPECT_EQ(inits[0].session_id, "s1");
  EXPECT_EQ(inits[0].model, "m");
  EXPECT_EQ(run.continuation.session_id, "s1");
  const auto results = Payloads<Result>(run.messages);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_TRUE(results[0].is_error);
}

TEST(GeminiParseTest, UserInputOpensATurnOnlyWhereNoneIs) {
  EXPECT_THAT(
      Payloads<Result>(Parse(absl::StrCat(kInit, kUser, kSuccess)).messages),
      SizeIs(1));
  const Parsed run = Parse(kUser);
  EXPECT_EQ(Payloads<UserInput>(run.messages).at(0).text, "do it");
  EXPECT_THAT(Payloads<Result>(run.messages), SizeIs(1));
}

TEST(GeminiParseTest, NewlinesBehindAPromptAreTheClisOwn) {
  const Parsed run =
      Parse(R"({"type":"message","role":"user","content":"do\n\nit\n\n"})"
            "\n");
  EXPECT_EQ(Payloads<UserInput>(run.messages).at(0).text, "do\n\nit");
}

TEST(GeminiParseTest, FragmentsUpToTheNextEventAreOneText) {
  const Parsed run = Parse(
      absl::StrCat(kInit, Fragment("a"), Fragment("b"), Use("1", "glob", "{}"),
                   Fragment("c"), Fragment("d"),
                   R"({"type":"message","role":"assistant","content":"whole"})",
                   "\n", Fragment("e")));
  EXPECT_THAT(
      TextsWithBlocks(run.messages),
      ElementsAre("text-2+a", "text-2+b", "text-2=ab", "text-5+c", "text-5+d",
                  "text-5=cd", "=whole", "text-8+e", "text-8=e"));
}

TEST(GeminiParseTest, LinesThatAreNoEventsDoNotCutAText) {
  const Parsed run =
      Parse(absl::StrCat(kInit, Fragment("a"), "not json\n\n", Fragment("b")));
  EXPECT_THAT(TextsWithBlocks(run.messages),
              ElementsAre("text-2+a", "text-2+b", "text-2=ab"));
  EXPECT_THAT(Payloads<ParseError>(run.messages), SizeIs(1));
}

TEST(GeminiParseTest, JoinedTextIsBounded) {
  const std::string part(size_t{5} << 20, 'x');
  std::string stream(kInit);
  for (int i = 0; i < 5; ++i) stream += Fragment(part);
  const auto texts = Payloads<Text>(Parse(stream).messages);
  ASSERT_THAT(texts, SizeIs(2));
  EXPECT_EQ(texts[0].text.size(), 3 * part.size());
  EXPECT_EQ(texts[1].text.size(), 2 * part.size());
}

TEST(GeminiParseTest, ManyFragmentsTakeLinearTime) {
  constexpr int kCount = 100000;
  std::string stream(kInit);
  for (int i = 0; i < kCount; ++i) stream += Fragment("0123456789");
  const Parsed run = Parse(stream);
  EXPECT_THAT(Payloads<TextDelta>(run.messages), SizeIs(kCount));
  EXPECT_EQ(Payloads<Text>(run.messages).at(0).text.size(), 10 * kCount);
}

TEST(GeminiParseTest, MessagesThatAreUnlikeOthersStayRaw) {
  const Parsed run = Parse(
      R"({"type":"message","role":"model","content":"x"}
{"type":"message","role":"assistant","content":[{"text":"x"}],"delta":true}
{"type":"message","role":"user"}
)");
  EXPECT_THAT(Payloads<Raw>(run.messages), SizeIs(3));
  EXPECT_THAT(run.drift, ElementsAre("type  message.content = array",
                                     "type  message.content = nothing",
                                     "type  message.role = model"));
}

TEST(GeminiParseTest, ToolNamesAreNormalizedAndServersSplit) {
  const Parsed run = Parse(absl::StrCat(
      Use("1", "run_shell_command", R"({ "command" : "ls" })"),
      Use("2", "mcp_files_read_it", "{}"),
      R"({"type":"tool_use","tool_name":"own_tool","tool_id":"3"})"));
  const auto uses = Payloads<ToolUse>(run.messages);
  ASSERT_THAT(uses, SizeIs(3));
  EXPECT_EQ(uses[0].id, "1");
  EXPECT_EQ(uses[0].name, "Bash");
  EXPECT_EQ(uses[0].native_name, "run_shell_command");
  EXPECT_EQ(uses[0].input_json, R"({ "command" : "ls" })");
  EXPECT_EQ(uses[1].name, "read_it");
  EXPECT_EQ(uses[1].server, "files");
  EXPECT_EQ(uses[2].name, "own_tool");
  EXPECT_EQ(uses[2].input_json, "{}");
}

TEST(GeminiParseTest, ToolResultsByStatus) {
  struct Case {
    absl::string_view rest;
    absl::string_view output;
    bool is_error;
  };
  for (const Case& c : std::vector<Case>{
           {R"("status":"success","output":"o")", "o", false},
           {R"("status":"success")", "", false},
           {R"("status":"success","error":{"message":"m"})", "", false},
           {R"("status":"error","output":"o","error":{"message":"m"})", "o\nm",
            true},
           {R"("status":"error","output":"m.","error":{"message":"m"})", "m.",
            true},
           {R"("status":"error","output":"m","error":{"message":"m: x"})",
            "m: x", true},
           {R"("status":"error","output":"","error":{"message":"m"})", "m",
            true},
           {R"("status":"error","error":{"message":"m"})", "m", true},
           {R"("status":"error","error":"m")", "m", true},
           {R"("status":"cancelled")", "", true},
           {R"("output":"o")", "o", true},
           {R"("status":"success","output":{"a":[1]})", R"({"a":[1]})", false},
       }) {
    SCOPED_TRACE(c.rest);
    const Parsed run =
        Parse(absl::StrCat(Use("1", "glob", "{}"), ResultOf("1", c.rest)));
    const auto results = Payloads<ToolResult>(run.messages);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].output, c.output);
    EXPECT_EQ(results[0].is_error, c.is_error);
    EXPECT_FALSE(results[0].synthetic);
  }
}

TEST(GeminiParseTest, ToolResultWithoutARunningToolIsRaw) {
  const Parsed run = Parse(absl::StrCat(
      Use("1", "glob", "{}"), ResultOf("1", R"("status":"success")"),
      ResultOf("1", R"("status":"success")"),
      ResultOf("2", R"("status":"success")")));
  EXPECT_THAT(Payloads<ToolResult>(run.messages), SizeIs(1));
  const auto raws = Payloads<Raw>(run.messages);
  ASSERT_THAT(raws, SizeIs(2));
  EXPECT_EQ(raws[0].type, "tool_result");
  EXPECT_EQ(raws[0].reason, "no tool of this id is running");
}

TEST(GeminiParseTest, TodosComeBesideTheirTool) {
  const Parsed run = Parse(
      absl::StrCat(Use("1", "write_todos",
                       R"({"todos":[{"description":"a","status":"pending"},)"
                       R"({"description":"b","status":"in_progress"},)"
                       R"({"description":"c","status":"completed"},)"
                       R"({"description":"d","status":"cancelled"},)"
                       R"({"description":"e","status":"blocked"},7]})"),
                   Use("2", "write_todos", R"({"todos":{}})")));
  EXPECT_THAT(Payloads<ToolUse>(run.messages), SizeIs(2));
  const auto todos = Payloads<Todo>(run.messages);
  ASSERT_THAT(todos, SizeIs(1));
  std::vector<std::pair<std::string, Todo::Status>> items;
  for (const auto& i : todos[0].items) items.emplace_back(i.text, i.status);
  EXPECT_THAT(items, ElementsAre(std::pair("a", Todo::Status::kPending),
                                 std::pair("b", Todo::Status::kInProgress),
                                 std::pair("c", Todo::Status::kCompleted),
                                 std::pair("d", Todo::Status::kCancelled),
                                 std::pair("e", Todo::Status::kPending),
                                 std::pair("", Todo::Status::kPending)));
}

TEST(GeminiParseTest, SubagentsStartAndEndWithinTheirTool) {
  const std::string use =
      Use("1", "invoke_agent", R"({"agent_name":"scout","prompt":"look"})");
  // Ended by its result, by another tool with its id, and by the stream's end.
  const Parsed run = Parse(absl::StrCat(
      kInit, use, ResultOf("1", R"("status":"success")"), use, use));
  std::vector<std::string> seen;
  for (const Message& m : run.messages) {
    if (const auto* agent = std::get_if<Subagent>(&m.payload)) {
      const bool start = agent->phase == Subagent::Phase::kStarted;
      EXPECT_EQ(agent->kind, "scout");
      EXPECT_EQ(agent->description, start ? "look" : "");
      seen.push_back(absl::StrCat(start ? "start " : "end ", agent->tool_use_id,
                                  agent->status));
    } else if (const auto* tool = std::get_if<ToolUse>(&m.payload)) {
      seen.push_back(absl::StrCat("use ", tool->id));
    } else if (const auto* result = std::get_if<ToolResult>(&m.payload)) {
      seen.push_back(absl::StrCat("result ", result->tool_use_id));
    }
  }
  EXPECT_THAT(seen, ElementsAre("use 1", "start 1", "end 1success", "result 1",
                                "use 1~4.0", "start 1~4.0", "end 1~4.0",
                                "result 1~4.0", "use 1~5.2", "start 1~5.2",
                                "end 1~5.2", "result 1~5.2"));
}

TEST(GeminiParseTest, ErrorsAreNoticesAndTheTurnGoesOn) {
  const Parsed run = Parse(absl::StrCat(
      kInit, R"({"type":"error","severity":"warning","message":"w"})", "\n",
      R"({"type":"error","severity":"error","message":"e"})", "\n",
      R"({"type":"error","severity":"fatal","message":"f"})", "\n", kSuccess));
  const auto notices = Payloads<Notice>(run.messages);
  ASSERT_THAT(notices, SizeIs(3));
  EXPECT_EQ(notices[0].kind, Notice::Kind::kInfo);
  EXPECT_EQ(notices[1].kind, Notice::Kind::kError);
  EXPECT_EQ(notices[1].text, "e");
  EXPECT_EQ(notices[2].kind, Notice::Kind::kError);
  const auto results = Payloads<Result>(run.messages);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_FALSE(results[0].is_error);
  EXPECT_EQ(results[0].error, "");
  EXPECT_THAT(run.drift, ElementsAre("type  error.severity = fatal"));
}

TEST(GeminiParseTest, FailedResultSaysWhy) {
  struct Case {
    absl::string_view line;
    absl::string_view error;
    absl::string_view reason;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"type":"result","status":"error",)"
            R"("error":{"type":"Fatal","message":"m"}})",
            "m", "Fatal"},
           {R"({"type":"result","status":"error"})", "error", "error"},
           {R"({"type":"result","status":"odd"})", "odd", "odd"},
           {R"({"type":"result"})", "the result has no status", ""},
       }) {
    SCOPED_TRACE(c.line);
    const auto results = Payloads<Result>(Parse(c.line).messages);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_TRUE(results[0].is_error);
    EXPECT_EQ(results[0].error, c.error);
    EXPECT_EQ(results[0].reason, c.reason);
    EXPECT_FALSE(results[0].synthetic);
  }
}

TEST(GeminiParseTest, FailedResultTakesTheLastErrorOfItsTurn) {
  const std::string failed = R"({"type":"result","status":"error"})"
                             "\n";
  const auto results = Payloads<Result>(
      Parse(absl::StrCat(kInit,
                         R"({"type":"error","severity":"error","message":"e"})",
                         "\n", failed, kInit, failed))
          .messages);
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].error, "e");
  EXPECT_EQ(results[1].error, "error");
}

TEST(GeminiParseTest, InputTokensIncludeTheCachedOnes) {
  struct Case {
    absl::string_view stats;
    TokenCounts counts;
  };
  for (const Case& c : std::vector<Case>{
           {R"({"input_tokens":101,"output_tokens":11,"cached":5,"input":96})",
            {.input = 96, .cached = 5, .output = 11}},
           {R"({"input_tokens":101,"output_tokens":11,"cached":5})",
            {.input = 96, .cached = 5, .output = 11}},
           {R"({"total_tokens":112,"input_tokens":101,"output_tokens":11})",
            {.input = 101, .output = 11}},
           {R"({"input_tokens":5,"cached":9,"output_tokens":-1})",
            {.cached = 9}},
           {"{}", {}},
       }) {
    SCOPED_TRACE(c.stats);
    const Parsed run = Parse(absl::StrCat(
        R"({"type":"result","status":"success","stats":)", c.stats, "}"));
    const auto usages = Payloads<Usage>(run.messages);
    ASSERT_THAT(usages, SizeIs(1));
    EXPECT_EQ(usages[0].turn, c.counts);
    const auto results = Payloads<Result>(run.messages);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].usage.total, c.counts);
  }
}

TEST(GeminiParseTest, TotalsGoOnFromTheProcessBefore) {
  const std::string result =
      R"({"type":"result","status":"success","stats":)"
      R"({"input_tokens":10,"output_tokens":1,"duration_ms":1500}})";
  const Parsed first = Parse(absl::StrCat(kInit, result));
  const Parsed second = Parse(
      absl::StrCat(kInit, Use("1", "glob", "{}"), result), first.continuation);
  EXPECT_EQ(second.continuation.total, (TokenCounts{.input = 20, .output = 2}));
  EXPECT_EQ(Payloads<ToolUse>(second.messages).at(0).id, "g2.1");
  EXPECT_EQ(Payloads<Result>(second.messages).at(0).duration,
            absl::Milliseconds(1500));
}

TEST(GeminiParseTest, NoStatsMeansUnknownUsage) {
  const Parsed run = Parse(absl::StrCat(kInit, kSuccess));
  EXPECT_THAT(Payloads<Usage>(run.messages), IsEmpty());
  EXPECT_EQ(Payloads<Result>(run.messages).at(0).usage.turn, std::nullopt);
}

TEST(GeminiParseTest, SecondInitIsAnotherProcess) {
  const std::string one =
      absl::StrCat(kInit, kUser, Use("1", "glob", "{}"), Fragment("cut"));
  const Parsed run = Parse(absl::StrCat(one, one, kSuccess, one));
  const auto results = Payloads<Result>(run.messages);
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_TRUE(results[0].synthetic);
  EXPECT_EQ(results[0].error, "the stream ended without a result");
  EXPECT_FALSE(results[1].synthetic);
  EXPECT_TRUE(results[2].synthetic);
  std::vector<std::string> ids;
  for (const ToolUse& use : Payloads<ToolUse>(run.messages)) {
    ids.push_back(use.id);
  }
  EXPECT_THAT(ids, ElementsAre("1", "g2.1", "g3.1"));
  EXPECT_EQ(run.continuation.generation, 4);
}

TEST(GeminiParseTest, UnknownTypesAreRaw) {
  const Parsed run = Parse(
      "{\"type\":\"thought\",\"a\":1}\n{\"type\":7}\n{\"a\":{\"type\":\"init\"}"
      "}");
  const auto raws = Payloads<Raw>(run.messages);
  ASSERT_THAT(raws, SizeIs(3));
  EXPECT_EQ(raws[0].type, "thought");
  EXPECT_EQ(raws[0].line, R"({"type":"thought","a":1})");
  EXPECT_EQ(raws[1].reason, "no type");
  EXPECT_THAT(run.drift,
              ElementsAre("type  line.type = ", "type  line.type = thought"));
}

}  // namespace
}  // namespace troika::gemini
