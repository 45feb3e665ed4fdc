#include "relay/lease_page.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "absl/status/status.h"

namespace troika::relay {
namespace {

// Memory of a file that another process could cut would end us.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_SEAL;

absl::StatusOr<void*> MapFile(int file) {
  void* const mapped = mmap(nullptr, sizeof(LeasePage), PROT_READ | PROT_WRITE,
                            MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return absl::ErrnoToStatus(errno, "map a lease");
  return mapped;
}

}  // namespace

absl::StatusOr<LeaseMapping> LeaseMapping::Create(UniqueFd* file) {
  *file =
      UniqueFd(memfd_create("troika-lease", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file->ok() || ftruncate(file->get(), sizeof(LeasePage)) != 0 ||
      fcntl(file->get(), F_ADD_SEALS, kSeals) != 0) {
    return absl::ErrnoToStatus(errno, "make a lease");
  }
  const auto mapped = MapFile(file->get());
  if (!mapped.ok()) return mapped.status();
  LeaseMapping mapping(new (*mapped) LeasePage);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  const int made = pthread_mutex_init(&mapping->mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  if (made != 0) return absl::ErrnoToStatus(made, "make a lease's mutex");
  return mapping;
}

absl::StatusOr<LeaseMapping> LeaseMapping::Map(int file) {
  struct stat facts = {};
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals || fstat(file, &facts) != 0 ||
      facts.st_size < static_cast<off_t>(sizeof(LeasePage))) {
    return absl::FailedPreconditionError("the lease of another version");
  }
  const auto mapped = MapFile(file);
  if (!mapped.ok()) return mapped.status();
  LeaseMapping mapping(static_cast<LeasePage*>(*mapped));
  if (mapping->version != kLeaseVersion) {
    return absl::FailedPreconditionError("the lease of another version");
  }
  return mapping;
}

LeaseMapping::~LeaseMapping() {
  if (page_ != nullptr) munmap(page_, sizeof(LeasePage));
}

int64_t MonotonicMicros() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace troika::relay
