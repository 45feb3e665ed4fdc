#include "task/follower.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/fd.h"
#include "base/status_macros.h"
#include "relay/log_format.h"
#include "relay/log_search.h"
#include "relay/log_writer.h"
#include "task/budget.h"
#include "task/notes.h"
#include "task/replay.h"

namespace troika {
namespace {

constexpr absl::Duration kRetryDelay = absl::Milliseconds(20);
constexpr absl::Duration kAskToDriveAgain = absl::Seconds(1);
// A process has started by then.
constexpr absl::Duration kLeaseDelay = absl::Milliseconds(50);
constexpr char kLeaseKey[] = "lease";

// A ReplaySink that calls `on_record` after each record.
class ObservedSink : public ReplaySink {
 public:
  ObservedSink(Replay* replay, MessageSink sink,
               absl::AnyInvocable<void()>* on_record)
      : ReplaySink(replay, sink), on_record_(on_record) {}

  void OnRecord(const relay::LogRecord& record) override {
    ReplaySink::OnRecord(record);
    if (*on_record_) (*on_record_)();
  }

 private:
  absl::AnyInvocable<void()>* const on_record_;
};

int64_t LogSize(const TaskFolder& folder) {
  struct stat file = {};
  if (fstatat(folder.fd.get(), relay::kLogName, &file, 0) != 0) return 0;
  return file.st_size;
}

}  // namespace

absl::AnyInvocable<absl::StatusOr<relay::LogWriter>()> OpenLogForWriting(
    const TaskFolder& folder, Clock* clock) {
  return [dir = CopyOf(folder.fd), id = folder.id,
          clock]() -> absl::StatusOr<relay::LogWriter> {
    RETURN_IF_ERROR(dir.status());
    return relay::LogWriter::Open(dir->get(), id, clock);
  };
}

absl::StatusOr<UniqueFd> CopyOf(const UniqueFd& fd) {
  UniqueFd copy(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  if (!copy.ok()) return absl::ErrnoToStatus(errno, "copy a descriptor");
  return copy;
}

absl::StatusOr<relay::LogReader> OpenLog(const TaskFolder& folder) {
  auto reader = relay::LogReader::Open(folder.fd.get());
  if (absl::IsNotFound(reader.status())) {
    return absl::NotFoundError(
        absl::StrCat("task ", folder.id,
                     " has no log, as it was cut short or its log was "
                     "removed: give the prompt again, and remove ",
                     folder.path));
  }
  if (!reader.ok()) {
    return absl::Status(
        reader.status().code(),
        absl::StrCat("task ", folder.id, ": ", reader.status().message()));
  }
  return reader;
}

bool LogIsFree(const TaskFolder& folder) {
  const auto log = relay::OpenLogFile(folder.fd.get(), O_RDONLY);
  return log.ok() && flock(log->get(), LOCK_SH | LOCK_NB) == 0;
}

absl::StatusOr<Follower> Follower::Open(const TaskFolder* folder,
                                        Options options) {
  ASSIGN_OR_RETURN(relay::LogReader reader, OpenLog(*folder));
  return Follower(folder, std::move(options), std::move(reader));
}

Follower::Follower(const TaskFolder* folder, Options options,
                   relay::LogReader reader)
    : folder_(folder),
      options_(std::move(options)),
      reader_(std::move(reader)) {}

absl::Status Follower::Read(MessageSink sink) {
  ObservedSink records(&replay_, sink, &options_.on_record);
  return reader_.Read(records).status();
}

absl::Status Follower::ReadSome(MessageSink sink) {
  ObservedSink records(&replay_, sink, &options_.on_record);
  ASSIGN_OR_RETURN(const int64_t read,
                   reader_.Read(records, options_.max_read));
  at_end_ = read < options_.max_read;
  if (!at_end_ && behind_until_ == 0) behind_until_ = LogSize(*folder_);
  if (at_end_ || reader_.offset() >= behind_until_) behind_until_ = 0;
  caught_up_ = caught_up_ || !behind();
  if (!at_end_) wake_at_ = options_.clock->Awake();
  return absl::OkStatus();
}

void Follower::Listen() {
  if (!client_ || relay_gone_) return;
  auto news = client_->OnPolled();
  if (!news.ok()) {
    // We read what the relay wrote before it left, and then judge its end.
    relay_gone_ = true;
    behind_until_ = 0;
    return;
  }
  if (news->awake) relay_clock_.Saw(*news->awake, options_.clock->Awake());
  if (news->trouble) trouble_ = *news->trouble;
  for (auto& answer : news->replies) {
    if (answer.key != kLeaseKey) {
      answers_.push_back(std::move(answer));
    } else if (std::exchange(lease_asked_, false) && !news->lent.empty()) {
      OpenLease(std::move(news->lent));
    }
  }
}

void Follower::AskForLease() {
  if (role() != relay::Role::kDriver || options_.clock->Awake() < lease_at_) {
    return;
  }
  lease_at_ = absl::InfiniteFuture();
  lease_asked_ = true;
  Send({.type = relay::FrameType::kLend, .key = kLeaseKey});
}

void Follower::OpenLease(std::vector<UniqueFd> lent) {
  rlimit limit = {};
  // Descriptors that get few are for tasks and clients.
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
      static_cast<rlim_t>(lent.back().get()) > limit.rlim_cur / 2) {
    return;
  }
  auto lease = relay::LeasedOutput::Open(std::move(lent));
  if (!lease.ok()) return;  // The relay goes on to read.
  lease_ = *std::move(lease);
  ++connections_;
}

void Follower::DropLease() {
  lease_.reset();
  lease_asked_ = false;
  watches_lease_ = false;
}

void Follower::WatchLease() {
  if (lease_ == nullptr) return;
  watches_lease_ = lease_->reads();
  const absl::Duration pause = lease_->pause();
  if (pause > absl::ZeroDuration()) {
    wake_at_ = std::min(wake_at_, options_.clock->Awake() + pause);
  }
}

bool Follower::RecordLeased() {
  if (lease_ == nullptr || relay_gone_) return false;
  // What the relay records we can read later.
  const auto outcome = behind() ? lease_->Return() : lease_->Record();
  if (outcome == relay::LeasedOutput::Outcome::kReturned) {
    Send({.type = relay::FrameType::kReturn, .key = kLeaseKey});
  }
  return outcome == relay::LeasedOutput::Outcome::kRecorded;
}

absl::Status Follower::Advance(MessageSink sink) {
  wake_at_ = absl::InfiniteFuture();
  at_rest_ = false;
  // What the relay says meanwhile comes with the next call.
  if (!RecordLeased()) Listen();
  WatchLease();
  RETURN_IF_ERROR(ReadSome(sink));
  if (behind()) return absl::OkStatus();
  AskForLease();
  if (std::exchange(relay_gone_, false)) Disconnect();
  if (MustAskToDrive() && options_.clock->Awake() >= drive_at_) {
    client_.reset();
    DropLease();
  }
  if (!client_ && state().process_alive) Connect(sink);
  // With a relay, or without a process, we don't need the log's lock.
  if (client_ || !state().process_alive) open_log_.Take();
  if (client_ && state().awake.now) {
    relay_clock_.Saw(*state().awake.now, options_.clock->Awake());
  }
  if (MustAskToDrive()) wake_at_ = std::min(wake_at_, drive_at_);
  if (client_ || !at_end_) return absl::OkStatus();
  if (state().process_alive ||
      (state().turns_waiting > 0 && !AsksForBudget(state()))) {
    wake_at_ = std::min(wake_at_, options_.clock->Awake() + kRetryDelay);
    return absl::OkStatus();
  }
  at_rest_ = true;
  ObservedSink records(&replay_, sink, &options_.on_record);
  reader_.Finish(records);
  return absl::OkStatus();
}

void Follower::Disconnect() {
  // One that turns us away would do so again at once.
  if (!client_->role()) {
    connect_at_ = options_.clock->Awake() + kRetryDelay;
  }
  client_.reset();
  DropLease();
  // It was the relay's.
  trouble_.clear();
}

void Follower::Connect(MessageSink sink) {
  if (expected_) return Use(*std::exchange(expected_, std::nullopt));
  if (options_.clock->Awake() < connect_at_) return;
  auto client = relay::Client::Connect(folder_->fd.get(), relay::Role::kDriver);
  if (!client.ok()) return OnRelayMissing(sink);
  ++connections_;
  Use(*std::move(client));
}

void Follower::Use(relay::Client client) {
  client_ = std::move(client);
  relay_clock_.Forget();
  drive_at_ = options_.clock->Awake() + kAskToDriveAgain;
  lease_at_ = options_.clock->Awake() + kLeaseDelay;
}

void Follower::ExpectRelay(relay::Client client) {
  expected_ = std::move(client);
  ++connections_;
}

pid_t Follower::relay_pid() const {
  if (client_) return relay_gone_ ? 0 : client_->relay_pid();
  return expected_ ? expected_->relay_pid() : 0;
}

void Follower::OnRelayMissing(MessageSink sink) {
  if (append_lost_.running()) return;
  append_lost_.Take();
  if (!open_log_.busy()) {
    open_log_.Start(options_.executor,
                    OpenLogForWriting(*folder_, options_.clock));
  }
  auto log = open_log_.Take();
  // While the lock is held, a relay starts or a guard cleans up.
  if (!log || !log->ok()) return;
  // It may have written its last words since we looked.
  if (!ReadSome(sink).ok() || !state().process_alive) return;
  relay::LogWriter writer = **std::move(log);
  if (writer.offset() != reader_.offset()) return;
  writer.Append({.payload = notes::ToJson(notes::Lost{
                     .reason = "the relay of the agent is gone and left no "
                               "word of how the agent ended"})});
  append_lost_.Start(options_.executor, [writer = std::move(writer)]() mutable {
    absl::Status told = writer.Flush();
    if (told.ok()) told = writer.Sync();
    return told;
  });
  if (append_lost_.Take()) Read(sink).IgnoreError();
}

pollfd Follower::PollFd() const {
  const auto& polled = client_ ? client_ : expected_;
  if (!polled || relay_gone_) return {.fd = -1};
  return {.fd = polled->fd(), .events = polled->events()};
}

std::optional<relay::Role> Follower::role() const {
  return client_ ? client_->role() : std::nullopt;
}

std::optional<relay::WatchReason> Follower::watch_reason() const {
  return client_ ? client_->watch_reason() : std::nullopt;
}

bool Follower::MustAskToDrive() const {
  return role() == relay::Role::kWatcher && !watch_reason();
}

void Follower::AskToDrive() {
  if (!MustAskToDrive()) return;
  drive_at_ = options_.clock->Awake();
  wake_at_ = drive_at_;
}

std::vector<relay::Reply> Follower::TakeAnswers() {
  return std::exchange(answers_, {});
}

}  // namespace troika
