#include "agent/gemini/home.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::gemini {
namespace {

std::string Line(absl::string_view id, absl::string_view kind = "main") {
  return absl::StrCat(R"({"sessionId":")", id, R"(","kind":")", kind,
                      "\"}\n{\"$set\":{}}\n");
}

class GeminiHomeTest : public testing::Test {
 protected:
  std::string Latest(absl::string_view cwd) {
    const absl::StatusOr<std::string> id =
        LatestSession(cwd, Environment({{"HOME", folder_.Path("")}}));
    return id.ok() ? *id : "";
  }

  TempFolder folder_;
};

TEST_F(GeminiHomeTest, Sha256) {
  EXPECT_EQ(Sha256Hex(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(GeminiHomeTest, FoldersByName) {
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

TEST_F(GeminiHomeTest, FoldersByHash) {
  const std::string chats =
      absl::StrCat(".gemini/tmp/", Sha256Hex("/w"), "/chats/");
  folder_.Write(absl::StrCat(chats, "session-1.json"),
                "{\n  \"sessionId\": \"id\",\n  \"messages\": []\n}", 100);
  EXPECT_EQ(Latest("/w"), "id");
  // After an update both folders exist, and the last used session counts.
  folder_.Write(".gemini/tmp/w/.project_root", "/w\n");
  folder_.Write(".gemini/tmp/w/chats/session-2.jsonl", Line("new"), 200);
  EXPECT_EQ(Latest("/w"), "new");
}

TEST_F(GeminiHomeTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(
      LatestSession("/w",
                    Environment({{"GEMINI_CLI_HOME", "/none"}, {"HOME", "/x"}}))
          .status(),
      absl::NotFoundError(
          "find the latest session of Gemini CLI in /w: there is none under "
          "/none/.gemini/tmp; start a new one, or name the session"));
}

}  // namespace
}  // namespace troika::gemini
