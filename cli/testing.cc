#include "cli/testing.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

// A file without a name, that closes itself.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("test", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  void Rewind() { lseek(fd_, 0, SEEK_SET); }
  std::string Contents() {
    Rewind();
    std::string bytes;
    char chunk[4096];
    while (true) {
      const absl::StatusOr<size_t> n = ReadSome(fd_, absl::MakeSpan(chunk));
      if (!n.ok() || *n == 0) return bytes;
      bytes.append(chunk, *n);
    }
  }

 private:
  const int fd_;
};

}  // namespace

Outcome RunWithInput(absl::string_view input,
                     const std::function<int(const Io&)>& run) {
  MemoryFile in, out, err;
  if (!WriteAll(in.fd(), input).ok()) return {.exit_code = -1};
  in.Rewind();
  const int exit_code = run({.in = in.fd(), .out = out.fd(), .err = err.fd()});
  return {.exit_code = exit_code, .out = out.Contents(), .err = err.Contents()};
}

v1::Task WaitingTask() {
  v1::Task task;
  task.set_id("t1");
  task.set_state(v1::Task::awaiting_approval);
  task.set_cwd("/w");
  v1::Approval& approval = *task.add_approvals();
  approval.set_id("a1");
  approval.set_tool_name("Bash");
  (*approval.mutable_input()
        ->mutable_struct_value()
        ->mutable_fields())["command"]
      .set_string_value("rm -r build");
  v1::Question& question = *task.add_questions();
  question.set_id("q1");
  question.add_items()->set_text("Which?");
  question.mutable_items(0)->add_options("red");
  return task;
}

void ExpectGoldens(const Goldens& goldens) {
  for (const auto& [path, text] : goldens) {
    EXPECT_EQ(ReadFile(path, size_t{1} << 24).value_or(""), text)
        << "If that is right: bazel run " << getenv("TEST_TARGET")
        << " -- --update";
  }
}

int GoldenMain(int argc, char** argv, Goldens (*goldens)()) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 2 || std::string(argv[1]) != "--update") return RUN_ALL_TESTS();
  const char* const workspace = getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    std::cerr << "--update works only with bazel run\n";
    return kExitUsage;
  }
  for (const auto& [path, text] : goldens()) {
    std::ofstream(absl::StrCat(workspace, "/", path), std::ios::binary) << text;
  }
  return kExitOk;
}

}  // namespace troika::cli
