// Processes that a fake starts: a child that it stands in front of, and ones
// that it leaves behind.
#ifndef TROIKA_TESTING_FAKE_PROCESSES_H_
#define TROIKA_TESTING_FAKE_PROCESSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "agent/harness.h"

namespace troika::fake {

// Whether this process is the one behind a wrapper, and its end, so that no
// child takes itself for one.
bool IsWrapped();
void ForgetWrapper();

// Starts this program again and ends as it does. Codex's wrapper passes SIGINT,
// SIGTERM and SIGHUP on; Gemini's keeps them to itself, so that only a signal
// to the group gets through.
[[noreturn]] void RunWrapper(Harness harness, char** argv);

struct SleeperOptions {
  int64_t seconds = 0;
  bool own_session = false;
  bool double_fork = false;
  bool hold_stdout = false;  // Else it has none of our files.
};

// Starts a process that sleeps, and waits until it does so. Its arguments are
// its tag (TROIKA_FAKE_TAG, or "troika-fake-sleeper") and the seconds, by which
// a test finds it.
void ForkSleeper(const SleeperOptions& options);

// Sleeps and ends the process, where it was started for that.
void SleepIfSleeper(char** argv);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_PROCESSES_H_
