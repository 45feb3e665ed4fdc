#include "server/session_cache.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SessionCacheTest : public ::testing::Test {
 protected:
  static std::string Rollout(absl::string_view id) {
    return absl::StrCat(R"({"type":"session_meta","payload":{"id":")", id,
                        R"(","cwd":"/w","timestamp":"2025-01-01T00:00:00Z"}})",
                        "\n");
  }
  void WriteRollout(int number, absl::string_view text, int64_t changed) {
    folder_.Write(
        absl::StrCat(".codex/sessions/2026/11/17/rollout-", number, ".jsonl"),
        text, changed);
  }
  void WriteClaude(absl::string_view id, int64_t changed) {
    folder_.Write(absl::StrCat(".claude/projects/-w/", id, ".jsonl"),
                  R"({"type":"user","cwd":"/w","message":{"content":"hi"}})",
                  changed);
  }
  Environment Env(absl::string_view home = "") {
    return Environment(Environment::Map{
        {"HOME", home.empty() ? folder_.path() : folder_.Path(home)}});
  }
  static std::vector<std::string> Ids(const SessionScan& scan) {
    std::vector<std::string> ids;
    for (const auto& session : scan.sessions) ids.push_back(session.session.id);
    return ids;
  }
  SessionCache Cache(const std::vector<std::string>& secrets = {}) const {
    return SessionCache(folder_.Path("cache"), Redactor(secrets));
  }

  TempFolder folder_;
};

TEST_F(SessionCacheTest, ListsAllHarnessesTheLastChangedFirst) {
  WriteRollout(1, Rollout("a"), 100);
  WriteRollout(2, Rollout("c"), 300);
  WriteClaude("b", 200);
  SessionCache cache = Cache();
  const SessionScan scan = cache.Scan(Env());
  EXPECT_THAT(Ids(scan), ElementsAre("c", "b", "a"));
  EXPECT_EQ(scan.sessions[0].harness, Harness::kCodex);
  EXPECT_EQ(scan.sessions[1].session.first_prompt, "hi");
}

TEST_F(SessionCacheTest, ReadsOnlyWhatChanged) {
  WriteRollout(1, Rollout("a"), 100);
  WriteRollout(2, Rollout("b"), 200);
  SessionCache cache = Cache();
  EXPECT_EQ(cache.Scan(Env()).files_read, 2);
  EXPECT_EQ(cache.Scan(Env()).files_read, 0);
  WriteRollout(1, Rollout("a"), 300);                       // Newer.
  WriteRollout(2, Rollout("b") + "{\"type\":\"x\"}", 200);  // Longer.
  SessionScan scan = cache.Scan(Env());
  EXPECT_EQ(scan.files_read, 2);
  EXPECT_THAT(Ids(scan), ElementsAre("a", "b"));
  WriteRollout(1, "", 300);  // A file may shrink.
  scan = cache.Scan(Env());
  EXPECT_EQ(scan.files_read, 1);
  EXPECT_THAT(Ids(scan), ElementsAre("b"));
  std::filesystem::remove_all(folder_.Path(".codex"));
  EXPECT_EQ(cache.Scan(Env()).files, 0);
}

TEST_F(SessionCacheTest, DamagedFilesAreCountedAndReadOnce) {
  for (int i = 0; i < 30; ++i) WriteRollout(i, "broken", 1000 - i);
  WriteRollout(30, Rollout("good"), 100);
  SessionCache cache = Cache();
  for (const int read : {31, 0}) {
    const SessionScan scan = cache.Scan(Env());
    EXPECT_EQ(scan.files_read, read);
    EXPECT_EQ(scan.files, 31);
    EXPECT_EQ(scan.skipped_count, 30);
    ASSERT_EQ(scan.skipped.size(), SessionScan::kMaxSkipped);
    EXPECT_EQ(scan.skipped[0].path,
              folder_.Path(".codex/sessions/2026/11/17/rollout-0.jsonl"));
    EXPECT_EQ(scan.skipped[0].reason, "its first line is no session_meta");
    EXPECT_THAT(Ids(scan), ElementsAre("good"));
  }
}

TEST_F(SessionCacheTest, ASessionWithSeveralFilesIsListedOnce) {
  WriteRollout(1, Rollout("a"), 100);
  WriteRollout(2, Rollout("a"), 200);
  SessionCache cache = Cache();
  const SessionScan scan = cache.Scan(Env());
  EXPECT_THAT(Ids(scan), ElementsAre("a"));
  EXPECT_EQ(absl::ToUnixSeconds(scan.sessions[0].changed), 200);
}

TEST_F(SessionCacheTest, TheNextServerReadsTheSavedIndex) {
  for (int i = 0; i < 150; ++i) {
    WriteRollout(i, i % 10 == 0 ? "broken" : Rollout(absl::StrCat("id", i)),
                 1000 + i);
  }
  const SessionScan first = Cache().Scan(Env());
  EXPECT_EQ(first.files_read, 150);
  const SessionScan second = Cache().Scan(Env());
  EXPECT_EQ(second.files_read, 0);
  EXPECT_EQ(second.skipped_count, 15);
  ASSERT_EQ(second.sessions.size(), first.sessions.size());
  for (size_t i = 0; i < first.sessions.size(); ++i) {
    EXPECT_EQ(second.sessions[i].session, first.sessions[i].session);
  }
  // Whatever happens to the index, nothing but time is lost.
  std::string text = folder_.Read("cache");
  folder_.Write("cache", text.substr(0, text.size() / 2));
  EXPECT_EQ(Ids(Cache().Scan(Env())), Ids(first));
  folder_.Write("cache", std::string(100000, '\xff'));
  EXPECT_EQ(Ids(Cache().Scan(Env())), Ids(first));
}

TEST_F(SessionCacheTest, PromptsAreKeptWithoutSecrets) {
  const std::string secret(300, 's');
  const std::string beginning(380, 'x');
  for (int i = 0; i < 120; ++i) {
    folder_.Write(
        absl::StrCat(".claude/projects/-w/", i, ".jsonl"),
        absl::StrCat(R"({"type":"user","cwd":"/w","message":{"content":")",
                     beginning, secret, R"( my-password"}})"),
        100);
  }
  folder_.Write("sessions.v1", "an older one, with secrets");
  const SessionScan scan = Cache({secret, "my-password"}).Scan(Env());
  ASSERT_EQ(scan.sessions.size(), 120u);
  EXPECT_EQ(scan.sessions[0].session.first_prompt,
            absl::StrCat(beginning, "[redacted] [redacted").substr(0, 400));
  const std::string kept = folder_.Read("cache");
  EXPECT_THAT(kept, HasSubstr("[redacted]"));
  EXPECT_THAT(kept, Not(HasSubstr("sss")));
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("sessions.v1")));
  // What has become a secret since is taken out, too.
  const SessionScan later = Cache({beginning}).Scan(Env());
  EXPECT_EQ(later.files_read, 0);
  EXPECT_EQ(later.sessions[0].session.first_prompt.substr(0, 20),
            "[redacted][redacted]");
}

TEST_F(SessionCacheTest, RemembersSeveralHomes) {
  WriteRollout(1, Rollout("a"), 100);
  folder_.Write("other/.codex/sessions/2026/11/17/rollout-1.jsonl",
                Rollout("b"), 100);
  SessionCache cache = Cache();
  EXPECT_THAT(Ids(cache.Scan(Env())), ElementsAre("a"));
  EXPECT_THAT(Ids(cache.Scan(Env("other"))), ElementsAre("b"));
  EXPECT_EQ(cache.Scan(Env()).files_read, 0);
  EXPECT_EQ(cache.Scan(Env("other")).files_read, 0);
}

}  // namespace
}  // namespace troika
