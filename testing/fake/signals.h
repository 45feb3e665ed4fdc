// Handles signals in a fake. Affects the whole process; not thread-safe.
#ifndef TROIKA_TESTING_FAKE_SIGNALS_H_
#define TROIKA_TESTING_FAKE_SIGNALS_H_

#include <optional>

#include "absl/time/time.h"

namespace troika::fake {

// Makes the signal end the process at once with this exit code.
void ExitOn(int signal, int code);
// Makes the signal end waits, and stores it for TakeSignal.
void NoteOn(int signal);
void IgnoreSignal(int signal);
// Restores the default action.
void ResetSignal(int signal);

// Returns a noted signal that has not been taken yet.
std::optional<int> TakeSignal();

enum class Watch { kNothing, kStdin };
enum class Woken { kTime, kSignal, kStdin };

// Waits until a signal was noted, stdin is readable or at its end, or the time
// is over.
Woken WaitFor(Watch watch, absl::Duration time);

// Ends the process by this signal, without a core file.
void KillSelf(int signal);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_SIGNALS_H_
