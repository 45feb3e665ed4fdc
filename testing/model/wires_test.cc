#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/model/answer.h"
#include "testing/model/native.h"
#include "testing/model/request.h"
#include "testing/model/script.h"
#include "testing/model/wire.h"

namespace troika::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Answer OneAnswer(absl::string_view lines) {
  absl::StatusOr<Script> script =
      ParseScript(absl::StrCat("answer\n", lines), {});
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? script->answers[0] : Answer();
}

Request Of(Wire wire, std::vector<Tool> tools = {}) {
  Request request;
  request.wire = wire;
  request.purpose = Purpose::kMain;
  request.model = "m";
  request.tools = std::move(tools);
  return request;
}

Tool Named(std::string name, std::string type = "function",
           std::vector<std::string> parameters = {}, std::string space = "") {
  return {std::move(name), std::move(space), std::move(type),
          std::move(parameters)};
}

// Returns all data of a stream, one event per line.
std::string Stream(const Request& request, absl::string_view lines) {
  const absl::StatusOr<Output> output =
      MakeOutput(OneAnswer(lines), request, 1, "/w");
  if (!output.ok()) return std::string(output.status().message());
  std::string bytes;
  for (const Step& step : output->steps) bytes += step.bytes;
  std::string data;
  for (const absl::string_view line : absl::StrSplit(bytes, '\n')) {
    if (absl::StartsWith(line, "data: ")) {
      absl::StrAppend(&data, absl::StripSuffix(line.substr(6), "\r"), "\n");
    }
  }
  return data;
}

// Returns "name input" for each call.
std::vector<std::string> Calls(const Request& request, absl::string_view line) {
  const Answer answer = OneAnswer(line);
  const auto calls = NativeCalls(answer.instructions[0], request, "/w");
  if (!calls.ok()) return {std::string(calls.status().message())};
  std::vector<std::string> texts;
  for (const NativeCall& call : *calls) {
    texts.push_back(absl::StrCat(call.space, call.space.empty() ? "" : "/",
                                 call.name, " ", call.input));
  }
  return texts;
}

TEST(ModelEventsTest, Messages) {
  EXPECT_EQ(
      Stream(Of(Wire::kMessages),
             "chunks 2\nthink Hm.\nsay Hi \xc3\xa4!\nrun ls\nusage 7 5 3"),
      R"({"type":"message_start","message":{"id":"msg_001","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":1}}}
{"type":"ping"}
{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}
{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"."}}
{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2NyaXB0ZWQ="}}
{"type":"content_block_stop","index":0}
{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi "}}
{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"ä!"}}
{"type":"content_block_stop","index":1}
{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_001_0","name":"Bash","input":{}}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\",\"descri"}}
{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"ption\":\"Run a command\"}"}}
{"type":"content_block_stop","index":2}
{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":7,"cache_creation_input_tokens":0,"cache_read_input_tokens":5,"output_tokens":3}}
{"type":"message_stop"}
)");
}

TEST(ModelEventsTest, MessagesWithoutAStream) {
  Request request = Of(Wire::kMessages);
  request.transfer = Transfer::kWhole;
  const auto whole =
      MakeOutput(OneAnswer("say Hi.\nusage 1 2 3"), request, 1, "/w");
  ASSERT_TRUE(whole.ok());
  EXPECT_FALSE(whole->streams);
  EXPECT_EQ(
      whole->head.body,
      R"({"id":"msg_001","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"Hi."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":0,"cache_read_input_tokens":2,"output_tokens":3}})");
  const auto failed =
      MakeOutput(OneAnswer("fail overloaded_error Busy"), request, 1, "/w");
  ASSERT_TRUE(failed.ok());
  EXPECT_EQ(failed->head.status, 529);
  EXPECT_THAT(failed->head.body, HasSubstr("overloaded_error"));
}

TEST(ModelEventsTest, Responses) {
  const Request request = Of(Wire::kResponses);
  EXPECT_EQ(
      Stream(request, "chunks 1\nsay Hi.\nrun ls\nusage 7 5 3"),
      R"({"type":"response.created","sequence_number":0,"response":{"id":"resp_001","object":"response","status":"in_progress"}}
{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"message","id":"msg_001_0","role":"assistant","status":"in_progress","content":[]}}
{"type":"response.output_text.delta","sequence_number":2,"item_id":"msg_001_0","output_index":0,"content_index":0,"delta":"Hi."}
{"type":"response.output_item.done","sequence_number":3,"output_index":0,"item":{"type":"message","id":"msg_001_0","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi.","annotations":[]}]}}
{"type":"response.output_item.added","sequence_number":4,"output_index":1,"item":{"type":"function_call","id":"fc_001_1","call_id":"call_001_0","name":"exec_command","arguments":"","status":"in_progress"}}
{"type":"response.function_call_arguments.delta","sequence_number":5,"item_id":"fc_001_1","output_index":1,"delta":"{\"cmd\":\"ls\"}"}
{"type":"response.function_call_arguments.done","sequence_number":6,"item_id":"fc_001_1","output_index":1,"arguments":"{\"cmd\":\"ls\"}"}
{"type":"response.output_item.done","sequence_number":7,"output_index":1,"item":{"type":"function_call","id":"fc_001_1","call_id":"call_001_0","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","status":"completed"}}
{"type":"response.completed","sequence_number":8,"response":{"id":"resp_001","object":"response","status":"completed","output":[{"type":"message","id":"msg_001_0","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hi.","annotations":[]}]},{"type":"function_call","id":"fc_001_1","call_id":"call_001_0","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","status":"completed"}],"usage":{"input_tokens":12,"input_tokens_details":{"cached_tokens":5},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":15}}}
)");
  EXPECT_THAT(Stream(request, "think Hm."),
              HasSubstr(R"("summary":[{"type":"summary_text","text":"Hm."}])"));
  EXPECT_THAT(Stream(request, "search q"),
              HasSubstr(R"("action":{"type":"search","query":"q")"));
  EXPECT_THAT(Stream(request, "fail busy Try later"),
              HasSubstr(R"({"type":"response.failed","sequence_number":1,)"
                        R"("response":{"id":"resp_001","object":"response",)"
                        R"("status":"failed","error":{"code":"busy",)"
                        R"("message":"Try later"}}})"));
  EXPECT_THAT(Stream(request, "stop max_tokens"),
              HasSubstr(R"("incomplete_details":{"reason":"max_output)"));
  EXPECT_THAT(
      Stream(Of(Wire::kResponses, {Named("local_shell", "local_shell")}),
             "run ls"),
      HasSubstr(R"("action":{"type":"exec","command":["bash","-lc","ls"])"));
}

TEST(ModelEventsTest, Gemini) {
  const Request request = Of(Wire::kGemini);
  EXPECT_EQ(
      Stream(request, "chunks 1\nthink Hm.\nsay Hi.\nrun ls\nusage 7 5 3"),
      R"({"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"resp_001"}
{"candidates":[{"content":{"parts":[{"text":"Hi."}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"resp_001"}
{"candidates":[{"content":{"parts":[{"functionCall":{"id":"call_001_0","name":"run_shell_command","args":{"command":"ls","description":"Run a command"}},"thoughtSignature":"c2NyaXB0ZWQ="}],"role":"model"},"index":0}],"modelVersion":"m","responseId":"resp_001"}
{"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"STOP","index":0}],"modelVersion":"m","responseId":"resp_001","usageMetadata":{"promptTokenCount":12,"cachedContentTokenCount":5,"candidatesTokenCount":3,"totalTokenCount":15}}
)");
  EXPECT_EQ(Stream(request, "fail 503 Busy"),
            "{\"error\":{\"code\":503,\"message\":\"Busy\",\"status\":"
            "\"UNAVAILABLE\"}}\n");
  EXPECT_THAT(Stream(request, "say a\nstop refusal"),
              HasSubstr("\"finishReason\":\"SAFETY\""));
  EXPECT_THAT(Stream(request, "print {\"x\":\"${cwd}\"}"),
              HasSubstr("{\"x\":\"/w\"}\n"));
}

TEST(ModelEventsTest, PaceDelayAndGarbage) {
  const auto output = MakeOutput(
      OneAnswer("chunks 1\nsay a\ndelay 30\npace 5\nsay b\ngarbage 9\ndrop"),
      Of(Wire::kGemini), 1, "");
  ASSERT_TRUE(output.ok());
  ASSERT_GE(output->steps.size(), 3);
  EXPECT_EQ(output->steps[0].wait, absl::ZeroDuration());
  EXPECT_EQ(output->steps[1].wait, absl::Milliseconds(35));
  EXPECT_EQ(output->steps[2].wait, absl::Milliseconds(5));
  EXPECT_EQ(output->steps[2].bytes, Garbage(9));
  EXPECT_EQ(output->end, Output::End::kCut);
}

TEST(ModelEventsTest, CutsAtCharacters) {
  EXPECT_THAT(Cut("abcdefg", 3), ElementsAre("abc", "def", "g"));
  EXPECT_THAT(Cut("\xc3\xa4\xc3\xa4", 4), ElementsAre("\xc3\xa4", "\xc3\xa4"));
  EXPECT_THAT(Cut("ab", 100), ElementsAre("a", "b"));
  EXPECT_THAT(Cut("", 3), ElementsAre(""));
}

TEST(ModelNativeTest, CodexByWhatIsOffered) {
  const Request none = Of(Wire::kResponses);
  const Request newest = Of(Wire::kResponses, {Named("exec_command"),
                                               Named("apply_patch", "custom")});
  const Request middle =
      Of(Wire::kResponses, {Named("shell_command"), Named("apply_patch")});
  const Request oldest = Of(Wire::kResponses, {Named("shell")});
  const Request code = Of(Wire::kResponses, {Named("exec", "custom")});
  EXPECT_THAT(Calls(none, "run ls"),
              ElementsAre(R"(exec_command {"cmd":"ls"})"));
  EXPECT_THAT(Calls(middle, "run ls"),
              ElementsAre(R"(shell_command {"command":"ls"})"));
  EXPECT_THAT(Calls(oldest, "run ls"),
              ElementsAre(R"(shell {"command":["bash","-lc","ls"]})"));
  EXPECT_THAT(
      Calls(code, "run ls"),
      ElementsAre(R"(exec text(await tools.exec_command({"cmd":"ls"}));)"));
  EXPECT_THAT(
      Calls(newest, "run-background x 'y'"),
      ElementsAre(R"(exec_command {"cmd":"x 'y'","yield_time_ms":250})"));
  EXPECT_THAT(
      Calls(middle, "run-background x 'y'"),
      ElementsAre(R"(shell_command {"command":"nohup bash -c 'x '\\''y'\\''')"
                  R"( >/dev/null 2>&1 &"})"));
  const std::string patch =
      "*** Begin Patch\n*** Add File: a\n+1\n+2\n*** End Patch\n";
  const std::string json = absl::StrReplaceAll(patch, {{"\n", "\\n"}});
  EXPECT_THAT(Calls(newest, "write a 1\\n2\\n"),
              ElementsAre("apply_patch " + patch));
  EXPECT_THAT(Calls(none, "write a 1\\n2"),
              ElementsAre("apply_patch " + patch));
  EXPECT_THAT(Calls(middle, "write a 1\\n2"),
              ElementsAre("apply_patch {\"input\":\"" + json + "\"}"));
  EXPECT_THAT(Calls(oldest, "write a 1\\n2"),
              ElementsAre("shell {\"command\":[\"bash\",\"-lc\",\"apply_patch "
                          "<<'EOF'\\n" +
                          json + "EOF\\n\"]}"));
  EXPECT_THAT(Calls(newest, "edit a x\\ny => z"),
              ElementsAre("apply_patch *** Begin Patch\n*** Update File: a\n"
                          "@@\n-x\n-y\n+z\n*** End Patch\n"));
  EXPECT_THAT(Calls(newest, "delete a"),
              ElementsAre(HasSubstr("*** Delete File: a\n*** End")));
  EXPECT_THAT(Calls(newest, "read a"),
              ElementsAre(R"(exec_command {"cmd":"cat 'a'"})"));
  EXPECT_THAT(
      Calls(newest, "plan [x] A | [>] B"),
      ElementsAre(R"(update_plan {"plan":[{"step":"A","status":)"
                  R"("completed"},{"step":"B","status":"in_progress"}]})"));
  EXPECT_THAT(
      Calls(newest, "ask Which? | A | B"),
      ElementsAre(HasSubstr(R"("id":"question","options":[{"label":"A")")));
}

TEST(ModelNativeTest, ClaudeByWhatIsOffered) {
  const Request none = Of(Wire::kMessages);
  const Request old =
      Of(Wire::kMessages,
         {Named("Bash", "", {"command"}),
          Named("TodoWrite", "", {"todos", "todos.priority", "todos.id"})});
  EXPECT_THAT(Calls(old, "run ls"), ElementsAre(R"(Bash {"command":"ls"})"));
  EXPECT_THAT(Calls(old, "run-background ls"),
              ElementsAre(HasSubstr("nohup bash -c 'ls'")));
  EXPECT_THAT(Calls(none, "run-background ls"),
              ElementsAre(HasSubstr("\"run_in_background\":true")));
  EXPECT_THAT(Calls(none, "write a b"),
              ElementsAre(R"(Write {"file_path":"/w/a","content":"b"})"));
  EXPECT_THAT(Calls(none, "edit /a b => c"),
              ElementsAre(R"(Edit {"file_path":"/a","old_string":"b",)"
                          R"("new_string":"c"})"));
  EXPECT_THAT(Calls(none, "read a"),
              ElementsAre(R"(Read {"file_path":"/w/a"})"));
  EXPECT_THAT(Calls(none, "delete a"), ElementsAre(HasSubstr("rm 'a'")));
  EXPECT_THAT(Calls(none, "search q"),
              ElementsAre(R"(WebSearch {"query":"q"})"));
  EXPECT_THAT(Calls(none, "patch x"),
              ElementsAre("patch: this wire has no such tool, use write, "
                          "edit, delete"));
  EXPECT_THAT(Calls(old, "plan [ ] A"),
              ElementsAre(R"(TodoWrite {"todos":[{"content":"A","status":)"
                          R"("pending","priority":"medium","id":"1"}]})"));
}

TEST(ModelNativeTest, ClaudesTasksAreMadeOnce) {
  Request request = Of(Wire::kMessages, {Named("TaskCreate", "")});
  EXPECT_THAT(
      Calls(request, "plan [>] A | [ ] B"),
      ElementsAre(R"(TaskCreate {"subject":"A","description":"A"})",
                  R"(TaskCreate {"subject":"B","description":"B"})",
                  R"(TaskUpdate {"taskId":"1","status":"in_progress"})"));
  const auto add = [&](Part::Type type, std::string name, std::string text,
                       std::string id) {
    Part part;
    part.type = type;
    part.name = std::move(name);
    part.text = std::move(text);
    part.id = std::move(id);
    request.parts.push_back(std::move(part));
  };
  add(Part::Type::kCall, "TaskCreate", R"({"subject":"A"})", "t_001_0");
  add(Part::Type::kCall, "TaskUpdate",
      R"({"taskId":"4","status":"in_progress"})", "t_001_1");
  add(Part::Type::kResult, "", "Task #4 created successfully: A", "t_001_0");
  EXPECT_THAT(Calls(request, "plan [>] A"), ElementsAre());
  EXPECT_THAT(Calls(request, "plan [x] A"),
              ElementsAre(R"(TaskUpdate {"taskId":"4","status":"completed"})"));
}

TEST(ModelNativeTest, GeminiByWhatIsOffered) {
  const Request none = Of(Wire::kGemini);
  const Request old =
      Of(Wire::kGemini, {Named("run_shell_command", "", {"command"})});
  EXPECT_THAT(Calls(old, "run-background ls"),
              ElementsAre(HasSubstr("nohup bash -c 'ls'")));
  EXPECT_THAT(Calls(none, "run-background ls"),
              ElementsAre(HasSubstr("\"is_background\":true")));
  EXPECT_THAT(Calls(none, "edit a b => c"),
              ElementsAre(HasSubstr(R"(replace {"file_path":"/w/a")")));
  EXPECT_THAT(Calls(none, "plan [x] A"),
              ElementsAre(R"(write_todos {"todos":[{"description":"A",)"
                          R"("status":"completed"}]})"));
  EXPECT_THAT(Calls(none, "ask Q | A"),
              ElementsAre(HasSubstr(R"("type":"choice")")));
}

TEST(ModelNativeTest, McpToolsByTheirOfferedName) {
  const absl::string_view line = "mcp my-s echo {\"a\":1}";
  const auto offered = [&](Wire wire, Tool tool) {
    return Calls(Of(wire, {std::move(tool)}), line)[0];
  };
  EXPECT_EQ(
      offered(Wire::kResponses, Named("echo", "function", {}, "mcp__my_s")),
      R"(mcp__my_s/echo {"a":1})");
  EXPECT_EQ(offered(Wire::kResponses, Named("my-s__echo")),
            R"(my-s__echo {"a":1})");
  EXPECT_EQ(offered(Wire::kMessages, Named("mcp__my-s__echo", "")),
            R"(mcp__my-s__echo {"a":1})");
  EXPECT_EQ(offered(Wire::kGemini, Named("mcp_my-s_echo", "")),
            R"(mcp_my-s_echo {"a":1})");
  EXPECT_EQ(offered(Wire::kGemini, Named("echo", "")), R"(echo {"a":1})");
  EXPECT_EQ(offered(Wire::kGemini, Named("other", "")),
            R"(mcp_my-s_echo {"a":1})");
  EXPECT_EQ(offered(Wire::kResponses, Named("exec", "custom")),
            "exec text(await tools.mcp__my_s__echo({\"a\":1}));");
}

TEST(ModelRequestTest, ToolsOfCodexMayBeInItsInput) {
  http::Request http;
  http.method = "POST";
  http.path = "/v1/responses";
  http.body =
      R"({"input":[{"type":"additional_tools","tools":[{"type":"namespace",)"
      R"("name":"functions","tools":[{"type":"custom","name":"exec"}]},)"
      R"({"type":"namespace","name":"clock","tools":[{"type":"function",)"
      R"("name":"sleep"}]}]}]})";
  const auto request = ReadRequest(http);
  ASSERT_TRUE(request.ok());
  ASSERT_EQ(request->tools.size(), 2);
  EXPECT_EQ(request->tools[0].space, "");
  EXPECT_EQ(request->tools[1].space, "clock");
  EXPECT_THAT(Calls(*request, "read a"),
              ElementsAre(R"(exec text(await tools.exec_command()"
                          R"({"cmd":"cat 'a'"}));)"));
}

TEST(ModelRequestTest, FoldersAreFoundOnAllWires) {
  const std::vector<std::pair<Wire, std::string>> kCases = {
      {Wire::kResponses, "<environment_context>\n  <cwd>/a b</cwd>\n"},
      {Wire::kMessages, "x\n<env>\nWorking directory: /a b\nIs"},
      {Wire::kMessages, "\n - Primary working directory: /a b\n - Is"},
      {Wire::kGemini, "I'm currently working in the directory: /a b\nHere"},
      {Wire::kGemini, "- **Workspace Directories:**\n  - /a b\n- **Dir"},
  };
  for (const auto& [wire, text] : kCases) {
    Request request = Of(wire);
    EXPECT_EQ(WorkingFolder(request), "");
    request.parts.push_back({.text = text});
    EXPECT_EQ(WorkingFolder(request), "/a b") << text;
    request.parts.clear();
    request.system = {text};
    EXPECT_EQ(WorkingFolder(request), "/a b") << text;
  }
  EXPECT_THAT(Stream(Of(Wire::kGemini), "chunks 1\nsay in ${cwd}"),
              HasSubstr("in /w"));
  const auto unknown =
      MakeOutput(OneAnswer("say ${cwd}"), Of(Wire::kGemini), 1, "");
  EXPECT_THAT(unknown.status().message(),
              HasSubstr("2: ${cwd}: the request does not tell the folder"));
}

}  // namespace
}  // namespace troika::model
