// CHECK(condition): for our own invariants only. Bad input from others is an
// error value, never a CHECK.
#ifndef TROIKA_BASE_CHECK_H_
#define TROIKA_BASE_CHECK_H_

namespace troika::internal {
// Prints "FILE:LINE: WHAT PROBLEM" and aborts.
[[noreturn]] void CheckFailed(const char* what, const char* problem,
                              const char* file, int line);
}  // namespace troika::internal

#define CHECK(condition)                                                      \
  ((condition) ? static_cast<void>(0)                                         \
               : ::troika::internal::CheckFailed("CHECK failed:", #condition, \
                                                 __FILE__, __LINE__))

#endif  // TROIKA_BASE_CHECK_H_
