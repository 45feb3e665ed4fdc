#include <string>

#include "absl/strings/str_cat.h"
#include "agent/testing_backend.h"
#include "gtest/gtest.h"

namespace troika::gemini {
namespace {

std::string Line(absl::string_view id, absl::string_view kind = "main") {
  return absl::StrCat(R"({"sessionId":")", id, R"(","kind":")", kind,
                      "\"}\n{\"$set\":{}}\n");
}

class GeminiSessionsTest : public SessionsTest {
 protected:
  GeminiSessionsTest() : SessionsTest(GeminiBackend()) {}
};

TEST_F(GeminiSessionsTest, FoldersByName) {
  folder_.Write(".gemini/tmp/w/.project_root", "/w");
  folder_.Write(".gemini/tmp/w/chats/session-1.jsonl", Line("old"), 100);
  folder_.Write(".gemini/tmp/w/chats/session-2.jsonl", Line("new"), 200);
  folder_.Write(".gemini/tmp/w/chats/session-3.jsonl", Line("sub", "subagent"),
                300);
  folder_.Write(".gemini/tmp/w/chats/session-4.jsonl", "{\"sess", 400);
  folder_.Write(".gemini/tmp/w/logs.json", "[]", 500);
  folder_.Write(".gemini/tmp/w-1/.project_root", "/x/w");
  folder_.Write(".gemini/tmp/w-1/chats/session-1.jsonl", Line("other"), 600);
  EXPECT_EQ(Latest("/w"), "new");
  EXPECT_EQ(Latest("/x/w"), "other");
  EXPECT_EQ(Latest("/x"), "");
}

TEST_F(GeminiSessionsTest, FoldersByHash) {
  // The SHA-256 of "/w".
  const std::string chats =
      ".gemini/tmp/"
      "d1bb8ca354673cd575d31d952490058c9943aef39d5a9553fb4a21ab7a59a19d/chats/";
  folder_.Write(absl::StrCat(chats, "session-1.json"),
                "{\n  \"sessionId\": \"id\",\n  \"messages\": []\n}", 100);
  EXPECT_EQ(Latest("/w"), "id");
  // After an update both folders exist, and the last used session counts.
  folder_.Write(".gemini/tmp/w/.project_root", "/w\n");
  folder_.Write(".gemini/tmp/w/chats/session-2.jsonl", Line("new"), 200);
  EXPECT_EQ(Latest("/w"), "new");
}

TEST_F(GeminiSessionsTest, ReadsLines) {
  const std::string name = ".gemini/tmp/w/chats/session-1.jsonl";
  folder_.Write(".gemini/tmp/w/.project_root", "/w");
  folder_.Write(
      name,
      R"({"sessionId":"id","startTime":"2025-01-01T00:00:00.000Z","kind":"main"}
{"$set":{"messages":[{"type":"user","content":[{"text":"context"}]}]}}
{"type":"user","content":[{"text":"<session_context>x"}]}
{"type":"user","content":[{"functionResponse":{}}]}
{"type":"user","content":[{"text":"fix it"}]}
{"type":"gemini","content":"Hi","model":"gemini-2.5-pro"}
{"$set":{"lastUpdated":"2025-01-01T00:00:00.000Z"}}
)");
  const SessionReading session = ReadFile(name);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(**session,
            (NativeSession{.id = "id",
                           .cwd = "/w",
                           .first_prompt = "fix it",
                           .model = "gemini-2.5-pro",
                           .started = absl::FromUnixSeconds(1735689600)}));
}

TEST_F(GeminiSessionsTest, ReadsOneObjectAndFindsItsFolderByHash) {
  const std::string name =
      ".gemini/tmp/"
      "d1bb8ca354673cd575d31d952490058c9943aef39d5a9553fb4a21ab7a59a19d/chats/"
      "session-1.json";
  folder_.Write(
      name,
      R"({"sessionId":"id","messages":[{"type":"user","content":"fix it"},
        {"type":"gemini","model":"a"},{"type":"gemini","model":"b"}]})");
  EXPECT_EQ(
      ReadFile(name).value(),
      (NativeSession{.id = "id", .first_prompt = "fix it", .model = "b"}));
  folder_.Write(".gemini/projects.json", R"({"projects":{"/x":"x","/w":"w"}})");
  EXPECT_EQ(ReadFile(name).value()->cwd, "/w");
}

TEST_F(GeminiSessionsTest, TellsDamagedFilesFromOthers) {
  const std::string lines = ".gemini/tmp/w/chats/session-1.jsonl";
  const std::string object = ".gemini/tmp/w/chats/session-1.json";
  folder_.Write(lines, "");
  EXPECT_EQ(ReadFile(lines).status(), absl::DataLossError("it is empty"));
  folder_.Write(lines, "{\"sess");
  EXPECT_EQ(ReadFile(lines).status(),
            absl::DataLossError("none of its lines is JSON"));
  folder_.Write(lines, "{\"a\":1}\n");
  EXPECT_EQ(ReadFile(lines).status(),
            absl::DataLossError("it has no session id"));
  folder_.Write(lines, Line("sub", "subagent"));
  EXPECT_EQ(ReadFile(lines).value(), std::nullopt);
  folder_.Write(object, "{\"sess");
  EXPECT_EQ(ReadFile(object).status(), absl::DataLossError("it is no JSON"));
  folder_.Write(object, std::string(json::kMaxBytes + 1, ' '));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadFile(object).status()));
}

TEST_F(GeminiSessionsTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(
      LatestError("/w", {{"GEMINI_CLI_HOME", "/none"}, {"HOME", "/x"}}),
      absl::NotFoundError(
          "find the latest session of Gemini CLI in /w: there is none under "
          "/none/.gemini/tmp; start a new one, or name the session"));
}

}  // namespace
}  // namespace troika::gemini
