#include "cli/testing.h"

#include <sys/mman.h>
#include <unistd.h>

namespace troika::cli {
namespace {

// A file without a name, that closes itself.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("test", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const { return fd_; }
  void Rewind() { lseek(fd_, 0, SEEK_SET); }
  std::string Contents() {
    Rewind();
    std::string bytes;
    char chunk[4096];
    while (true) {
      const absl::StatusOr<size_t> n = ReadSome(fd_, absl::MakeSpan(chunk));
      if (!n.ok() || *n == 0) return bytes;
      bytes.append(chunk, *n);
    }
  }

 private:
  const int fd_;
};

}  // namespace

Outcome RunWithInput(absl::string_view input,
                     const std::function<int(const Io&)>& run) {
  MemoryFile in, out, err;
  if (!WriteAll(in.fd(), input).ok()) return {.exit_code = -1};
  in.Rewind();
  const int exit_code = run({.in = in.fd(), .out = out.fd(), .err = err.fd()});
  return {.exit_code = exit_code, .out = out.Contents(), .err = err.Contents()};
}

}  // namespace troika::cli
