#include "relay/relay_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "relay/note_text.h"

namespace troika::relay {
namespace {

constexpr char kReserveName[] = "reserve";
constexpr int64_t kReserveBytes = 64 << 10;
// Longest rest of a partly written record that the reserve has room for.
constexpr size_t kMaxRest = size_t{32} << 10;

}  // namespace

void Syncer::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Syncer::Request() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_) return;
    wanted_ = true;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  changed_.notify_one();
}

void Syncer::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return wanted_ || stopped_; });
    if (stopped_) return;
    wanted_ = false;
    lock.unlock();
    // An error can't be handled here; the last sync reports it.
    fdatasync(fd_);
    lock.lock();
  }
}

void RelayLog::AppendNote(absl::string_view text, absl::string_view key) {
  log_.Append({.key = key, .payload = text});
  note_unsynced_ = true;
}

void RelayLog::Reserve() {
  const UniqueFd fd(openat(dir_fd_, kReserveName,
                           O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  // Without the reserve the last record may be lost; the next reader notices.
  if (fd.ok()) (void)posix_fallocate(fd.get(), 0, kReserveBytes);
}

void RelayLog::FreeReserve() { unlinkat(dir_fd_, kReserveName, 0); }

absl::Status RelayLog::WriteFirst() {
  RETURN_IF_ERROR(log_.Flush());
  note_unsynced_ = false;
  unsynced_ = true;
  clients_->SendTip(tip());
  return absl::OkStatus();
}

void RelayLog::SyncSoon() {
  if (std::exchange(note_unsynced_, false)) syncer_.Request();
}

bool RelayLog::Write() {
  if (!waits()) return false;
  const absl::Status written = log_.Flush();
  OnWritten(written);
  unsynced_ = true;
  return written.ok();
}

void RelayLog::Commit() {
  if (!Write()) return;
  clients_->SendTip(tip());
  SyncSoon();
}

void RelayLog::CommitAndSync() {
  if (!Write()) return;
  note_unsynced_ = false;
  log_.Sync().IgnoreError();
  clients_->SendTip(tip());
}

void RelayLog::OnDriverWrote() {
  unsynced_ = true;
  clients_->SendTip(tip());
}

void RelayLog::OnWritten(const absl::Status& written) {
  if (written.ok() == !failing_since_) return;
  const absl::Time now = clock_->Awake();
  if (!written.ok()) {
    failing_since_ = now;
    return clients_->SendTrouble(
        absl::StrCat("the agent waits because its log can't be written: ",
                     written.message()));
  }
  // The log keeps the trouble forever; for the clients it is over.
  AppendNote(NoteText("trouble")
                 .String("text", absl::StrCat("the log could not be written "
                                              "for ",
                                              absl::ToInt64Milliseconds(
                                                  now - *failing_since_),
                                              " ms; nothing of it is lost"))
                 .Take());
  failing_since_.reset();
  log_.Flush().IgnoreError();
  clients_->SendTrouble("");
}

std::string RelayLog::OnTick() {
  if (std::exchange(unsynced_, false)) syncer_.Request();
  struct stat file = {};
  if (fstat(log_.fd(), &file) != 0) {
    return absl::StrCat("the size of the log is unknown: ", strerror(errno));
  }
  if (file.st_nlink == 0) return "the task's log was removed";
  struct stat named = {};
  if (fstatat(dir_fd_, kLogName, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      named.st_ino != file.st_ino || named.st_dev != file.st_dev) {
    return "the task's log was renamed, or another file took its place";
  }
  if (file.st_size < log_.offset()) {
    return absl::StrCat("another process truncated the log from ",
                        log_.offset(), " to ", file.st_size, " bytes");
  }
  return "";
}

int64_t RelayLog::DropWaiting() {
  if (!waits()) return 0;
  FreeReserve();
  return log_.DropPending(kMaxRest);
}

absl::Status RelayLog::Finish() {
  syncer_.Stop();
  const absl::Status written = log_.Flush();
  const absl::Status synced = log_.Sync();
  return written.ok() ? synced : written;
}

}  // namespace troika::relay
