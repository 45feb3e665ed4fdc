// SQLite behind Status values: one connection and its prepared statements.
//
//   RETURN_IF_ERROR(db.Run("SELECT b FROM t WHERE a = ?", {"x"},
//                          [&](const SqlRow& row) { Use(row.Text(0)); }));
#ifndef TROIKA_STORE_SQLITE_H_
#define TROIKA_STORE_SQLITE_H_

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace troika {

// The Status of an SQLite code: DataLoss if the file is broken or no database,
// AlreadyExists if a key is taken, ResourceExhausted if the disk is full,
// Unavailable if another process is in the way.
absl::Status SqliteStatus(int code, absl::string_view what);

struct Blob {
  absl::string_view bytes;
};
// The value of a statement's parameter.
using SqlValue = std::variant<int64_t, double, absl::string_view, Blob>;

// A row of a result, by the indexes of its columns.
class SqlRow {
 public:
  explicit SqlRow(sqlite3_stmt* statement) : statement_(statement) {}

  std::string Text(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;

 private:
  sqlite3_stmt* const statement_;
};

// One thread at a time.
class Database {
 public:
  static absl::StatusOr<Database> Open(const std::string& path);

  // Runs a statement, and calls `on_row` for each row of its result; `on_row`
  // does not use the database.
  absl::Status Run(
      const std::string& sql, absl::Span<const SqlValue> values = {},
      absl::FunctionRef<void(const SqlRow&)> on_row = [](const SqlRow&) {});
  // Any number of statements without parameters.
  absl::Status Execute(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const {
      sqlite3_finalize(statement);
    }
  };

  absl::StatusOr<sqlite3_stmt*> Prepare(const std::string& sql);

  std::unique_ptr<sqlite3, Close> db_;
  // Prepared statements, by their texts.
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>> statements_;
};

// Rolls back when destroyed, unless it was committed.
class Transaction {
 public:
  static absl::StatusOr<Transaction> Begin(Database* db);
  ~Transaction();
  Transaction(Transaction&& other) noexcept
      : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;

  absl::Status Commit();

 private:
  explicit Transaction(Database* db) : db_(db) {}

  Database* db_;
};

}  // namespace troika

#endif  // TROIKA_STORE_SQLITE_H_
