// Finds blocking calls on the threads of event loops.
//
// Functions that may block say so, and EventLoop forbids blocking on its thread
// while it runs. In builds without NDEBUG, such as those of the tests, a
// blocking call on such a thread aborts with its name; with NDEBUG, this does
// nothing.
//
//   absl::Status Sync(int fd) {
//     AssertMayBlock("fdatasync");
//     ...
//   }
#ifndef TROIKA_BASE_BLOCKING_H_
#define TROIKA_BASE_BLOCKING_H_

#include "base/check.h"

namespace troika {
namespace internal {

// Number of scopes of this thread that forbid blocking.
inline thread_local int disallow_blocking_depth = 0;

}  // namespace internal

// Aborts if the calling thread must not block. `call` names the call that may
// block, such as "fdatasync". The message shows the caller's file and line.
inline void AssertMayBlock([[maybe_unused]] const char* call,
                           [[maybe_unused]] const char* file = __builtin_FILE(),
                           [[maybe_unused]] int line = __builtin_LINE()) {
#ifndef NDEBUG
  if (internal::disallow_blocking_depth > 0) {
    internal::CheckFailed(call, "may block, on the thread of an event loop",
                          file, line);
  }
#endif
}

// Forbids blocking calls on the current thread during its lifetime.
class ScopedDisallowBlocking {
 public:
  ScopedDisallowBlocking() { ++internal::disallow_blocking_depth; }
  ~ScopedDisallowBlocking() { --internal::disallow_blocking_depth; }
  ScopedDisallowBlocking(const ScopedDisallowBlocking&) = delete;
  ScopedDisallowBlocking& operator=(const ScopedDisallowBlocking&) = delete;
};

}  // namespace troika

#endif  // TROIKA_BASE_BLOCKING_H_
