#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace troika::internal {

void CheckFailed(const char* what, const char* problem, const char* file,
                 int line) {
  std::fprintf(stderr, "%s:%d: %s %s\n", file, line, what, problem);
  std::abort();
}

}  // namespace troika::internal
