// Bytes in and out of a fake.
#ifndef TROIKA_TESTING_FAKE_IO_H_
#define TROIKA_TESTING_FAKE_IO_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "testing/files.h"

namespace troika::fake {

// `count` times the same bytes, as fast as it goes.
absl::Status WriteMany(int fd, absl::string_view line, int64_t count);

// Bytes that look like chance and are the same every time. All values occur.
std::string Garbage(int64_t size);

// Says why on stderr and ends the process. 70: the script, or how the fake was
// called, is wrong; 71: what was expected did not come.
[[noreturn]] void Die(int exit_code, absl::string_view why);
void DieIfBad(const absl::Status& status);

inline constexpr int kBadScript = 70;
inline constexpr int kUnexpected = 71;

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_IO_H_
