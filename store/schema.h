// The file behind TaskStore: its tables, and what is done where it is broken.
#ifndef TROIKA_STORE_SCHEMA_H_
#define TROIKA_STORE_SCHEMA_H_

#include <string>

#include "absl/status/statusor.h"
#include "store/sqlite.h"

namespace troika {

struct OpenedIndex {
  Database db;
  std::string repaired;  // What was done to a broken file; empty: nothing.
};

// Opens or makes it, readable by its owner only. One that is broken, not ours
// or of an older version is moved aside, to `path` + ".broken-N", and made
// anew. FailedPrecondition where a newer Troika made it.
absl::StatusOr<OpenedIndex> OpenIndex(const std::string& path);

}  // namespace troika

#endif  // TROIKA_STORE_SCHEMA_H_
