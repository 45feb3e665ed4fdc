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

TEST_F(CodexSessionsTest, NoneIsAnErrorThatSaysWhere) {
  EXPECT_EQ(
      backend_
          .LatestSession("/w", Environment(Environment::Map{{"HOME", "/none"}}))
          .status(),
      absl::NotFoundError(
          "find the latest session of Codex CLI in /w: there is none "
          "under /none/.codex/sessions; start a new one, or name the "
          "session"));
}

}  // namespace
}  // namespace troika::codex
