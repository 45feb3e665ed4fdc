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

// What `code` means to us: DataLoss where the file is no database or broken,
// AlreadyExists where a key is taken, ResourceExhausted where the disk is full,
// Unavailable where another process is in the way.
absl::Status SqliteStatus(int code, absl::string_view what);

// A statement in use; it is reset for the next user when it goes away. Of each
// text one at a time.
class Statement {
 public:
  explicit Statement(std::shared_ptr<sqlite3_stmt> statement)
      : statement_(std::move(statement)) {}
  ~Statement();
  Statement(Statement&& other) = default;
  Statement& operator=(Statement&&) = delete;

  // Each sets the next parameter.
  Statement& Bind(absl::string_view text);
  Statement& Bind(int64_t number);
  Statement& BindReal(double number);
  Statement& BindBlob(absl::string_view bytes);

  // True: there is a row. False: there is none any more.
  absl::StatusOr<bool> Step();
  // For what has no rows.
  absl::Status Run();

  // Of the row, by the column's index.
  std::string Text(int column) const;
  int64_t Int(int column) const;
  double Real(int column) const;

 private:
  // Shared with the connection, which keeps it for the next user.
  std::shared_ptr<sqlite3_stmt> statement_;
  int bound_ = 0;
  int code_ = SQLITE_OK;
};

// One thread at a time. Statements must not outlive it.
class Database {
 public:
  static absl::StatusOr<Database> Open(const std::string& path);

  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // Any number of statements without parameters.
  absl::Status Execute(const std::string& sql);

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };

  std::unique_ptr<sqlite3, Close> db_;
  std::map<std::string, std::shared_ptr<sqlite3_stmt>> statements_;
};

// Rolled back where it goes away uncommitted.
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
