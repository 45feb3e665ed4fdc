// Helpers for tests of the index of tasks.
#ifndef TROIKA_STORE_TESTING_H_
#define TROIKA_STORE_TESTING_H_

#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "store/task_store.h"

namespace troika {

inline TaskRow Row(absl::string_view id) {
  TaskRow row;
  row.id = std::string(id);
  row.state = "done";
  row.harness = "codex";
  row.cwd = "/src";
  row.title = absl::StrCat("Title of ", id);
  row.prompt = absl::StrCat("Prompt of ", id);
  row.task_json = absl::StrCat(R"({"id":")", id, R"("})");
  row.task_pb = std::string("\0\xFF", 2) + row.id;
  return row;
}

class TaskStoreTest : public ::testing::Test {
 protected:
  TaskStoreTest()
      : folder_(absl::StrCat(
            ::testing::TempDir(), "/",
            ::testing::UnitTest::GetInstance()->current_test_info()->name(),
            getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~TaskStoreTest() override { std::filesystem::remove_all(folder_); }

  TaskStore Open() {
    absl::StatusOr<TaskStore> store = TaskStore::Open(path());
    if (!store.ok()) ADD_FAILURE() << store.status();
    return *std::move(store);
  }
  std::string path() const { return folder_ + "/tasks.db"; }

  const std::string folder_;
};

// Ids of the tasks that match.
inline std::vector<std::string> Tasks(TaskStore& store,
                                      const TaskFilter& filter) {
  auto page = store.List(filter, Encoding::kBinary, 100, "");
  EXPECT_TRUE(page.ok()) << page.status();
  std::vector<std::string> ids;
  for (const std::string& pb : page->tasks) ids.push_back(pb.substr(2));
  return ids;
}

}  // namespace troika

#endif  // TROIKA_STORE_TESTING_H_
