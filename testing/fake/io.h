// Bytes in and out of a fake.
#ifndef TROIKA_TESTING_FAKE_IO_H_
#define TROIKA_TESTING_FAKE_IO_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::fake {

// All of it, however often a signal comes in between.
absl::Status WriteAll(int fd, absl::string_view bytes);

// Up to the end, or to an error.
std::string ReadToEnd(int fd);

absl::StatusOr<std::string> ReadFile(const std::string& path);

// Makes the folders that are missing, and the file anew.
absl::Status WriteFile(const std::string& path, absl::string_view bytes);

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
