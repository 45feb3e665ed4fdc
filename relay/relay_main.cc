// troika-relay: started only by Troika, with the descriptors of relay/spec.h.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/clock.h"
#include "relay/serve.h"

int main(int argc, char**) {
  struct stat spec = {};
  if (argc != 1 || fstat(troika::relay::kSpecFd, &spec) != 0) {
    fputs(
        "troika-relay keeps one agent of a troika task alive. "
        "It is started by troika, not by hand.\n",
        stderr);
    return 2;
  }
  if (getenv("TROIKA_SPARE") != nullptr) {
    auto task = troika::relay::AwaitTask();
    if (!task) return 0;
    // Made only now, because the machine may have slept since.
    troika::SystemClock clock;
    return troika::relay::Serve(*std::move(task), &clock);
  }
  if (getenv("TROIKA_DETACHED") == nullptr) {
    // An older starter waits for this process only; its child, which serves, is
    // orphaned.
    const pid_t pid = fork();
    if (pid != 0) _exit(pid < 0 ? 1 : 0);
  }
  troika::SystemClock clock;
  return troika::relay::Serve(troika::relay::InheritedTask(), &clock);
}
