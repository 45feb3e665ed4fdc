#include "server/task_index.h"

#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/event_loop.h"
#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "server/changes.h"
#include "server/task_deleter.h"
#include "server/task_rows.h"
#include "server/task_tools.h"
#include "task/home.h"

namespace troika {
namespace {

using ::testing::ElementsAre;

TaskRow Row(absl::string_view id) {
  TaskRow row;
  row.id = std::string(id);
  row.state = "done";
  row.ended = true;
  row.harness = "codex";
  row.title = absl::StrCat("Title of ", id);
  row.task_json = absl::StrCat("{\"id\":\"", id, "\"}");
  return row;
}

class TaskIndexTest : public ::testing::Test {
 protected:
  TaskIndexTest() { Open(); }

  void Open() {
    auto index = TaskIndex::Open(&loop_, path());
    EXPECT_TRUE(index.ok()) << index.status();
    index_ = *std::move(index);
  }
  std::string path() const { return folder_.path() + "/index.sqlite"; }
  std::vector<std::string> List(const TaskFilter& filter) {
    absl::StatusOr<TaskStore::Page> page = absl::UnknownError("no answer");
    index_->List(filter, Encoding::kJson, 100, "",
                 [&](absl::StatusOr<TaskStore::Page> found) {
                   page = std::move(found);
                   loop_.Stop();
                 });
    loop_.Run();
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->ids : std::vector<std::string>();
  }

  const TempFolder folder_;
  EventLoop loop_;
  std::unique_ptr<TaskIndex> index_;
};

TEST_F(TaskIndexTest, ReadsSeeWhatWasPutBefore) {
  index_->Put({Row("a"), Row("b")});
  EXPECT_THAT(List({}), ElementsAre("b", "a"));
  index_->Put({Row("c")});
  // By the reader's connection.
  EXPECT_THAT(List({.text = "title of c"}), ElementsAre("c"));
  index_->Remove({"c"});
  EXPECT_THAT(List({.text = "title"}), ElementsAre("b", "a"));
}

TEST_F(TaskIndexTest, WhatWasPutIsWrittenAtTheEnd) {
  index_->Put({Row("a")});
  index_.reset();
  Open();
  EXPECT_THAT(List({}), ElementsAre("a"));
}

TEST_F(TaskIndexTest, ADamagedFileIsBegunAnewAndTold) {
  std::vector<TaskRow> rows;
  for (int i = 100; i < 400; ++i) rows.push_back(Row(absl::StrCat("t", i)));
  index_->Put(rows);
  index_.reset();
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file << std::string(30000, 'x');
  }
  Open();
  index_->SetOnLost([this] { loop_.Stop(); });
  index_->Check();
  loop_.Run();
  index_->Put({Row("a")});
  EXPECT_THAT(List({}), ElementsAre("a"));
  EXPECT_THAT(List({.text = "title"}), ElementsAre("a"));
}

// SQLite on the loop's thread aborts tests, by name.
TEST_F(TaskIndexTest, TheLoopsThreadMustNotUseSqlite) {
  index_->Put({Row("a")});
  EXPECT_DEATH(
      {
        loop_.Post([this] { TaskStore::Open(path()).IgnoreError(); });
        loop_.Run();
      },
      "opening the index may block");
}

class RetentionTest : public TaskIndexTest {
 protected:
  RetentionTest()
      : home_(*troika::Home::Open(
            Environment({{"TROIKA_HOME", folder_.path() + "/home"}}))) {}

  void AddTask(const std::string& id, int64_t ended, int log, int events) {
    const std::string folder = home_.path() + "/tasks/" + id;
    mkdir(folder.c_str(), 0700);
    std::ofstream(folder + "/log.v1") << std::string(log, 'x');
    std::ofstream(folder + "/events.v1") << std::string(events, 'x');
    TaskRow row = Row(id);
    row.ended_at = absl::FromUnixMicros(ended);
    index_->Put({row});
  }
  std::vector<std::string> Deleted(const Retention::Limits& limits) {
    ThreadPool pool(&loop_, 1);
    std::vector<std::string> deleted;
    Retention retention(
        {.pool = &pool, .index = index_.get(), .home = &home_},
        [&](std::vector<std::string> ids, absl::AnyInvocable<void()> done) {
          deleted.insert(deleted.end(), ids.begin(), ids.end());
          done();
        });
    retention.Run(limits);
    retention.Run(limits);  // Is at work.
    while (retention.running()) {
      loop_.Post([this] { loop_.Stop(); });
      loop_.Run();
    }
    return deleted;
  }

  const Home home_;
};

TEST_F(RetentionTest, DeletesTheOldestThatAreTooOldOrTooMuch) {
  AddTask("a", 300, 10, 100);
  AddTask("b", 100, 10, 100);
  AddTask("c", 200, 10, 1000);
  EXPECT_THAT(Deleted({}), ElementsAre());
  EXPECT_THAT(Deleted({.ended_before = absl::FromUnixMicros(200)}),
              ElementsAre("b"));
  EXPECT_THAT(Deleted({.ended_before = absl::FromUnixMicros(1000)}),
              ElementsAre("b", "c", "a"));
  // Logs alone would fit.
  EXPECT_THAT(Deleted({.max_bytes = 1150}), ElementsAre("b"));
  EXPECT_THAT(Deleted({.max_bytes = 200}), ElementsAre("b", "c"));
  EXPECT_THAT(Deleted({.max_bytes = 10000}), ElementsAre());
}

TEST_F(RetentionTest, WorksInPages) {
  std::vector<TaskRow> rows;
  for (int i = 0; i < 2500; ++i) {
    rows.push_back(Row(absl::StrCat("t", 10000 + i)));
    rows.back().ended_at = absl::FromUnixMicros(i);
  }
  index_->Put(rows);
  EXPECT_EQ(Deleted({.ended_before = absl::FromUnixMicros(2200)}).size(),
            2200u);
}

// A change that has read the former row must not undo what the task's log said
// meanwhile.
TEST_F(TaskIndexTest, ARowThatIsPutOutdatesChangesUnderWay) {
  Changes changes(1);
  const TaskTools tools = {
      .loop = &loop_, .index = index_.get(), .changes = &changes};
  TaskRows rows(&tools, [](const std::string&) { return false; });
  const auto state = [&] {
    std::string found;
    index_->Ask<std::optional<TaskRow>>(
        [](BufferedTaskStore& store) { return store.Get("a"); },
        [&](const absl::StatusOr<std::optional<TaskRow>>& row) {
          found = row.ok() && *row ? (*row)->title : "none";
          loop_.Stop();
        });
    loop_.Run();
    return found;
  };
  const auto put = [&](absl::string_view title) {
    TaskRow row = Row("a");
    row.title = std::string(title);
    rows.Put(std::move(row));
  };
  put("first");
  rows.PutLost("a", absl::DataLossError("gone"));
  put("second");
  EXPECT_EQ(state(), "second");
  EXPECT_EQ(state(), "second");
}

}  // namespace
}  // namespace troika
