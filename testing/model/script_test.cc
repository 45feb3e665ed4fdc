#include "testing/model/script.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/model/player.h"
#include "testing/model/script_text.h"
#include "testing/model/side.h"

namespace troika::model {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Error(absl::string_view text) {
  return std::string(
      ParseScript(text, {{"name", "a\"b.c"}}).status().message());
}

Script Parsed(absl::string_view text, const Values& values = {}) {
  absl::StatusOr<Script> script = ParseScript(text, values);
  EXPECT_TRUE(script.ok()) << script.status();
  return script.ok() ? *std::move(script) : Script();
}

TEST(ModelScriptTest, ReadsSections) {
  const Script script = Parsed(
      "# A comment.\n"
      "answer\n"
      "  say Hi.\\tYou\n"
      "answer 3 times when deep \\\\ down\n"
      "answer maybe\n"
      "answer always when x\n");
  ASSERT_EQ(script.answers.size(), 4);
  EXPECT_EQ(script.answers[0].least, 1);
  EXPECT_EQ(script.answers[0].instructions[0].text, "Hi.\tYou");
  EXPECT_EQ(script.answers[0].instructions[0].line, 3);
  EXPECT_EQ(script.answers[1].least, 3);
  EXPECT_EQ(script.answers[1].when, "deep \\ down");
  EXPECT_EQ(script.answers[2].least, 0);
  EXPECT_EQ(script.answers[2].most, 1);
  EXPECT_EQ(script.answers[3].most, std::nullopt);
  EXPECT_EQ(script.answers[3].when, "x");
}

TEST(ModelScriptTest, ErrorsNameTheLineAndWhatIsExpected) {
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"say Hi", "1: an answer begins with a line `answer`"},
      {"# nothing", "1: there is no answer"},
      {"answer\nsya Hi", "2: `sya` is no instruction"},
      {"answer twice", "1: it is `answer`, `answer N times`"},
      {"answer\n\nusage 1 2", "3: `usage` takes INPUT CACHED OUTPUT"},
      {"answer\nchunks 0", "2: `chunks` takes a number: not 0"},
      {"answer\nedit a.txt old new", "2: `edit` takes FILE OLD => NEW"},
      {"answer\nplan A | B", "an entry begins with [ ], [>] or [x]"},
      {"answer\nask Which?", "at least one option"},
      {"answer\ncall Bash [1]", "[1] is no JSON object"},
      {"answer\nmcp s t {", "2: `mcp` takes SERVER TOOL"},
      {"answer\nstatus 200", "2: `status` takes a status from 300 to 599"},
      {"answer\nheader Retry-After 1", "there is no colon"},
      {"answer\nstop now", "end_turn, max_tokens or refusal"},
      {"answer\nstall 3", "`stall` takes nothing"},
      {"answer\nsay a\\b", "a backslash is written \\\\"},
      {"answer\nsay ${nope}", "${nope} has no value; give one by --set nope="},
      {"answer\nrun echo ${HOME:-x}", "in a shell, write $NAME"},
      {"answer\nexpect promt x", "`expect promt` is nothing"},
      {"answer\nexpect prompt /(/", "/(/ is no expression"},
      {"answer\nexpect results many", "`many` is no number"},
      {"answer\nsay a\nstatus 500", "3: a status is a whole answer"},
      {"answer\nlimit 3\nsay a", "3: a status is a whole answer"},
      {"answer\ndrop\nsay a", "3: the answer has ended in line 2"},
  };
  for (const auto& [text, error] : kCases) {
    EXPECT_THAT(Error(text), HasSubstr(error)) << text;
  }
}

TEST(ModelScriptTest, ValuesFitWhereTheyStand) {
  const Script script = Parsed(
      "answer\n"
      "  say ${name}\n"
      "  call T {\"x\":\"${name}\",\"y\":\"${cwd}\"}\n"
      "  expect prompt ${name}\n"
      "  expect body /^${name}$/\n",
      {{"name", "a\"b.c"}});
  const Answer& answer = script.answers[0];
  EXPECT_EQ(answer.instructions[0].text, "a\"b.c");
  EXPECT_EQ(answer.instructions[1].rest, R"({"x":"a\"b.c","y":"${cwd}"})");
  EXPECT_EQ(answer.expectations[0].text, "a\"b.c");
  EXPECT_TRUE(script::Matches(answer.expectations[1].text, "a\"b.c"));
  EXPECT_FALSE(script::Matches(answer.expectations[1].text, "a\"bxc"));
}

http::Request Post(std::string path, std::string body) {
  http::Request request;
  request.method = "POST";
  request.path = std::move(path);
  request.body = std::move(body);
  request.headers = {{"x-app", "cli"}, {"authorization", "Bearer secret"}};
  return request;
}

http::Request Claude(absl::string_view messages,
                     absl::string_view more = "\"x\":1") {
  return Post(
      "/v1/messages",
      absl::StrCat(R"({"model":"m-1","stream":true,"system":"Be good.",)",
                   R"("tools":[{"name":"Bash"}],"messages":)", messages, ",",
                   more, "}"));
}

constexpr char kPrompt[] =
    R"([{"role":"user","content":[{"type":"text","text":"<system-reminder>)"
    R"(long long long</system-reminder>"},{"type":"text","text":"do it\n"}]}])";

std::string FailureOf(absl::string_view script, const http::Request& request) {
  Player player({.script = Parsed(script), .name = "s"});
  return player.React(request).failure;
}

TEST(ModelPlayerTest, AnswersAreTakenInTurn) {
  Player player({.script = Parsed("answer when WORD\n say w\n"
                                  "answer 2 times\n say two\n"
                                  "answer maybe\n say maybe\n"),
                 .name = "s"});
  const http::Request plain = Claude(kPrompt);
  const http::Request word = Claude(kPrompt, R"("x":"WORD")");
  EXPECT_EQ(player.React(plain).answer, 2);
  EXPECT_THAT(player.Verdict(),
              ElementsAre("s:1: answer 1: nobody asked for it",
                          "s:3: answer 2: asked for 1 of 2 times"));
  EXPECT_EQ(player.React(word).answer, 1);
  EXPECT_EQ(player.React(word).answer, 2);
  EXPECT_THAT(player.Verdict(), IsEmpty());
  EXPECT_EQ(player.React(plain).answer, 3);
  const Player::Reaction last = player.React(plain);
  EXPECT_EQ(last.output.head.status, 400);
  EXPECT_THAT(last.failure, HasSubstr("no answer is left"));
  EXPECT_THAT(last.failure, HasSubstr("  | do it"));
  EXPECT_THAT(last.output.head.body, HasSubstr(R"({"type":"error","error":)"));
  EXPECT_EQ(player.Verdict().size(), 1);
}

TEST(ModelPlayerTest, WhoAsksAgainHearsTheSameFailure) {
  Player player({.script = Parsed("answer\n expect model x\nanswer\n say b"),
                 .name = "s"});
  const http::Request request = Claude(kPrompt);
  EXPECT_NE(player.React(request).failure, "");
  const Player::Reaction again = player.React(request);
  EXPECT_EQ(again.failure, "");
  EXPECT_EQ(again.answer, std::nullopt);
  EXPECT_EQ(again.output.head.status, 400);
  EXPECT_EQ(player
                .React(Claude(R"([{"role":"user","content":"do it"},)"
                              R"({"role":"assistant","content":"so"}])"))
                .answer,
            2);
  EXPECT_EQ(player.Verdict().size(), 1);
}

TEST(ModelPlayerTest, SideRequestsUseUpNothing) {
  Player player({.script = Parsed("answer\n say a"), .name = "s"});
  http::Request root;
  root.method = "GET";
  root.path = "/";
  EXPECT_EQ(player.React(root).purpose, Purpose::kOther);
  EXPECT_EQ(player.React(Post("/v1/messages", R"({"messages":[]})")).purpose,
            Purpose::kAside);
  EXPECT_EQ(player.React(Post("/v1/messages/count_tokens", "{}")).purpose,
            Purpose::kCount);
  const std::string gemini = "/v1beta/models/g:";
  EXPECT_EQ(player.React(Post(gemini + "generateContent", "{}")).purpose,
            Purpose::kAside);
  EXPECT_EQ(player
                .React(Post(gemini + "streamGenerateContent",
                            R"({"tools":[{"googleSearch":{}}]})"))
                .purpose,
            Purpose::kSearch);
  EXPECT_EQ(player.React(Claude(kPrompt)).answer, 1);
  EXPECT_THAT(player.Verdict(), IsEmpty());
  const Player::Reaction unknown = player.React(Post("/v2/x", "{}"));
  EXPECT_EQ(unknown.purpose, Purpose::kUnknown);
  EXPECT_EQ(unknown.output.head.status, 400);
  EXPECT_THAT(player.Verdict(),
              ElementsAre("nobody answers POST /v2/x; no wire has this path"));
}

TEST(ModelPlayerTest, BodiesOfStrangersAreFailuresOnly) {
  Player player({.script = Parsed("answer always\n say a"), .name = "s"});
  EXPECT_THAT(player.React(Post("/v1/messages", "{\"a\":")).failure,
              HasSubstr("read the body of /v1/messages"));
  EXPECT_NE(player.React(Post("/v1/responses", "[]")).failure, "");
  EXPECT_NE(
      player.React(Post("/v1/responses", std::string(100000, '['))).failure,
      "");
  EXPECT_EQ(player
                .React(Post("/v1/responses",
                            R"({"input":[1,{"type":7,"content":{}},)"
                            R"({"type":"function_call_output"}],)"
                            R"("tools":[null,{"type":"namespace"}]})"))
                .failure,
            "");
}

TEST(ModelExpectTest, SaysWhatCameInstead) {
  const http::Request request = Claude(kPrompt);
  const std::vector<std::pair<std::string, std::string>> kCases = {
      {"prompt run it",
       "s:2: answer 1: expected a prompt with:\n  | run it\n"
       "but came:\n  | do it"},
      {"prompt /^long/", "but came:\n  | do it"},
      {"prompt-bytes 6", "expected a prompt of bytes: 6\nbut it is: 5"},
      {"result x", "but the results are:\n  (none)"},
      {"results 2", "expected results: 2\nbut it is: 0"},
      {"system Be bad", "  | Be good."},
      {"no-system good", "but it is there:\n  | Be good."},
      {"tool write",
       "expected the tool write (apply_patch, Write, write_file)\n"
       "but offered are: Bash"},
      {"no-tool run", "expected no tool run\nbut offered are: Bash"},
      {"model m-2", "  | m-1"},
      {"effort high", "but the request has none (wire: messages)"},
      {"verbosity low", "but this wire has no such thing: messages"},
      {"image image/png", "expected an image with:"},
      {"body nope", "expected a body with:"},
      {"no-body Bash", "expected a body without:"},
      {"header x-app: web", "expected a header x-app with:\n  | web"},
  };
  for (const auto& [expectation, text] : kCases) {
    EXPECT_THAT(
        FailureOf(absl::StrCat("answer\n expect ", expectation), request),
        HasSubstr(text))
        << expectation;
  }
  EXPECT_EQ(FailureOf("answer\n expect prompt do it\n expect prompt-bytes 5\n"
                      " expect no-tool write\n expect tool run\n"
                      " expect tool Bash\n expect header X-App: cli\n"
                      " expect system /^Be/\n expect history do\n"
                      " expect no-body /Be b/",
                      request),
            "");
}

TEST(ModelExpectTest, ResultsAreThoseOfTheNewestCalls) {
  const auto call = [](absl::string_view id) {
    return absl::StrCat(R"({"type":"function_call","name":"shell","call_id":")",
                        id, R"(","arguments":"{}"})");
  };
  const auto result = [](absl::string_view id, absl::string_view output) {
    return absl::StrCat(R"({"type":"function_call_output","call_id":")", id,
                        R"(","output":")", output, R"("})");
  };
  const std::string input = absl::StrJoin(
      {call("call_001_0"), result("call_001_0", "old"), call("call_002_0"),
       call("call_002_1"), result("call_002_1", "second"),
       result("call_002_1", "second"),
       result("call_002_0",
              R"({\"output\":\"first\\n\",\"metadata\":{\"exit_code\":7}})")},
      ",");
  const http::Request request =
      Post("/v1/responses", absl::StrCat("{\"input\":[", input, "]}"));
  EXPECT_EQ(FailureOf("answer\n expect results 2\n expect result /^first\\n/\n"
                      " expect result second",
                      request),
            "");
  EXPECT_EQ(FailureOf("answer\n expect result exit code 7", request), "");
  EXPECT_THAT(FailureOf("answer\n expect result old", request),
              HasSubstr("expected result 1"));
  EXPECT_THAT(
      FailureOf("answer\n expect result first\n expect result first", request),
      HasSubstr("expected result 2"));
}

TEST(ModelSideTest, SearchesFindAPage) {
  json::Parser parser;
  Request request;
  request.wire = Wire::kGemini;
  request.model = "m";
  request.purpose = Purpose::kSearch;
  request.transfer = Transfer::kWhole;
  const Output gemini = SideOutput(request);
  auto body = parser.Parse(gemini.head.body);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_TRUE(body->Get("candidates")
                  .At(0)
                  .Get("groundingMetadata")
                  .Get("groundingChunks")
                  .At(0)
                  .Get("web")
                  .Get("uri")
                  .IsString());
  request.wire = Wire::kMessages;
  const Output whole = SideOutput(request);
  body = parser.Parse(whole.head.body);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->Get("content").At(1).Get("type").StringOr(""),
            "web_search_tool_result");
  request.transfer = Transfer::kStream;
  const Output stream = SideOutput(request);
  for (const absl::string_view line :
       absl::StrSplit(stream.steps[0].bytes, '\n')) {
    if (!absl::StartsWith(line, "data: ")) continue;
    EXPECT_TRUE(parser.Parse(line.substr(6)).ok()) << line;
  }
}

}  // namespace
}  // namespace troika::model
