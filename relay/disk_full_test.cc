// Tests relays whose log can't grow: on a full disk, and under a limit on the
// size of files, which needs no privileges and has the same effect.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/fd.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kDiskBytes = 4 << 20;
constexpr int64_t kRoom = 256 << 10;

void WriteFile(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// Enters a new mount namespace, as root or in a user namespace.
absl::Status EnterNamespace() {
  const uid_t uid = getuid();
  const gid_t gid = getgid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return absl::ErrnoToStatus(errno, "unshare the mounts");
    }
    WriteFile("/proc/self/setgroups", "deny");
    WriteFile("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1"));
    WriteFile("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1"));
  }
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return absl::ErrnoToStatus(
        errno, "make the mounts private, for which / has to be a mount point");
  }
  return absl::OkStatus();
}

absl::Status MountSmallDisk(const std::string& path) {
  const absl::Status entered = EnterNamespace();
  if (!entered.ok()) return entered;
  if (mount("none", path.c_str(), "tmpfs", 0,
            absl::StrCat("size=", kDiskBytes).c_str()) != 0) {
    return absl::ErrnoToStatus(errno, "mount a tmpfs");
  }
  return absl::OkStatus();
}

// Returns the result of MountSmallDisk() in another process, because a
// namespace can't be left if the mount fails, and in a chroot the paths in
// /proc, by which we find our programs, are wrong in it.
absl::Status TryMountSmallDisk(const std::string& path) {
  int fds[2];
  CHECK(pipe2(fds, O_CLOEXEC) == 0);
  UniqueFd reader(fds[0]);
  UniqueFd writer(fds[1]);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    const absl::Status status = MountSmallDisk(path);
    const std::string text(status.message());
    const bool told = write(fds[1], text.data(), text.size()) >= 0;
    _exit(status.ok() && told ? 0 : 1);
  }
  writer.Reset();
  char text[512];
  const ssize_t size = read(reader.get(), text, sizeof(text));
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  if (status == 0) return absl::OkStatus();
  return absl::UnavailableError(std::string(text, size > 0 ? size : 0));
}

// Returns the folder of a small disk, which holds all task folders from then
// on, or the reason why this machine does not permit one.
const absl::StatusOr<std::string>& SmallDisk() {
  static const auto* const disk = [] {
    const std::string path = absl::StrCat(getenv("TEST_TMPDIR"), "/small_disk");
    mkdir(path.c_str(), 0700);
    absl::Status status = TryMountSmallDisk(path);
    if (status.ok()) status = MountSmallDisk(path);
    return status.ok() ? new absl::StatusOr<std::string>(path)
                       : new absl::StatusOr<std::string>(status);
  }();
  return *disk;
}

// Keeps a relay's log from growing.
class Obstacle {
 public:
  virtual ~Obstacle() = default;
  virtual void Raise(TestRelay& relay) = 0;
  virtual void Remove() = 0;
};

class FullDisk : public Obstacle {
 public:
  ~FullDisk() override { Remove(); }
  void Raise(TestRelay&) override { Fill(kRoom); }
  void Remove() override { unlink(Path().c_str()); }

  // Leaves `room` bytes free.
  static void Fill(int64_t room) {
    const UniqueFd fd(
        open(Path().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string chunk(4096, 'f');
    int64_t size = 0;
    while (write(fd.get(), chunk.data(), chunk.size()) == 4096) size += 4096;
    ASSERT_EQ(errno, ENOSPC);
    ASSERT_EQ(ftruncate(fd.get(), size - room), 0);
  }

 private:
  static std::string Path() { return *SmallDisk() + "/filler"; }
};

class SizeLimit : public Obstacle {
 public:
  void Raise(TestRelay& relay) override {
    // Until the guard runs, its process has the name of its relay.
    while (RelayProcess(relay.folder().path(), "troika-guard") == 0) {
      absl::SleepFor(absl::Milliseconds(1));
    }
    pid_ = RelayProcess(relay.folder().path(), "troika-relay");
    ASSERT_GT(pid_, 0);
    Set(kRoom);
  }
  void Remove() override { Set(RLIM_INFINITY); }

 private:
  void Set(rlim_t bytes) {
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    ASSERT_EQ(prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr), 0);
  }

  pid_t pid_ = 0;
};

enum class Kind { kFullDisk, kSizeLimit };

class DiskFullTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (GetParam() == Kind::kSizeLimit) {
      obstacle_ = std::make_unique<SizeLimit>();
    } else if (!SmallDisk().ok()) {
      GTEST_SKIP() << "no small disk here: " << SmallDisk().status().message();
    } else {
      setenv("TEST_TMPDIR", SmallDisk()->c_str(), 1);
      obstacle_ = std::make_unique<FullDisk>();
    }
  }

  // Returns the next trouble that the relay reports, or nullopt if it is gone.
  static std::optional<std::string> NextTrouble(Client& client) {
    while (true) {
      const auto news = client.OnPolled();
      if (!news.ok()) return std::nullopt;
      if (news->trouble) return news->trouble;
      pollfd fd = {.fd = client.fd(), .events = client.events()};
      if (poll(&fd, 1, 20000) <= 0) return std::nullopt;
    }
  }

  std::unique_ptr<Obstacle> obstacle_;
};

std::string Seq(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) absl::StrAppend(&text, i, "\n");
  return text;
}

TEST_P(DiskFullTest, TheAgentWaitsAndNothingIsLost) {
  TestRelay relay("read x; seq 1 60000; echo over >&2; exit 3");
  ASSERT_TRUE(relay.started().ok()) << relay.started();
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  obstacle_->Raise(relay);
  // The answer may come together with the trouble, which Ask() could miss.
  driver->Send({.key = "go", .payload = "\n"});
  const auto trouble = NextTrouble(*driver);
  ASSERT_TRUE(trouble.has_value());
  EXPECT_THAT(*trouble, HasSubstr("the agent waits"));
  EXPECT_EQ(relay.Ask(*driver, {.key = "more", .payload = "x\n"}).code,
            ReplyCode::kExhausted);
  // Later clients are told, too.
  auto watcher = Client::Connect(relay.dir_fd(), Role::kWatcher);
  ASSERT_TRUE(watcher.ok());
  EXPECT_EQ(NextTrouble(*watcher), trouble);
  EXPECT_THAT(Notes(relay.Log(), "exited"), IsEmpty());
  obstacle_->Remove();
  EXPECT_EQ(NextTrouble(*driver), "");
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_TRUE(Joined(log, Stream::kStdout) == Seq(60000));
  EXPECT_EQ(Joined(log, Stream::kStderr), "over\n");
  ASSERT_THAT(Notes(log, "trouble"), SizeIs(1));
  EXPECT_THAT(Notes(log, "trouble")[0], HasSubstr("nothing of it is lost"));
  EXPECT_THAT(log.records.back().payload, HasSubstr("\"code\":3"));
}

// The output that the disk does not take fits into the agent's pipe.
TEST_P(DiskFullTest, AnAgentThatEndsMeanwhileIsRecordedToo) {
  TestRelay relay("read x; seq 1 60000; exit 3");
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  obstacle_->Raise(relay);
  driver->Send({.key = "go", .payload = "\n"});
  EXPECT_NE(NextTrouble(*driver).value_or(""), "");
  absl::SleepFor(absl::Milliseconds(500));
  obstacle_->Remove();
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  EXPECT_THAT(log.damages, IsEmpty());
  EXPECT_TRUE(Joined(log, Stream::kStdout) == Seq(60000));
  EXPECT_THAT(log.records.back().payload, HasSubstr("\"code\":3"));
}

TEST_P(DiskFullTest, AfterAWhileTheAgentIsStopped) {
  TestRelay relay("read x; seq 1 10000000",
                  {.grace = absl::Milliseconds(100),
                   .disk_full_wait = absl::Milliseconds(300)});
  const auto driver = relay.Connect(Role::kDriver);
  ASSERT_NE(driver, nullptr);
  obstacle_->Raise(relay);
  driver->Send({.key = "go", .payload = "\n"});
  EXPECT_NE(NextTrouble(*driver).value_or(""), "");
  ASSERT_TRUE(relay.WaitForEnd());
  const CollectingSink log = relay.Log();
  // The log begins with the agent's output, without a gap.
  const std::string said = Joined(log, Stream::kStdout);
  EXPECT_GT(said.size(), 1000);
  EXPECT_EQ(Seq(60000).compare(0, said.size(), said), 0);
  if (GetParam() == Kind::kSizeLimit) {
    // The reserve does not help there, so the clients are told.
    EXPECT_THAT(NextTrouble(*driver).value_or(""),
                HasSubstr("the log's last record is lost"));
    return;
  }
  EXPECT_THAT(log.records.back().payload,
              HasSubstr("the log could not be written for 0.3 s"));
  EXPECT_THAT(log.records.back().payload, HasSubstr("\"discarded_bytes\":"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DiskFullTest,
                         ::testing::Values(Kind::kFullDisk, Kind::kSizeLimit),
                         [](const auto& info) {
                           return info.param == Kind::kFullDisk ? "FullDisk"
                                                                : "SizeLimit";
                         });

TEST(DiskFullStartTest, AStartOnAFullDiskSaysWhy) {
  if (!SmallDisk().ok()) {
    GTEST_SKIP() << "no small disk here: " << SmallDisk().status().message();
  }
  setenv("TEST_TMPDIR", SmallDisk()->c_str(), 1);
  const TempFolder folder;
  SystemClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(log.ok());
  log->Append({.payload = std::string(5000, 'n')});
  ASSERT_TRUE(log->Flush().ok());
  FullDisk disk;
  FullDisk::Fill(0);
  auto ready = StartRelay(*FindRelayProgram(),
                          {.argv = {"/bin/true"},
                           .cwd = "/",
                           .spawned_note = std::string(5000, 's')},
                          *std::move(log), folder.fd());
  ASSERT_TRUE(ready.ok()) << ready.status();
  EXPECT_EQ(RelayStarted(*ready).message(),
            "the relay could not start the agent: write the log: "
            "No space left on device");
}

}  // namespace
}  // namespace troika::relay
