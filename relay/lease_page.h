// The memory that a relay shares with its driver while the driver records the
// agent's stdout (docs/relay.md, "Leases").
//
// Whoever has the mutex may write the log. Nothing is lost if the holder dies
// at any instruction: bytes that the driver takes are in the agent's pipe, in
// the lease's own pipe, or in `buffer`, and the relay can always tell which of
// them the log has.
#ifndef TROIKA_RELAY_LEASE_PAGE_H_
#define TROIKA_RELAY_LEASE_PAGE_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "base/fd.h"

namespace troika::relay {

// The driver leaves longer output to the relay.
inline constexpr size_t kLeaseBytes = size_t{16} << 10;
// A driver does not use a lease of another version.
inline constexpr uint32_t kLeaseVersion = 1;

enum class StdoutReader : uint32_t { kRelay = 0, kDriver = 1 };

struct LeasePage {
  uint32_t version = kLeaseVersion;
  // Set by a driver before it tries to take the mutex, and by nobody else. If
  // the relay has the mutex then, it reads the agent's stdout itself.
  std::atomic<uint32_t> missed;
  // Whether the driver wants to read stdout.
  std::atomic<uint32_t> wanted;

  pthread_mutex_t mutex;  // Robust. Guards all below.
  // Changed with the mutex, and read without it as a hint.
  std::atomic<StdoutReader> reader;
  uint32_t log_version = 0;
  // Number of the lease: a driver with an older one has lost it.
  int64_t epoch = 0;
  int64_t log_offset = 0;
  int64_t next_number = 0;
  int64_t max_log_bytes = 0;
  // The relay's time of records, less CLOCK_MONOTONIC, in microseconds.
  int64_t clock_offset = 0;
  int64_t reads = 0;  // How often the driver has read.
  // Number of bytes that the driver takes. Once the lease's pipe is empty they
  // are in `buffer`. 0 if the log has them.
  int64_t taken = 0;
  // Where in the log they are being written, or -1 before that; the number and
  // the time of their first record.
  int64_t write_offset = -1;
  int64_t write_number = 0;
  int64_t write_micros = 0;
  char buffer[kLeaseBytes];
};

// Maps the page of a file. Movable.
class LeaseMapping {
 public:
  // Makes the file and an initialized page in it.
  static absl::StatusOr<LeaseMapping> Create(UniqueFd* file);
  // Maps a page that another process made. FailedPrecondition if its version is
  // another one.
  static absl::StatusOr<LeaseMapping> Map(int file);

  LeaseMapping(LeaseMapping&& other) noexcept
      : page_(std::exchange(other.page_, nullptr)) {}
  LeaseMapping& operator=(LeaseMapping&& other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }
  ~LeaseMapping();

  LeasePage* operator->() const { return page_; }
  bool ok() const { return page_ != nullptr; }  // False if it was moved from.

 private:
  explicit LeaseMapping(LeasePage* page) : page_(page) {}

  LeasePage* page_;
};

// CLOCK_MONOTONIC in microseconds.
int64_t MonotonicMicros();

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LEASE_PAGE_H_
