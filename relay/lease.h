// The relay's side of a lease: lets the driver read the agent's stdout and
// record it, and finishes what a driver that died has begun.
//
// The relay has the lease's mutex, and with it the log, at all times except
// while it waits for something to happen: between Release() and Acquire().
#ifndef TROIKA_RELAY_LEASE_H_
#define TROIKA_RELAY_LEASE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/lease_page.h"
#include "relay/log_writer.h"

namespace troika::relay {

class Lease {
 public:
  // All are borrowed.
  static absl::StatusOr<Lease> Create(int64_t max_log_bytes, int agent_stdout,
                                      LogWriter* log, Clock* clock);

  Lease(Lease&&) = default;
  Lease& operator=(Lease&&) = delete;
  // Ends the lease for good. The relay must have the mutex.
  ~Lease();

  // Makes a lease of it for another driver. Earlier ones end.
  void Renew() {
    End();
    ++page_->epoch;
  }
  // The descriptors that the driver needs. Borrowed.
  std::vector<int> descriptors() const {
    return {stdout_, staging_out_.get(), staging_in_.get(), file_.get(),
            log_file_.get()};
  }

  // Releases the mutex. Whether the driver may read stdout is decided by
  // `may_lend` and what it wants. Returns whether it has just got it: then it
  // must be told, because it did not watch stdout.
  bool Release(bool may_lend);
  // Whether the driver reads stdout, and the relay must not wait for it. To be
  // asked once after Release(): the driver may have missed some output, and
  // then the relay reads it.
  bool DriverReads();
  // Takes the mutex again. Returns stdout that the driver has taken and not
  // recorded; the relay records it before all that it reads. `log` continues
  // behind the driver's records.
  std::string Acquire();
  // With the mutex: ends the lease of a driver that has left output in the pipe
  // since the last call, because it is stopped or overloaded.
  void CheckDriver();

 private:
  Lease(LeaseMapping page, UniqueFd file, int agent_stdout, LogWriter* log,
        Clock* clock)
      : page_(std::move(page)),
        file_(std::move(file)),
        stdout_(agent_stdout),
        log_(log),
        clock_(clock) {}

  // Has the relay read until the driver asks again.
  void End();
  // Completes the records that a driver was writing when it died. Returns false
  // if the log ends with something else.
  bool CompleteWrite();

  LeaseMapping page_;
  UniqueFd file_;
  int stdout_;
  UniqueFd staging_out_;
  UniqueFd staging_in_;
  UniqueFd log_file_;  // The driver's; it does not hold the log's lock.
  LogWriter* log_;
  Clock* clock_;
  bool driver_reads_ = false;  // Since the last Release().
  int64_t checked_reads_ = -1;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LEASE_H_
