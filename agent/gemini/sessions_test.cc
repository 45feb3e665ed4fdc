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

TEST_F(GeminiSessionsTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(
      backend_
          .LatestSession(
              "/w", Environment({{"GEMINI_CLI_HOME", "/none"}, {"HOME", "/x"}}))
          .status(),
      absl::NotFoundError(
          "find the latest session of Gemini CLI in /w: there is none under "
          "/none/.gemini/tmp; start a new one, or name the session"));
}

}  // namespace
}  // namespace troika::gemini
