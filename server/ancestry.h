// Whether a process was started by an agent.
#ifndef TROIKA_SERVER_ANCESTRY_H_
#define TROIKA_SERVER_ANCESTRY_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace troika {

struct Ancestor {
  pid_t pid = 0;
  std::string name;  // As /proc has it: at most 15 characters.
};

// A process and those that it descends from, up to init. Empty where it is
// gone.
std::vector<Ancestor> AncestorsOf(pid_t pid);

// Whether it is the relay of an agent, or its guard.
bool IsRelay(const Ancestor& process);

}  // namespace troika

#endif  // TROIKA_SERVER_ANCESTRY_H_
