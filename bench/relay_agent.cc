// The agent of the relay's benchmark. It links only the C library, so that its
// own start and speed hardly count.
//
//   relay_agent flood LINE_BYTES TOTAL_BYTES   writes as fast as it can, then
//                                              waits for the end of its stdin
//   relay_agent ticks COUNT                    writes a line each 10 ms
//   relay_agent idle                           waits for the end of its stdin
//
// `ticks` and `idle` print nanoseconds of the monotonic clock: the time when
// the line was written, or when the program began.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <string>

namespace {

long long Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void Print(long long nanos) {
  char line[32];
  const int n = snprintf(line, sizeof(line), "%lld\n", nanos);
  if (write(STDOUT_FILENO, line, static_cast<size_t>(n)) != n) exit(1);
}

void Wait() {
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

void Flood(size_t line_bytes, size_t total) {
  std::string lines;
  while (lines.size() + line_bytes <= 64 << 10) {
    lines += std::string(line_bytes - 1, 'x') + '\n';
  }
  while (total > 0) {
    const size_t wanted = total < lines.size() ? total : lines.size();
    const ssize_t n = write(STDOUT_FILENO, lines.data(), wanted);
    if (n != static_cast<ssize_t>(wanted)) exit(1);
    total -= wanted;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const long long start = Now();
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "flood" && argc == 4) {
    Flood(strtoull(argv[2], nullptr, 10), strtoull(argv[3], nullptr, 10));
    Wait();
  } else if (mode == "ticks" && argc == 3) {
    for (int left = atoi(argv[2]); left > 0; --left) {
      usleep(10'000);  // A relay batches the lines of a faster one.
      Print(Now());
    }
  } else if (mode == "idle") {
    Print(start);
    Wait();
  } else {
    return 2;
  }
  return 0;
}
