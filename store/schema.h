// The file behind TaskStore: its tables, and the repair of a broken file.
#ifndef TROIKA_STORE_SCHEMA_H_
#define TROIKA_STORE_SCHEMA_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/sqlite.h"

namespace troika {

struct OpenedIndex {
  Database db;
  std::string repaired;  // How a broken file was repaired, or empty.
  // Why changes are not saved in the file, or empty.
  std::string trouble;
  bool shared = true;  // Whether other connections can read the same tables.
};

// Opens or creates the index, readable by its owner only. A file that is broken
// or not an index is moved aside, to `path` + ".broken-N", and created again; a
// file of an older version is replaced. Slow checks for damage are left to
// CheckIndex().
//
// If the file can't be written, for example because the disk is full, the index
// is opened without shared memory, for this connection only, and reads still
// work. If that fails too, the index is an empty one in memory. `trouble` is
// set in both cases. Returns FailedPrecondition if a newer Troika created the
// file.
absl::StatusOr<OpenedIndex> OpenIndex(const std::string& path);

// Moves a broken file aside and returns a message for the user.
absl::StatusOr<std::string> MoveIndexAside(const std::string& path,
                                           absl::string_view damage);

// Opens a read-only connection to an index that OpenIndex() opened for sharing.
absl::StatusOr<Database> OpenIndexReader(const std::string& path);

// Reads the whole file. Returns DataLoss if it is damaged.
absl::Status CheckIndex(Database* db);

}  // namespace troika

#endif  // TROIKA_STORE_SCHEMA_H_
