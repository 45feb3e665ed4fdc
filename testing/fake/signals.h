// What a fake does on a signal. For the whole process; not thread-safe.
#ifndef TROIKA_TESTING_FAKE_SIGNALS_H_
#define TROIKA_TESTING_FAKE_SIGNALS_H_

#include <optional>

#include "absl/time/time.h"

namespace troika::fake {

// Ends the process with that code, at once, wherever it is.
void ExitOn(int signal, int code);
// Remembers it for TakeSignal, and ends waits.
void NoteOn(int signal);
void IgnoreSignal(int signal);
// As the system does it.
void ResetSignal(int signal);

// One that was noted and not taken yet.
std::optional<int> TakeSignal();

enum class Watch { kNothing, kStdin };
enum class Woken { kTime, kSignal, kStdin };

// Until a signal was noted, there is something on stdin (or its end), or the
// time is over.
Woken WaitFor(Watch watch, absl::Duration time);

// Ends the process by that signal, without a core file.
void KillSelf(int signal);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_SIGNALS_H_
