// Folders with files for tests.
#ifndef TROIKA_AGENT_TESTING_FILES_H_
#define TROIKA_AGENT_TESTING_FILES_H_

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace troika {

// A folder of its own, removed at the end.
class TestFolder {
 public:
  TestFolder() {
    std::string name = absl::StrCat(testing::TempDir(), "/troika.XXXXXX");
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = std::filesystem::canonical(name);
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string Path(absl::string_view name) const {
    return path_ / std::string(name);
  }

  // Last changed at that second. Makes the folders on the way.
  void Write(absl::string_view name, absl::string_view text,
             int64_t changed = 1000000000) const {
    const std::string path = Path(name);
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << text;
    const struct timespec times[2] = {{.tv_sec = changed}, {.tv_sec = changed}};
    EXPECT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }

  void WriteProgram(absl::string_view name, absl::string_view script) const {
    Write(name, absl::StrCat("#!/bin/sh\n", script));
    EXPECT_EQ(chmod(Path(name).c_str(), 0755), 0);
  }

  std::string Read(absl::string_view name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  std::filesystem::path path_;
};

}  // namespace troika

#endif  // TROIKA_AGENT_TESTING_FILES_H_
