// SQLite behind Status values: one connection and its prepared statements.
//
//   ASSIGN_OR_RETURN(Statement find, db.Prepare("SELECT b FROM t WHERE a=?"));
//   find.Bind("x");
//   ASSIGN_OR_RETURN(const bool found, find.Step());
//   if (found) Use(find.Text(0));
#ifndef TROIKA_STORE_SQLITE_H_
#define TROIKA_STORE_SQLITE_H_

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika {

// Translates a result code of SQLite: DataLoss if the file is broken or not a
// database, AlreadyExists if a key is taken, ResourceExhausted if the disk is
// full, Unavailable if another process holds a lock or I/O fails.
absl::Status SqliteStatus(int code, absl::string_view what);

// A prepared statement in use. Its destructor resets it for the next user. Only
// one Statement with the same SQL text may exist at a time.
class Statement {
 public:
  explicit Statement(std::shared_ptr<sqlite3_stmt> statement)
      : statement_(std::move(statement)) {}
  ~Statement();
  Statement(Statement&& other) = default;
  Statement& operator=(Statement&&) = delete;

  // Each call sets the next parameter.
  Statement& Bind(absl::string_view text);
  Statement& Bind(int64_t number);
  Statement& BindReal(double number);
  Statement& BindBlob(absl::string_view bytes);

  // Returns true if there is another row.
  absl::StatusOr<bool> Step();
  // Runs a statement that returns no rows.
  absl::Status Run();

  // Value in the current row, by the column's index.
  std::string Text(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;

 private:
  // Shared with the connection, which keeps it for the next user.
  std::shared_ptr<sqlite3_stmt> statement_;
  int bound_ = 0;
  int code_ = SQLITE_OK;
};

// For one thread at a time. Statements must not outlive it.
class Database {
 public:
  static absl::StatusOr<Database> Open(const std::string& path);

  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Runs any number of statements without parameters.
  absl::Status Execute(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };

  std::unique_ptr<sqlite3, Close> db_;
  std::map<std::string, std::shared_ptr<sqlite3_stmt>> statements_;
};

// Rolls back when it is destroyed, unless it was committed.
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
