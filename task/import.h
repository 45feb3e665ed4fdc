// Makes tasks of the files in which CLIs keep sessions.
#ifndef TROIKA_TASK_IMPORT_H_
#define TROIKA_TASK_IMPORT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agent/discovery/environment.h"
#include "agent/discovery/native_sessions.h"
#include "agent/harness.h"
#include "base/clock.h"
#include "task/home.h"

namespace troika {

inline constexpr int64_t kMaxImportBytes = int64_t{1} << 30;

struct ImportRequest {
  Harness harness = Harness::kCodex;
  NativeSession session;
  std::string path;
  std::string by = "user";
};

// Makes a task that has ended and whose log has the lines of the session's file
// as they are, and returns its id. The file is only read. The environment says
// what is secret and is kept with the task. InvalidArgument if the file is over
// kMaxImportBytes or not a regular one. Nothing is left behind after an error.
// `clock` is borrowed. Blocks. Thread-safe.
absl::StatusOr<std::string> ImportSession(const Home& home,
                                          const ImportRequest& request,
                                          const Environment& environment,
                                          Clock* clock);

}  // namespace troika

#endif  // TROIKA_TASK_IMPORT_H_
