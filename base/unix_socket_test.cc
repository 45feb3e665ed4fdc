#include "base/unix_socket.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

TEST(UnixSocketTest, ReplacesOnlyStaleSockets) {
  const TempFolder folder;
  auto first = ListenUnix(folder.fd(), "s");
  ASSERT_TRUE(first.ok()) << first.status();
  struct stat info;
  ASSERT_EQ(fstatat(folder.fd(), "s", &info, 0), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_EQ(ListenUnix(folder.fd(), "s").status().message(),
            "listen on s: another program listens there; stop it first");
  *first = UniqueFd();
  EXPECT_TRUE(ListenUnix(folder.fd(), "s").ok());
  const UniqueFd file(
      openat(folder.fd(), "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  EXPECT_EQ(ListenUnix(folder.fd(), "file").status().code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(ListenUnix(folder.fd(), std::string(200, 'x')).ok());
}

}  // namespace
}  // namespace troika
