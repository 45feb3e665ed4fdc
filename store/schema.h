// The file behind TaskStore: its tables, and what is done if it is broken.
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
  std::string repaired;  // What was done to a broken file, or empty.
  // Why the index is not kept as it should be, or empty.
  std::string trouble;
  // Whether other connections can read the same tables.
  enum class Sharing { kShared, kAlone };
  Sharing sharing = Sharing::kShared;
};

// Opens or makes the index, readable by its owner only. A file that is broken
// or not ours is moved aside, to `path` + ".broken-N", and made anew; one of an
// older version is replaced. What takes long, as looking for damage within, is
// left to CheckIndex().
//
// Where the file can't be written, as the disk is full, the index is opened
// without shared memory, for this connection alone, and reads still work;
// where that fails, too, it is an empty one in memory. `trouble` then says so.
// FailedPrecondition where a newer Troika made the file.
absl::StatusOr<OpenedIndex> OpenIndex(const std::string& path);

// Moves a broken file aside, and returns what to tell people about it.
absl::StatusOr<std::string> MoveIndexAside(const std::string& path,
                                           absl::string_view damage);

// Opens another connection to an index that OpenIndex() opened for sharing. It
// only reads.
absl::StatusOr<Database> OpenIndexReader(const std::string& path);

// Reads all of the file: DataLoss where it is damaged.
absl::Status CheckIndex(Database* db);

}  // namespace troika

#endif  // TROIKA_STORE_SCHEMA_H_
