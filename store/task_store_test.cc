#include "store/task_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store/testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST_F(TaskStoreTest, KeepsEveryFieldOverARestart) {
  TaskRow row = Row("a");
  row.model = "m";
  row.session_id = "s";
  row.parent_id = "p";
  row.idempotency_key = "k";
  row.labels = {{"team", "web"}, {"empty", ""}, {"b\xFF", std::string(1, 0)}};
  row.ended = true;
  row.created_at = absl::FromUnixMicros(std::numeric_limits<int64_t>::max());
  row.started_at = absl::FromUnixMicros(std::numeric_limits<int64_t>::min());
  row.ended_at = absl::FromUnixMicros(3);
  row.last_record = 4;
  row.log_bytes = 5;
  row.parser_version = 6;
  row.input_tokens = 7;
  row.cached_tokens = 8;
  row.cache_write_tokens = 9;
  row.output_tokens = 10;
  row.reasoning_tokens = 11;
  row.cost_usd = 0.1;
  row.prompt = std::string("nul\0\xFF'\"", 7);
  row.result_text = "All is well.";
  ASSERT_TRUE(Open().Put({row}).ok());
  TaskStore store = Open();
  EXPECT_EQ(store.repaired(), "");
  const auto read = store.Get("a");
  ASSERT_TRUE(read.ok() && read->has_value()) << read.status();
  EXPECT_TRUE(**read == row);
  EXPECT_FALSE(store.Get("b")->has_value());
  EXPECT_FALSE(store.Get("")->has_value());
}

TEST_F(TaskStoreTest, PutReplacesAndRemoveLeavesNothing) {
  TaskStore store = Open();
  TaskRow row = Row("a");
  row.labels = {{"x", "1"}, {"y", "2"}};
  ASSERT_TRUE(store.Put({row, Row("b")}).ok());
  row.state = "running";
  row.prompt = "another";
  row.task_json = "{}";
  row.labels = {{"x", "3"}};
  row.cost_usd = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(store.Put({row}).ok());
  row.cost_usd = 0;
  EXPECT_TRUE(**store.Get("a") == row);
  EXPECT_THAT(Tasks(store, {.labels = {{"x", "1"}}}), IsEmpty());
  EXPECT_THAT(Tasks(store, {.labels = {{"x", "3"}}}), ElementsAre("a"));
  EXPECT_THAT(Tasks(store, {.states = {"running"}}), ElementsAre("a"));

  ASSERT_TRUE(store.Remove({"a"}).ok());
  ASSERT_TRUE(store.Remove({"a"}).ok());
  EXPECT_THAT(Tasks(store, {}), ElementsAre("b"));
  EXPECT_THAT(Tasks(store, {.labels = {{"x", "3"}}}), IsEmpty());
  ASSERT_TRUE(store.Put({Row("a")}).ok());
  EXPECT_TRUE((**store.Get("a")).labels.empty());
}

TEST_F(TaskStoreTest, AnIdempotencyKeyIsOneTasks) {
  TaskStore store = Open();
  TaskRow a = Row("a"), b = Row("b"), c = Row("c");
  a.idempotency_key = b.idempotency_key = "k";
  ASSERT_TRUE(store.Put({a}).ok());
  ASSERT_TRUE(store.Put({a}).ok());
  const absl::Status status = store.Put({c, b});
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(status.ToString(), HasSubstr("task b"));
  EXPECT_THAT(Tasks(store, {}), ElementsAre("a"));  // Put() is all or nothing.
  EXPECT_EQ(*store.ByIdempotencyKey("k"), "a");
  EXPECT_TRUE(absl::IsNotFound(store.ByIdempotencyKey("l").status()));
  EXPECT_TRUE(absl::IsNotFound(store.ByIdempotencyKey("").status()));
  ASSERT_TRUE(store.Put({c}).ok());
  ASSERT_TRUE(store.Put({Row("d")}).ok());  // Empty keys may repeat.
}

TEST_F(TaskStoreTest, FiltersByEverything) {
  TaskStore store = Open();
  std::vector<TaskRow> rows;
  for (const absl::string_view id : {"a", "b", "c", "d", "e", "f"}) {
    rows.push_back(Row(id));
  }
  rows[0].state = "running";
  rows[1].state = "failed";
  rows[2].harness = "claude";
  rows[3].harness = "gemini";
  rows[3].state = "running";
  rows[4].cwd = "/other";
  rows[2].labels = {{"team", "web"}, {"x", "y"}};
  rows[4].labels = {{"team", "web"}};
  rows[5].labels = {{"team", "web2"}, {"x", "y"}};
  ASSERT_TRUE(store.Put(rows).ok());

  EXPECT_THAT(Tasks(store, {}), ElementsAre("f", "e", "d", "c", "b", "a"));
  EXPECT_THAT(Tasks(store, {.states = {"running", "failed", "running"}}),
              ElementsAre("d", "b", "a"));
  EXPECT_THAT(Tasks(store, {.harnesses = {"gemini", "claude"}}),
              ElementsAre("d", "c"));
  EXPECT_THAT(Tasks(store, {.states = {"running"}, .harnesses = {"codex"}}),
              ElementsAre("a"));
  EXPECT_THAT(Tasks(store, {.cwd = "/other"}), ElementsAre("e"));
  EXPECT_THAT(Tasks(store, {.labels = {{"team", "web"}}}),
              ElementsAre("e", "c"));
  EXPECT_THAT(Tasks(store, {.labels = {{"team", "web"}, {"x", "y"}}}),
              ElementsAre("c"));
  EXPECT_THAT(Tasks(store, {.states = {"done"},
                            .harnesses = {"codex", "claude"},
                            .cwd = "/src",
                            .labels = {{"x", "y"}},
                            .text = "of"}),
              ElementsAre("f", "c"));
  EXPECT_THAT(Tasks(store, {.states = {"' OR 1 --"}}), IsEmpty());
  EXPECT_TRUE(absl::IsInvalidArgument(
      store.List({.text = std::string(1001, 'x')}, Encoding::kJson, 1, "")
          .status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      store
          .List({.states = std::vector<std::string>(5000, "x")},
                Encoding::kJson, 1, "")
          .status()));
}

TEST_F(TaskStoreTest, TextIsFoundAsItIs) {
  TaskStore store = Open();
  std::vector<TaskRow> rows = {Row("a"), Row("b"), Row("c"), Row("d")};
  rows[0].title = "100% done";
  rows[1].prompt = "fix a_b in C:\\src";
  rows[2].title = "1000 done, axb";
  rows[3].prompt = "Fix LOGIN, it's Größe";
  ASSERT_TRUE(store.Put(rows).ok());
  EXPECT_THAT(Tasks(store, {.text = "100%"}), ElementsAre("a"));
  EXPECT_THAT(Tasks(store, {.text = "a_b"}), ElementsAre("b"));
  EXPECT_THAT(Tasks(store, {.text = "c:\\s"}), ElementsAre("b"));
  EXPECT_THAT(Tasks(store, {.text = "login, it's gr"}), ElementsAre("d"));
  EXPECT_THAT(Tasks(store, {.text = "%"}), ElementsAre("a"));
  EXPECT_THAT(Tasks(store, {.text = "\\"}), ElementsAre("b"));
  EXPECT_THAT(Tasks(store, {.text = "fix"}), ElementsAre("d", "b"));
}

TEST_F(TaskStoreTest, PagesStayWhereTheyAreWhileTasksCome) {
  TaskStore store = Open();
  std::vector<TaskRow> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(Row(absl::StrFormat("t%02d", i)));
  ASSERT_TRUE(store.Put(rows).ok());
  std::vector<std::string> seen;
  std::string before;
  int added = 20;
  for (bool more = true; more;) {
    const auto page =
        store.List({.states = {"done", "running"}}, Encoding::kJson, 4, before);
    ASSERT_TRUE(page.ok()) << page.status();
    seen.insert(seen.end(), page->tasks.begin(), page->tasks.end());
    before = page->ids.back();
    more = page->more;
    ASSERT_TRUE(store.Put({Row(absl::StrCat("t", added++))}).ok());
  }
  ASSERT_EQ(seen.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(seen[i], absl::StrFormat(R"({"id":"t%02d"})", 9 - i));
  }
  // A page that is exactly full is the last one.
  EXPECT_FALSE(store.List({}, Encoding::kJson, 13, "")->more);
  EXPECT_TRUE(store.List({}, Encoding::kJson, 12, "")->more);
  EXPECT_EQ(store.List({}, Encoding::kJson, -1, "")->tasks.size(), 1u);
  EXPECT_THAT(store.List({}, Encoding::kJson, 5, "t00")->tasks, IsEmpty());
}

TEST_F(TaskStoreTest, FindsIdsByTheirBeginning) {
  TaskStore store = Open();
  ASSERT_TRUE(
      store
          .Put({Row("ab1"), Row("ab2"), Row("ac"), Row("ab%"), Row("\xFF\xFF")})
          .ok());
  EXPECT_THAT(*store.WithPrefix("ab", 9), ElementsAre("ab2", "ab1", "ab%"));
  EXPECT_THAT(*store.WithPrefix("ab%", 9), ElementsAre("ab%"));
  EXPECT_THAT(*store.WithPrefix("", 1), ElementsAre("\xFF\xFF"));
  EXPECT_THAT(*store.WithPrefix("\xFF", 9), ElementsAre("\xFF\xFF"));
  EXPECT_THAT(*store.WithPrefix("b", 9), IsEmpty());
}

TEST_F(TaskStoreTest, SumsAndCounts) {
  TaskStore store = Open();
  std::vector<TaskRow> rows = {Row("a"), Row("b"), Row("c"), Row("d")};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].model = i < 2 ? "m" : "n";
    rows[i].created_at = absl::FromUnixMicros(100 * static_cast<int>(i));
    rows[i].input_tokens = 1;
    rows[i].output_tokens = std::numeric_limits<int64_t>::max() / 2;
    rows[i].cost_usd = 0.25;
    rows[i].ended = i != 1;
    rows[i].ended_at = absl::FromUnixMicros(1000 - static_cast<int>(i));
    rows[i].log_bytes = i;
  }
  rows[1].state = "running";
  ASSERT_TRUE(store.Put(rows).ok());
  const auto all = store.Usage(absl::InfinitePast(), absl::InfiniteFuture());
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].harness, "codex");
  EXPECT_EQ((*all)[0].model, "m");
  EXPECT_EQ((*all)[0].tasks, 2);
  EXPECT_EQ((*all)[0].input_tokens, 2);
  EXPECT_EQ((*all)[0].cost_usd, 0.5);
  const auto some =
      store.Usage(absl::FromUnixMicros(100), absl::FromUnixMicros(200));
  ASSERT_EQ(some->size(), 1u);
  EXPECT_EQ((*some)[0].tasks, 1);
  EXPECT_THAT(*store.CountByState(),
              UnorderedElementsAre(Pair("done", 3), Pair("running", 1)));

  const auto old = store.EndedOldestFirst({}, 2);
  ASSERT_EQ(old->size(), 2u);
  EXPECT_EQ((*old)[0].id, "d");
  EXPECT_EQ((*old)[1].ended_at, absl::FromUnixMicros(998));
  const auto last = store.EndedOldestFirst((*old)[1], 2);
  ASSERT_EQ(last->size(), 1u);
  EXPECT_EQ((*last)[0].id, "a");
  EXPECT_THAT(*store.NotEnded(), ElementsAre("b"));
}

TEST_F(TaskStoreTest, SumsByDayOfAZone) {
  TaskStore store = Open();
  std::vector<TaskRow> rows = {Row("a"), Row("b"), Row("c")};
  const absl::Time midnight = absl::FromUnixSeconds(1700006400);
  rows[0].created_at = midnight - absl::Seconds(1);
  rows[1].created_at = midnight;
  rows[2].created_at = midnight + absl::Hours(23);
  ASSERT_TRUE(store.Put(rows).ok());
  const auto days = [&](absl::Duration offset) {
    std::vector<std::pair<std::string, int64_t>> sums;
    const auto rows =
        store.Usage(absl::InfinitePast(), absl::InfiniteFuture(), offset);
    for (const auto& row : *rows) {
      sums.emplace_back(row.day, row.tasks);
    }
    return sums;
  };
  EXPECT_THAT(days(absl::ZeroDuration()),
              ElementsAre(Pair("2023-11-14", 1), Pair("2023-11-15", 2)));
  EXPECT_THAT(days(absl::Hours(1)),
              ElementsAre(Pair("2023-11-15", 2), Pair("2023-11-16", 1)));
  EXPECT_THAT(days(-absl::Minutes(30)),
              ElementsAre(Pair("2023-11-14", 2), Pair("2023-11-15", 1)));
}

TEST_F(TaskStoreTest, FoldersComeByTheirLastUse) {
  TaskStore store = Open();
  std::vector<TaskRow> rows = {Row("a"), Row("b"), Row("c"), Row("d")};
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].created_at = absl::FromUnixMicros(static_cast<int64_t>(i) + 1);
  }
  rows[1].cwd = "/other";
  rows[3].cwd = "";
  ASSERT_TRUE(store.Put(rows).ok());
  const auto folders = store.Folders(10);
  ASSERT_TRUE(folders.ok()) << folders.status();
  ASSERT_EQ(folders->size(), 2u);
  EXPECT_EQ((*folders)[0].path, "/src");
  EXPECT_EQ((*folders)[0].tasks, 2);
  EXPECT_EQ((*folders)[0].last_used_at, absl::FromUnixMicros(3));
  EXPECT_EQ((*folders)[1].path, "/other");
  EXPECT_EQ(store.Folders(1)->size(), 1u);
}

TEST_F(TaskStoreTest, FindsTheTasksOfSessions) {
  TaskStore store = Open();
  std::vector<TaskRow> rows;
  for (const auto& [id, session] :
       std::vector<std::pair<std::string, std::string>>{
           {"a", "s1"}, {"b", "s2"}, {"c", "s1"}, {"d", ""}}) {
    rows.push_back(Row(id));
    rows.back().session_id = session;
    rows.back().ended = id != "c";
  }
  ASSERT_TRUE(store.Put(rows).ok());
  const auto tasks = store.WithSessions({"s1", "none", ""});
  ASSERT_TRUE(tasks.ok()) << tasks.status();
  std::vector<std::string> found;
  for (const TaskStore::SessionTask& task : *tasks) {
    EXPECT_EQ(task.session_id, "s1");
    EXPECT_EQ(task.harness, "codex");
    found.push_back(absl::StrCat(task.id, task.ended ? " ended" : ""));
  }
  EXPECT_THAT(found, ElementsAre("c", "a ended"));
}

// Changing a row often must not rewrite its long texts.
TEST_F(TaskStoreTest, LongTextsAreWrittenOnce) {
  TaskStore store = Open();
  TaskRow row = Row("a");
  row.prompt = std::string(60000, 'p');
  row.result_text = std::string(60000, 'r');
  ASSERT_TRUE(store.Put({row}).ok());
  const auto before = std::filesystem::file_size(path() + "-wal");
  for (int i = 0; i < 20; ++i) {
    row.last_record = i;
    row.task_json = absl::StrCat(i);
    ASSERT_TRUE(store.Put({row}).ok());
  }
  EXPECT_LT(std::filesystem::file_size(path() + "-wal"),
            before + 20 * 4 * 4200);
  EXPECT_TRUE(**store.Get("a") == row);
}

TEST_F(TaskStoreTest, TenThousandTasks) {
  TaskStore store = Open();
  std::vector<TaskRow> rows;
  for (int i = 0; i < 10000; ++i) {
    rows.push_back(Row(absl::StrFormat("t%05d", i)));
    rows.back().state = i % 1000 == 0 ? "running" : "done";
    rows.back().log_bytes = i;
  }
  ASSERT_TRUE(store.Put(rows).ok());
  const auto entries = store.Entries("t00076", 5000);
  ASSERT_EQ(entries->size(), 5000u);
  EXPECT_EQ((*entries)[0].id, "t00077");
  EXPECT_EQ((*entries)[0].log_bytes, 77);
  EXPECT_EQ(Tasks(store, {.states = {"running"}}).size(), 10u);
  EXPECT_EQ(Tasks(store, {.text = "t00042"}).size(), 1u);
  int tasks = 0;
  std::string before;
  for (bool more = true; more;) {
    const auto page = store.List({}, Encoding::kJson, 999, before);
    tasks += page->tasks.size();
    before = page->ids.back();
    more = page->more;
  }
  EXPECT_EQ(tasks, 10000);
}

// Makes more shapes of queries than there are cached statements.
TEST_F(TaskStoreTest, ManyShapesOfQueries) {
  TaskStore store = Open();
  ASSERT_TRUE(store.Put({Row("a"), Row("b")}).ok());
  for (int i = 1; i < 500; ++i) {
    const auto page = store.List({}, Encoding::kJson, i, "");
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_EQ(page->tasks.size(), i == 1 ? 1u : 2u);
  }
}

}  // namespace
}  // namespace troika
