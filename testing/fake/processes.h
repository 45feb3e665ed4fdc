// Starts other processes of a fake: the child of a wrapper, and processes that
// it leaves behind.
#ifndef TROIKA_TESTING_FAKE_PROCESSES_H_
#define TROIKA_TESTING_FAKE_PROCESSES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "agent/harness.h"

namespace troika::fake {

// Whether this process runs behind a wrapper. ForgetWrapper() keeps children
// from assuming the same of themselves.
bool IsWrapped();
void ForgetWrapper();

// Starts this program again and exits as it does. Codex's wrapper forwards
// SIGINT, SIGTERM and SIGHUP; Gemini's does not, so that only a signal to the
// group reaches the child.
[[noreturn]] void RunWrapper(Harness harness, char** argv);

struct SleeperOptions {
  int64_t seconds = 0;
  bool own_session = false;
  bool double_fork = false;
  bool hold_stdout = false;  // If false, it has none of our files.
};

// Starts a process that sleeps, and waits until it does. Its arguments are its
// tag (TROIKA_FAKE_TAG, or "troika-fake-sleeper") and the seconds, so that a
// test can find it.
void ForkSleeper(const SleeperOptions& options);

// If this process was started as a sleeper, sleeps and exits.
void SleepIfSleeper(char** argv);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_PROCESSES_H_
