// The log as a relay writes it. Records are appended, then committed: written
// and announced to the clients. Notes are synced at once and the agent's output
// every second, both in the background. While the disk is full, records wait.
#ifndef TROIKA_RELAY_RELAY_LOG_H_
#define TROIKA_RELAY_RELAY_LOG_H_

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "relay/connections.h"
#include "relay/log_writer.h"

namespace troika::relay {

// Syncs a file in the background, so that the agent's output never waits for
// the disk. Thread-safe.
class Syncer {
 public:
  // `fd` is borrowed.
  explicit Syncer(int fd) : fd_(fd) {}
  ~Syncer() { Stop(); }

  // Syncs everything that has been written so far, soon.
  void Request();
  // Waits for the sync that runs; requests are ignored from here on.
  void Stop();

 private:
  void Run();

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopped_ = false;
  std::thread thread_;  // Started by the first request.
};

class RelayLog {
 public:
  // All but `log` are borrowed.
  RelayLog(LogWriter log, int dir_fd, Clock* clock, Connections* clients)
      : log_(std::move(log)),
        dir_fd_(dir_fd),
        clock_(clock),
        clients_(clients),
        syncer_(log_.fd()) {}
  ~RelayLog() { FreeReserve(); }

  LogWriter& writer() { return log_; }
  void AppendNote(absl::string_view text, absl::string_view key = "");
  // The log has grown to here.
  Tip tip() const { return {log_.next_number() - 1, log_.offset()}; }
  // Whether records wait for room on the disk, once Commit() was called.
  bool waits() const { return log_.pending() > 0; }

  // Reserves a block in the folder, for the last record on a full disk.
  void Reserve();
  // Writes what was appended before the agent runs, when a full disk is an
  // error. It is synced with the first OnTick(): sooner, the sync would take
  // the processor from the agent's start.
  absl::Status WriteFirst();
  // Writes the appended records, announces them and has notes synced.
  void Commit();
  // Commits, and syncs before it announces the records and returns.
  void CommitAndSync();
  // Must be called every second. Syncs output. Returns why the log must not be
  // written any more: another process removed, renamed or truncated its file.
  // Empty if all is well.
  std::string OnTick();
  // Announces records that the driver has written, and has them synced.
  void OnDriverWrote();
  // Since when writes fail; unset while they succeed.
  std::optional<absl::Time> failing_since() const { return failing_since_; }

  // Drops the records that wait, and frees the reserve for the last one.
  // Returns the number of lost bytes.
  int64_t DropWaiting();
  // Writes and syncs what was appended.
  absl::Status Finish();

 private:
  // Writes the appended records. False if there are none, or it failed.
  bool Write();
  // Has notes synced that were written.
  void SyncSoon();
  // Takes the result of a write, and tells the clients if writes begin to fail
  // or succeed again.
  void OnWritten(const absl::Status& written);
  void FreeReserve();

  LogWriter log_;
  const int dir_fd_;
  Clock* const clock_;
  Connections* const clients_;
  Syncer syncer_;
  std::optional<absl::Time> failing_since_;
  bool note_unsynced_ = false;
  bool unsynced_ = false;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_RELAY_LOG_H_
