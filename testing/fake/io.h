// Reads and writes the bytes of a fake.
#ifndef TROIKA_TESTING_FAKE_IO_H_
#define TROIKA_TESTING_FAKE_IO_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "testing/files.h"

namespace troika::fake {

// Writes the same bytes `count` times, as fast as possible.
absl::Status WriteMany(int fd, absl::string_view line, int64_t count);

// Returns pseudo-random bytes, the same each time, in which all values occur.
std::string Garbage(int64_t size);

// Prints the reason on stderr and exits: with 70 if the script or the call of
// the fake is wrong, with 71 if expected input did not come.
[[noreturn]] void Die(int exit_code, absl::string_view why);
void DieIfBad(const absl::Status& status);

inline constexpr int kBadScript = 70;
inline constexpr int kUnexpected = 71;

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_IO_H_
