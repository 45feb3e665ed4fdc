#include "store/schema.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr int kVersion = 3;
// SQLite's name for a database without a file.
constexpr char kInMemory[] = ":memory:";

// Long texts have a table of their own, so that queries over all tasks read few
// pages, and a task that changes often does not rewrite them. `shown` is the
// task as lists show it, without the long texts. The columns of `label` are in
// the order of its key, because SQLite 3.40's quick_check otherwise reports
// some of them as NULL.
constexpr char kTables[] = R"sql(
CREATE TABLE task (
  num INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  harness TEXT NOT NULL,
  cwd TEXT NOT NULL,
  title TEXT NOT NULL,
  model TEXT NOT NULL,
  session_id TEXT NOT NULL,
  parent_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  ended INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  started_us INTEGER NOT NULL,
  ended_us INTEGER NOT NULL,
  last_record INTEGER NOT NULL,
  log_bytes INTEGER NOT NULL,
  parser_version INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL
);
CREATE INDEX task_by_state ON task (state, id);
CREATE INDEX task_by_harness ON task (harness, id);
CREATE INDEX task_by_cwd ON task (cwd, id);
CREATE INDEX task_by_end ON task (ended, ended_us, id);
CREATE INDEX task_by_creation ON task (created_us);
CREATE INDEX task_by_session ON task (session_id, id)
  WHERE session_id <> '';
CREATE UNIQUE INDEX task_by_key ON task (idempotency_key)
  WHERE idempotency_key <> '';
CREATE TABLE shown (
  num INTEGER PRIMARY KEY REFERENCES task (num) ON DELETE CASCADE,
  json TEXT NOT NULL,
  pb BLOB NOT NULL
);
CREATE TABLE long_text (
  num INTEGER PRIMARY KEY REFERENCES task (num) ON DELETE CASCADE,
  prompt TEXT NOT NULL,
  result TEXT NOT NULL
);
CREATE TABLE label (
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  id TEXT NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  PRIMARY KEY (key, value, id)
) WITHOUT ROWID;
CREATE INDEX label_by_task ON label (id, key);
)sql";

// What tasks have spent, also those that were removed. Added to files of
// earlier versions.
constexpr char kSpentTable[] = R"sql(
CREATE TABLE IF NOT EXISTS spent (
  slot INTEGER NOT NULL,
  id TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost_microusd INTEGER NOT NULL,
  PRIMARY KEY (slot, id)
) WITHOUT ROWID;
)sql";

// In this mode, SQLite needs no file for shared memory.
constexpr char kExclusive[] = "PRAGMA locking_mode = EXCLUSIVE;";
constexpr char kSettings[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = NORMAL;"
    "PRAGMA foreign_keys = ON;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -8000;"
    "PRAGMA cell_size_check = ON;";

absl::StatusOr<int64_t> AskNumber(Database* db, const std::string& sql) {
  int64_t number = 0;
  RETURN_IF_ERROR(
      db->Run(sql, {}, [&](const SqlRow& row) { number = row.Int(0); }));
  return number;
}

absl::Status MakeTables(Database* db) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(db));
  RETURN_IF_ERROR(
      db->Execute(absl::StrCat(kTables, "PRAGMA user_version = ", kVersion)));
  return transaction.Commit();
}

bool IsOlder(int64_t version) { return version > 0 && version < kVersion; }

enum class Sharing { kShared, kExclusive };

absl::StatusOr<Database> OpenOnce(const std::string& path, Sharing sharing) {
  if (path != kInMemory) {
    // SQLite would make the file readable by others. The files that SQLite adds
    // get the same mode.
    const UniqueFd made(
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  }
  ASSIGN_OR_RETURN(Database db, Database::Open(path));
  if (sharing == Sharing::kExclusive) RETURN_IF_ERROR(db.Execute(kExclusive));
  ASSIGN_OR_RETURN(const int64_t version,
                   AskNumber(&db, "PRAGMA user_version"));
  if (version > kVersion) {
    return absl::FailedPreconditionError(absl::StrCat(
        "open ", path, ": a newer Troika made it (schema ", version,
        ", and this one knows ", kVersion,
        "); install the newer one, or delete the file: it is made anew"));
  }
  if (IsOlder(version)) return absl::AbortedError("an older version");
  RETURN_IF_ERROR(db.Execute(kSettings));
  ASSIGN_OR_RETURN(const int64_t tables,
                   AskNumber(&db, "SELECT count(*) FROM sqlite_master"));
  if (version == 0 && tables == 0) {
    RETURN_IF_ERROR(MakeTables(&db));
  } else if (version != kVersion) {
    return absl::DataLossError("it is not an index of tasks");
  }
  RETURN_IF_ERROR(db.Execute(kSpentTable));
  return db;
}

// Returns whether the error is due to the file at `path`, so that a new file
// might work.
bool IsBroken(const absl::Status& status, const std::string& path) {
  if (absl::IsDataLoss(status)) return true;
  if (!absl::IsPermissionDenied(status)) return false;
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return false;
  return !S_ISREG(info.st_mode) || access(path.c_str(), R_OK | W_OK) != 0;
}

// Renames the file and returns its new path.
absl::StatusOr<std::string> MoveAside(const std::string& path) {
  std::string aside;
  struct stat info;
  for (int i = 1; aside.empty() || lstat(aside.c_str(), &info) == 0; ++i) {
    aside = absl::StrCat(path, ".broken-", i);
  }
  if (rename(path.c_str(), aside.c_str()) != 0) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("rename ", path, " to ", aside));
  }
  for (const absl::string_view suffix : {"-wal", "-shm"}) {
    const std::string from = absl::StrCat(path, suffix);
    if (rename(from.c_str(), absl::StrCat(aside, suffix).c_str()) != 0 &&
        errno != ENOENT) {
      return absl::ErrnoToStatus(errno, absl::StrCat("rename ", from));
    }
  }
  return aside;
}

void RemoveFiles(const std::string& path) {
  for (const absl::string_view suffix : {"", "-wal", "-shm"}) {
    unlink(absl::StrCat(path, suffix).c_str());
  }
}

absl::StatusOr<OpenedIndex> OpenShared(const std::string& path) {
  absl::StatusOr<Database> db = OpenOnce(path, Sharing::kShared);
  std::string repaired;
  if (absl::IsAborted(db.status())) {
    RemoveFiles(path);
    db = OpenOnce(path, Sharing::kShared);
  } else if (!db.ok() && IsBroken(db.status(), path)) {
    ASSIGN_OR_RETURN(repaired, MoveIndexAside(path, db.status().message()));
    db = OpenOnce(path, Sharing::kShared);
  }
  if (!db.ok()) return db.status();
  return OpenedIndex{.db = *std::move(db), .repaired = std::move(repaired)};
}

}  // namespace

absl::StatusOr<OpenedIndex> OpenIndex(const std::string& path) {
  AssertMayBlock("opening the index");
  absl::StatusOr<OpenedIndex> shared = OpenShared(path);
  if (shared.ok() || absl::IsFailedPrecondition(shared.status())) return shared;
  const std::string why =
      absl::StrCat(path, " can't be written (", shared.status().message(), ")");
  if (auto db = OpenOnce(path, Sharing::kExclusive); db.ok()) {
    return OpenedIndex{
        .db = *std::move(db),
        .trouble = absl::StrCat(why, ": what changes is kept in memory"),
        .shared = false};
  }
  ASSIGN_OR_RETURN(Database memory, OpenOnce(kInMemory, Sharing::kExclusive));
  return OpenedIndex{
      .db = std::move(memory),
      .trouble = absl::StrCat(why,
                              ": the index is in memory, and is made "
                              "again at the next start"),
      .shared = false};
}

absl::StatusOr<std::string> MoveIndexAside(const std::string& path,
                                           absl::string_view damage) {
  ASSIGN_OR_RETURN(const std::string aside, MoveAside(path));
  return absl::StrCat(path, " was broken (", damage, ") and is kept as ", aside,
                      "; the index is made anew from the tasks' logs");
}

absl::StatusOr<Database> OpenIndexReader(const std::string& path) {
  AssertMayBlock("opening the index");
  ASSIGN_OR_RETURN(Database db, Database::Open(path));
  RETURN_IF_ERROR(
      db.Execute("PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;"
                 "PRAGMA cache_size = -4000; PRAGMA cell_size_check = ON;"));
  return db;
}

absl::Status CheckIndex(Database* db) {
  std::string said;
  RETURN_IF_ERROR(db->Run("PRAGMA quick_check(1)", {},
                          [&](const SqlRow& row) { said = row.Text(0); }));
  if (said == "ok") return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the index is damaged: ", said));
}

}  // namespace troika
