#include "store/buffered_task_store.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TaskRow Row(absl::string_view id, absl::string_view state = "done") {
  TaskRow row;
  row.id = std::string(id);
  row.state = std::string(state);
  row.harness = "codex";
  row.title = absl::StrCat("Title of ", id);
  row.task_json = absl::StrCat(id, " ", state);
  return row;
}

class BufferedTaskStoreTest : public ::testing::Test {
 protected:
  BufferedTaskStoreTest()
      : folder_(absl::StrCat(
            ::testing::TempDir(), "/",
            ::testing::UnitTest::GetInstance()->current_test_info()->name(),
            getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~BufferedTaskStoreTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/tasks.db"; }
  BufferedTaskStore Open() {
    return BufferedTaskStore(*TaskStore::Open(path()));
  }
  // Keeps other connections from writing during its lifetime.
  struct Blocker {
    explicit Blocker(const std::string& path) : db(*Database::Open(path)) {
      EXPECT_TRUE(db.Execute("BEGIN IMMEDIATE").ok());
    }
    Database db;
  };

  const std::string folder_;
};

std::vector<std::string> List(BufferedTaskStore& store,
                              const TaskFilter& filter, int page_size = 100,
                              absl::string_view before_id = "") {
  return store.List(filter, Encoding::kJson, page_size, before_id)->tasks;
}

TEST_F(BufferedTaskStoreTest, WhatCantBeWrittenIsSeenByAllReads) {
  BufferedTaskStore store = Open();
  TaskRow first = Row("a1");
  first.idempotency_key = "k1";
  store.Put(first);
  store.Put(Row("a2"));
  store.Put(Row("b3"));
  ASSERT_TRUE(store.Flush().ok());
  {
    const Blocker blocker(path());
    TaskRow made = Row("a4", "running");
    made.idempotency_key = "k4";
    store.Put(made);
    store.Put(Row("a2", "failed"));
    store.Remove("b3");
    EXPECT_FALSE(store.Flush().ok());
    EXPECT_EQ(store.unwritten(), 3u);

    EXPECT_EQ((*store.Get("a4"))->state, "running");
    EXPECT_FALSE(store.Get("b3")->has_value());
    EXPECT_EQ(*store.ByIdempotencyKey("k1"), "a1");
    EXPECT_EQ(*store.ByIdempotencyKey("k4"), "a4");
    EXPECT_THAT(*store.WithPrefix("a", 2), ElementsAre("a4", "a2"));
    EXPECT_THAT(*store.WithPrefix("b", 2), IsEmpty());
    EXPECT_THAT(List(store, {}),
                ElementsAre("a4 running", "a2 failed", "a1 done"));
    EXPECT_THAT(List(store, {}, 2), ElementsAre("a4 running", "a2 failed"));
    EXPECT_TRUE(store.List({}, Encoding::kJson, 2, "")->more);
    EXPECT_THAT(List(store, {}, 2, "a2"), ElementsAre("a1 done"));
    EXPECT_THAT(List(store, {.states = {"failed"}}), ElementsAre("a2 failed"));
    EXPECT_THAT(List(store, {.text = "OF A4"}), ElementsAre("a4 running"));
    EXPECT_THAT(List(store, {.states = {"done"}}), ElementsAre("a1 done"));
  }
  ASSERT_TRUE(store.Flush().ok());
  EXPECT_EQ(store.unwritten(), 0u);
  EXPECT_THAT(List(store, {}),
              ElementsAre("a4 running", "a2 failed", "a1 done"));
  EXPECT_EQ(*store.ByIdempotencyKey("k4"), "a4");
}

TEST_F(BufferedTaskStoreTest, OfTwoTasksWithOneKeyTheFirstKeepsIt) {
  BufferedTaskStore store = Open();
  TaskRow first = Row("a1"), second = Row("a2");
  first.idempotency_key = second.idempotency_key = "k";
  store.Put(first);
  ASSERT_TRUE(store.Flush().ok());
  store.Put(second);
  ASSERT_TRUE(store.Flush().ok());
  EXPECT_EQ(*store.ByIdempotencyKey("k"), "a1");
  EXPECT_TRUE((*store.Get("a2"))->idempotency_key.empty());
  store.Remove("a1");
  EXPECT_TRUE(absl::IsNotFound(store.ByIdempotencyKey("k").status()));
}

TEST_F(BufferedTaskStoreTest, AReaderSeesWhatWasWritten) {
  BufferedTaskStore store = Open();
  ASSERT_TRUE(store.store().shared());
  auto reader = TaskStore::OpenReader(path());
  ASSERT_TRUE(reader.ok()) << reader.status();
  store.Put(Row("a1"));
  EXPECT_FALSE(reader->Get("a1")->has_value());
  ASSERT_TRUE(store.Flush().ok());
  EXPECT_TRUE(reader->Get("a1")->has_value());
  EXPECT_TRUE(reader->Check().ok());
  EXPECT_FALSE(reader->Put({Row("a2")}).ok());
}

}  // namespace
}  // namespace troika
