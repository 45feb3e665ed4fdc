#include "base/read_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

class ReadFileTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.Path(name); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    folder_.Write(name, bytes);
    return Path(name);
  }

  const TempFolder folder_;
};

TEST_F(ReadFileTest, ReadsUpToTheLimit) {
  const std::string path = Write("file", std::string(100000, 'x'));
  EXPECT_EQ(ReadFileUpTo(path, 100000).value(), std::string(100000, 'x'));
  const auto over = ReadFileUpTo(path, 99999);
  EXPECT_EQ(over.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(over.status().message()),
              HasSubstr(path + ": it is over the limit of 99999 bytes"));
  EXPECT_TRUE(CheckFileUpTo(path, 100000).ok());
  EXPECT_FALSE(CheckFileUpTo(path, 99999).ok());
  EXPECT_EQ(ReadFileUpTo(Write("empty", ""), 0).value(), "");
}

TEST_F(ReadFileTest, ReadsBelowAnOpenFolder) {
  Write("file", "text");
  EXPECT_EQ(ReadFileUpTo(folder_.fd(), "file", 10).value(), "text");
  EXPECT_TRUE(
      absl::IsNotFound(ReadFileUpTo(folder_.fd(), "other", 10).status()));
}

TEST_F(ReadFileTest, ReadsTheStartAndTheEnd) {
  const std::string path = Write("file", "0123456789");
  EXPECT_EQ(ReadFileHead(path, 3).value(), "012");
  EXPECT_EQ(ReadFileTail(path, 3).value(), "789");
  EXPECT_EQ(ReadFileHead(path, 100).value(), "0123456789");
  EXPECT_EQ(ReadFileTail(path, 100).value(), "0123456789");
}

// The file is a terabyte long, without a block on the disk.
TEST_F(ReadFileTest, RefusesSparseFilesBeforeReading) {
  const std::string path = Write("sparse", "");
  ASSERT_EQ(truncate(path.c_str(), int64_t{1} << 40), 0);
  EXPECT_FALSE(ReadFileUpTo(path, size_t{1} << 20).ok());
  EXPECT_FALSE(CheckFileUpTo(path, size_t{1} << 20).ok());
  EXPECT_EQ(ReadFileHead(path, 10).value(), std::string(10, '\0'));
  EXPECT_EQ(ReadFileTail(path, 10).value(), std::string(10, '\0'));
}

// Files in /proc report a size of 0, so only reading shows their size.
TEST_F(ReadFileTest, RefusesFilesThatHoldMoreThanTheySay) {
  EXPECT_TRUE(ReadFileUpTo("/proc/self/status", 1 << 20).ok());
  EXPECT_TRUE(CheckFileUpTo("/proc/self/status", 10).ok());
  EXPECT_FALSE(ReadFileUpTo("/proc/self/status", 10).ok());
}

TEST_F(ReadFileTest, RefusesFilesThatGrowWhileTheyAreRead) {
  const std::string path = Write("growing", "x");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::ofstream file(path, std::ios::app);
    while (!done) file << std::string(1000, 'x') << std::flush;
  });
  constexpr size_t kLimit = 200000;
  while (true) {
    const auto read = ReadFileUpTo(path, kLimit);
    if (!read.ok()) break;
    ASSERT_LE(read->size(), kLimit);
  }
  done = true;
  writer.join();
}

TEST_F(ReadFileTest, RefusesWhatIsNoRegularFileAtOnce) {
  const std::string pipe = Path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string link = Path("link");
  ASSERT_EQ(symlink("pipe", link.c_str()), 0);
  const std::string socket_path = Path("socket");
  const UniqueFd socket_fd(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {.sun_family = AF_UNIX};
  const std::string short_path =
      "/proc/self/fd/" + std::to_string(folder_.fd()) + "/socket";
  ASSERT_LT(short_path.size(), sizeof(address.sun_path));
  std::memcpy(address.sun_path, short_path.data(), short_path.size());
  ASSERT_EQ(bind(socket_fd.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof(address)),
            0);
  const struct {
    std::string path, kind;
  } cases[] = {{pipe, "a pipe"},
               {link, "a pipe"},
               {folder_.path(), "a folder"},
               {socket_path, "a socket"},
               {"/dev/zero", "a device"}};
  for (const auto& c : cases) {
    for (const absl::Status& status :
         {ReadFileUpTo(c.path, 10).status(), ReadFileHead(c.path, 10).status(),
          ReadFileTail(c.path, 10).status(), CheckFileUpTo(c.path, 10)}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr(c.path + ": it is " + c.kind));
    }
  }
}

TEST_F(ReadFileTest, NamesWhatIsMissing) {
  const auto read = ReadFileUpTo(Path("missing"), 10);
  EXPECT_TRUE(absl::IsNotFound(read.status()));
  EXPECT_THAT(std::string(read.status().message()), HasSubstr(Path("missing")));
  EXPECT_FALSE(ReadFileUpTo(std::string("a\0b", 3), 10).ok());
}

TEST_F(ReadFileTest, LimitsAreShownInTheirUnit) {
  EXPECT_EQ(ByteLimitText(10 << 20), "10 MiB");
  EXPECT_EQ(ByteLimitText(128 << 10), "128 KiB");
  EXPECT_EQ(ByteLimitText(1000), "1000 bytes");
}

}  // namespace
}  // namespace troika
