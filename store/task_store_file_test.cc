// The file of the index: who may read it, and what is done about files that are
// damaged or of another version.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "store/sqlite.h"
#include "store/task_store.h"
#include "store/testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using TaskStoreFileTest = TaskStoreTest;

TEST_F(TaskStoreFileTest, OnlyItsOwnerReadsIt) {
  const TaskStore store = Open();
  for (const absl::string_view suffix : {"", "-wal", "-shm"}) {
    struct stat info;
    ASSERT_EQ(stat(absl::StrCat(path(), suffix).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_F(TaskStoreFileTest, WhatIsNoDatabaseIsMovedAside) {
  for (int i = 1; i <= 2; ++i) {
    std::ofstream(path(), std::ios::trunc) << std::string(10000, 'x');
    TaskStore store = Open();
    EXPECT_THAT(store.repaired(), HasSubstr(absl::StrCat(".broken-", i)));
    EXPECT_THAT(Tasks(store, {}), IsEmpty());
    ASSERT_TRUE(store.Put({Row("a")}).ok());
    EXPECT_EQ(std::filesystem::file_size(absl::StrCat(path(), ".broken-", i)),
              10000u);
  }
  EXPECT_EQ(Open().repaired(), "");
}

TEST_F(TaskStoreFileTest, AFolderOrAnotherDatabaseIsMovedAside) {
  std::filesystem::create_directory(path());
  EXPECT_THAT(Open().repaired(), HasSubstr(".broken-1"));
  std::filesystem::remove(path());
  {
    auto other = Database::Open(path());
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->Execute("CREATE TABLE theirs (x)").ok());
  }
  EXPECT_THAT(Open().repaired(), HasSubstr(".broken-2"));
  // If the file can't be created, the index is in memory.
  auto nowhere = TaskStore::Open(folder_ + "/none/tasks.db");
  ASSERT_TRUE(nowhere.ok()) << nowhere.status();
  EXPECT_THAT(nowhere->trouble(), HasSubstr("in memory"));
  EXPECT_FALSE(nowhere->shared());
  EXPECT_TRUE(nowhere->Put({Row("a")}).ok());
}

TEST_F(TaskStoreFileTest, DamageAnywhereNeverCrashes) {
  {
    TaskStore store = Open();
    std::vector<TaskRow> rows;
    for (int i = 0; i < 200; ++i) {
      rows.push_back(Row(absl::StrFormat("t%03d", i)));
      rows.back().labels = {{"a", absl::StrCat(i)}};
    }
    ASSERT_TRUE(store.Put(rows).ok());
  }
  std::ifstream in(path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(whole.size(), 20000u);
  int repaired = 0;
  for (size_t at = 0; at < whole.size(); at += 1511) {
    std::string damaged = whole;
    for (size_t i = at; i < std::min(at + 64, damaged.size()); ++i) {
      damaged[i] = static_cast<char>(damaged[i] ^ 0x5A);
    }
    std::ofstream(path(), std::ios::binary | std::ios::trunc) << damaged;
    auto store = TaskStore::Open(path());
    // The damage may have hit the version.
    if (!store.ok()) {
      EXPECT_TRUE(absl::IsFailedPrecondition(store.status()));
      continue;
    }
    repaired += !store->repaired().empty() || !store->Check().ok();
    store->List({.labels = {{"a", "7"}}, .text = "t"}, Encoding::kJson, 50, "")
        .IgnoreError();
    store->Entries("", 1000).IgnoreError();
    store->Put({Row("new")}).IgnoreError();
  }
  EXPECT_GT(repaired, 0);
}

TEST_F(TaskStoreFileTest, AnOlderSchemaIsMadeAnew) {
  ASSERT_TRUE(Open().Put({Row("a")}).ok());
  {
    auto db = Database::Open(path());
    ASSERT_TRUE(db->Execute("PRAGMA user_version = 1").ok());
  }
  TaskStore store = Open();
  EXPECT_EQ(store.repaired(), "");
  EXPECT_THAT(Tasks(store, {}), IsEmpty());
}

TEST_F(TaskStoreFileTest, ANewerSchemaIsLeftAlone) {
  ASSERT_TRUE(Open().Put({Row("a")}).ok());
  {
    auto db = Database::Open(path());
    ASSERT_TRUE(db->Execute("PRAGMA user_version = 99").ok());
  }
  const absl::Status status = TaskStore::Open(path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.ToString(), HasSubstr("newer Troika"));
  EXPECT_TRUE(std::filesystem::exists(path()));
}

}  // namespace
}  // namespace troika
