#include "base/blocking.h"

#include <cstdio>
#include <cstdlib>

namespace troika::internal {

void BlockingCallFailed(const char* call, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: %s may block, on the thread of an event loop\n",
               file, line, call);
  std::abort();
}

}  // namespace troika::internal
