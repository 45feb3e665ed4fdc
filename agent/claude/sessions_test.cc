#include <string>

#include "absl/strings/str_cat.h"
#include "agent/testing_backend.h"
#include "gtest/gtest.h"

namespace troika::claude {
namespace {

std::string Lines(absl::string_view cwd, absl::string_view more = "") {
  return absl::StrCat("{\"type\":\"queue-operation\",\"sessionId\":\"x\"}\n",
                      R"({"type":"user","cwd":")", cwd, "\"", more, "}\n");
}

class ClaudeSessionsTest : public SessionsTest {
 protected:
  ClaudeSessionsTest() : SessionsTest(ClaudeBackend()) {}
};

TEST_F(ClaudeSessionsTest, NamesOfFolders) {
  const struct {
    std::string cwd;
    std::string folder;
  } kCases[] = {{"/home/me/a_b.c", "-home-me-a-b-c"},
                {"/n\xC3\xA4m\xC3\xA9-\xF0\x9F\x98\x80.x", "-n-m-----x"}};
  for (const auto& c : kCases) {
    folder_.Write(absl::StrCat(".claude/projects/", c.folder, "/id.jsonl"),
                  Lines(c.cwd));
    EXPECT_EQ(Latest(c.cwd), "id");
  }
}

TEST_F(ClaudeSessionsTest, TheLastChangedOfTheFolder) {
  folder_.Write(".claude/projects/-w-a/old.jsonl", Lines("/w/a"), 100);
  folder_.Write(".claude/projects/-w-a/new.jsonl", Lines("/w/a"), 200);
  // Another working folder with the same project name.
  folder_.Write(".claude/projects/-w-a/other.jsonl", Lines("/w-a"), 300);
  EXPECT_EQ(Latest("/w/a"), "new");
  EXPECT_EQ(Latest("/w-a"), "other");
  EXPECT_EQ(Latest("/w"), "");
}

TEST_F(ClaudeSessionsTest, PassesOverWhatIsNone) {
  folder_.Write(".claude/projects/-w/good.jsonl", Lines("/w"), 100);
  folder_.Write(".claude/projects/-w/side.jsonl",
                Lines("/w", ",\"isSidechain\":true"), 200);
  folder_.Write(".claude/projects/-w/agent-1.jsonl", Lines("/w"), 300);
  folder_.Write(".claude/projects/-w/empty.jsonl", "", 400);
  folder_.Write(".claude/projects/-w/broken.jsonl", "{\"cwd\":", 500);
  folder_.Write(".claude/projects/-w/good/subagents/x.jsonl", Lines("/w"), 600);
  EXPECT_EQ(Latest("/w"), "good");
}

TEST_F(ClaudeSessionsTest, AFirstPromptMayBeLongerThanWhatIsRead) {
  folder_.Write(".claude/projects/-w/image.jsonl",
                absl::StrCat("{\"message\":\"", std::string(2 << 20, 'x'),
                             "\",\"cwd\":\"/w\"}\n"));
  EXPECT_EQ(Latest("/w"), "image");
}

TEST_F(ClaudeSessionsTest, LongNamesAreCut) {
  const std::string cwd = absl::StrCat("/", std::string(250, 'd'));
  folder_.Write(absl::StrCat(".claude/projects/-", std::string(199, 'd'),
                             "-8fd8ot/long.jsonl"),
                Lines(cwd));
  EXPECT_EQ(Latest(cwd), "long");
  EXPECT_EQ(Latest(cwd + "e"), "");
}

constexpr absl::string_view kFile = ".claude/projects/-w/id.jsonl";

TEST_F(ClaudeSessionsTest, ReadsTheBeginningAndTheEnd) {
  folder_.Write(kFile,
                R"({"type":"mode","mode":"normal","sessionId":"id"}
{"type":"user","isMeta":true,"message":{"content":"Caveat"},"cwd":"/w","timestamp":"2025-01-01T00:00:00.000Z"}
{"type":"user","message":{"content":"<command-name>/clear</command-name>"},"cwd":"/w"}
{"type":"user","message":{"content":[{"type":"image"},{"type":"text","text":"fix it"}]},"cwd":"/w/sub"}
{"type":"assistant","message":{"model":"claude-opus","content":[]},"cwd":"/w/sub","forkedFrom":{"sessionId":"p"}}
{"type":"assistant","message":{"model":"<synthetic>","content":[]},"cwd":"/w/sub"}
{"type":"last-prompt","lastPrompt":"fix it"}
)");
  const SessionReading session = ReadFile(kFile);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_EQ(**session,
            (NativeSession{.id = "id",
                           .cwd = "/w",
                           .first_prompt = "fix it",
                           .model = "claude-opus",
                           .started = absl::FromUnixSeconds(1735689600)}));
}

TEST_F(ClaudeSessionsTest, PromptsAreCutBetweenCharacters) {
  std::string prompt;
  for (int i = 0; i < 140000; ++i) absl::StrAppend(&prompt, "\xC3\xA4");
  folder_.Write(kFile, Lines("/w", absl::StrCat(R"(,"message":{"content":"x)",
                                                prompt, "\"}")));
  EXPECT_EQ(ReadFile(kFile).value()->first_prompt,
            absl::StrCat("x", prompt.substr(0, (257 << 10) - 2)));
}

TEST_F(ClaudeSessionsTest, TellsDamagedFilesFromOthers) {
  folder_.Write(kFile, "");
  EXPECT_EQ(ReadFile(kFile).value(), std::nullopt);
  folder_.Write(kFile, std::string(5 << 20, '\xff'));
  EXPECT_EQ(ReadFile(kFile).status(),
            absl::DataLossError("none of its lines is JSON"));
  folder_.Write(kFile, "{\"type\":\"summary\",\"summary\":\"x\"}\n");
  EXPECT_EQ(ReadFile(kFile).value(), std::nullopt);
  folder_.Write(kFile, Lines("/w", ",\"isSidechain\":true"));
  EXPECT_EQ(ReadFile(kFile).value(), std::nullopt);
}

TEST_F(ClaudeSessionsTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(LatestError("/w", {{"CLAUDE_CONFIG_DIR", "/none"}}),
            absl::NotFoundError(
                "find the latest session of Claude Code in /w: there is none "
                "under /none/projects; start a new one, or name the session"));
}

}  // namespace
}  // namespace troika::claude
