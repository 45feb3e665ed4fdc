#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "agent/testing_backend.h"
#include "gtest/gtest.h"

namespace troika::codex {
namespace {

std::string Meta(absl::string_view id, absl::string_view cwd,
                 absl::string_view more = "") {
  return absl::StrCat(R"({"type":"session_meta","payload":{"id":")", id,
                      R"(","cwd":")", cwd, R"(","base_instructions":{"text":")",
                      std::string(22000, 'x'), R"("})", more, "}}\n");
}

std::string Turn(absl::string_view cwd) {
  return absl::StrCat(R"({"type":"turn_context","payload":{"cwd":")", cwd,
                      "\"}}\n");
}

class CodexSessionsTest : public SessionsTest {
 protected:
  CodexSessionsTest() : SessionsTest(CodexBackend()) {}
  void Rollout(absl::string_view name, absl::string_view text,
               int64_t changed) {
    folder_.Write(
        absl::StrCat(".codex/sessions/2026/11/16/rollout-", name, ".jsonl"),
        text, changed);
  }
};

TEST_F(CodexSessionsTest, TheLastChangedOfTheFolder) {
  Rollout("1", Meta("old", "/w"), 100);
  Rollout("2", Meta("new", "/w"), 300);
  Rollout("3", Meta("elsewhere", "/x"), 400);
  folder_.Write(".codex/sessions/2025/01/01/rollout-0.jsonl",
                Meta("resumed", "/y"), 500);
  EXPECT_EQ(Latest("/w"), "new");
  EXPECT_EQ(Latest("/x"), "elsewhere");
  EXPECT_EQ(Latest("/y"), "resumed");
}

TEST_F(CodexSessionsTest, BelongsToTheFolderOfItsLastTurn) {
  Rollout("1", Meta("moved", "/w") + Turn("/w") + Turn("/x") + "{\"a\":1}\n",
          100);
  EXPECT_EQ(Latest("/w"), "");
  EXPECT_EQ(Latest("/x"), "moved");
}

TEST_F(CodexSessionsTest, LongTurnsFallBackToTheStart) {
  std::string text = Meta("long", "/w") + Turn("/w");
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&text, R"({"type":"response_item","payload":")",
                    std::string(100000, 'y'), "\"}\n");
  }
  Rollout("1", text, 100);
  EXPECT_EQ(Latest("/w"), "long");
}

TEST_F(CodexSessionsTest, PassesOverWhatIsNone) {
  Rollout("1", Meta("good", "/w"), 100);
  Rollout("2", Meta("child", "/w", R"(,"parent_thread_id":"good")"), 200);
  Rollout("3", Meta("child", "/w", R"(,"source":{"subagent":{"a":1}})"), 300);
  Rollout("4", "", 400);
  Rollout("5", "{\"type\":\"session_meta\",\"payl", 500);
  Rollout("6", std::string(3 << 20, '\xff'), 600);
  folder_.Write(".codex/sessions/2026/11/16/other.jsonl", Meta("other", "/w"),
                700);
  EXPECT_EQ(Latest("/w"), "good");
}

constexpr absl::string_view kFile =
    ".codex/sessions/2026/11/16/rollout-1.jsonl";

TEST_F(CodexSessionsTest, ReadsBothHistoryModes) {
  const NativeSession expected = {
      .id = "id",
      .cwd = "/x",
      .first_prompt = "fix it",
      .model = "gpt-5.5",
      .forked_from = "parent",
      .started = absl::FromUnixMillis(1735689600123)};
  const std::string meta = Meta(
      "id", "/w",
      R"(,"timestamp":"2025-01-01T00:00:00.123Z","forked_from_id":"parent")");
  const std::string context =
      R"({"type":"response_item","payload":{"type":"message","role":"user",)"
      R"("content":[{"type":"input_text","text":"<environment_context>"}]}})"
      "\n";
  const std::string turn =
      R"({"type":"turn_context","payload":{"cwd":"/x","model":"gpt-5.5"}})"
      "\n";
  for (const absl::string_view prompt :
       {R"({"type":"user_message","message":" fix it\n"})",
        R"({"type":"item_completed","item":{"type":"UserMessage","content":)"
        R"([{"type":"text","text":"fix it"}]}})"}) {
    folder_.Write(
        kFile, absl::StrCat(meta, context, R"({"type":"event_msg","payload":)",
                            prompt, "}\n", turn));
    const SessionReading session = ReadFile(kFile);
    ASSERT_TRUE(session.ok()) << session.status();
    EXPECT_EQ(**session, expected);
  }
}

TEST_F(CodexSessionsTest, ArchivedOnesAreListedButNotTheLatest) {
  folder_.Write(".codex/archived_sessions/rollout-1.jsonl", Meta("id", "/w"));
  EXPECT_EQ(backend_.sessions->Files(Home(), "").size(), 1);
  EXPECT_TRUE(
      ReadFile(".codex/archived_sessions/rollout-1.jsonl").value()->archived);
  EXPECT_EQ(Latest("/w"), "");
}

TEST_F(CodexSessionsTest, DamagedFilesSayWhy) {
  folder_.Write(kFile, "");
  EXPECT_EQ(ReadFile(kFile).status(), absl::DataLossError("it is empty"));
  for (const std::string& text :
       {std::string("{\"type\":\"session_meta\",\"payl"),
        std::string(5 << 20, 'x'), std::string("{\"type\":\"other\"}\n"),
        std::string(1000, '\0')}) {
    folder_.Write(kFile, text);
    EXPECT_EQ(ReadFile(kFile).status(),
              absl::DataLossError("its first line is no session_meta"));
  }
  folder_.Write(kFile, Meta("", "/w"));
  EXPECT_EQ(ReadFile(kFile).status(),
            absl::DataLossError("it has no session id"));
  EXPECT_TRUE(absl::IsNotFound(ReadFile("none.jsonl").status()));
  folder_.Write("rollout-1.jsonl.zst", "\x28\xB5\x2F\xFD");
  EXPECT_TRUE(absl::IsUnimplemented(ReadFile("rollout-1.jsonl.zst").status()));
}

TEST_F(CodexSessionsTest, ALongFirstLineIsRead) {
  folder_.Write(
      kFile, Meta("id", "/w",
                  absl::StrCat(",\"x\":\"", std::string(1 << 20, 'y'), "\"")));
  EXPECT_EQ(ReadFile(kFile).value()->id, "id");
}

TEST_F(CodexSessionsTest, OnlyRegularFilesAreListed) {
  const std::string day = ".codex/sessions/2026/11/16/";
  Rollout("1", Meta("good", "/w"), 100);
  ASSERT_EQ(mkfifo(folder_.Path(day + "rollout-2.jsonl").c_str(), 0600), 0);
  std::filesystem::create_symlink(folder_.Path(".codex/sessions"),
                                  folder_.Path(day + "rollout-3.jsonl"));
  std::filesystem::create_symlink("..", folder_.Path(".codex/sessions/loop"));
  std::filesystem::create_symlink("nowhere",
                                  folder_.Path(day + "rollout-4.jsonl"));
  EXPECT_EQ(backend_.sessions->Files(Home(), "").size(), 1);
  // A file that became a pipe after it was listed does not block.
  EXPECT_TRUE(
      absl::IsInvalidArgument(ReadFile(day + "rollout-2.jsonl").status()));
}

TEST_F(CodexSessionsTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(LatestError("/w", {{"HOME", "/none"}}),
            absl::NotFoundError(
                "find the latest session of Codex CLI in /w: there is none "
                "under /none/.codex/sessions; start a new one, or name the "
                "session"));
}

}  // namespace
}  // namespace troika::codex
