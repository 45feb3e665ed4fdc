#include "store/sqlite.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/blocking.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// There are few shapes of queries; this bounds the memory that a client's
// requests can take.
constexpr size_t kMaxStatements = 200;

// Binds a value, which must outlive the statement's use.
struct Binder {
  int operator()(int64_t value) const {
    return sqlite3_bind_int64(statement, index, value);
  }
  int operator()(double value) const {
    return sqlite3_bind_double(statement, index, value);
  }
  int operator()(absl::string_view text) const {
    return sqlite3_bind_text64(statement, index, Data(text), text.size(),
                               SQLITE_STATIC, SQLITE_UTF8);
  }
  int operator()(Blob blob) const {
    return sqlite3_bind_blob64(statement, index, Data(blob.bytes),
                               blob.bytes.size(), SQLITE_STATIC);
  }
  // SQLite takes a null pointer for NULL, and an empty view may have one.
  static const char* Data(absl::string_view text) {
    return text.data() == nullptr ? "" : text.data();
  }

  sqlite3_stmt* statement;
  int index;
};

}  // namespace

absl::Status SqliteStatus(int code, absl::string_view what) {
  const std::string message =
      absl::StrCat("task index: ", what, " (SQLite ", code, ")");
  if (code == SQLITE_CONSTRAINT_UNIQUE ||
      code == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return absl::AlreadyExistsError(message);
  }
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
      return absl::OkStatus();
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
      return absl::UnavailableError(message);
    case SQLITE_FULL:
      return absl::ResourceExhaustedError(message);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
      return absl::PermissionDeniedError(message);
    case SQLITE_TOOBIG:
      return absl::InvalidArgumentError(message);
    default:
      return absl::InternalError(message);
  }
}

std::string SqlRow::Text(int column) const {
  // SQLite wants the count of bytes to be asked for after the bytes.
  const void* const bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), size);
}

int64_t SqlRow::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double SqlRow::Real(int column) const {
  return sqlite3_column_double(statement_, column);
}

absl::StatusOr<Database> Database::Open(const std::string& path) {
  AssertMayBlock("sqlite3_open");
  Database database;
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &db,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                          SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                      nullptr);
  database.db_.reset(db);
  if (code != SQLITE_OK) {
    return SqliteStatus(
        code, absl::StrCat("open ", path, ": ", sqlite3_errstr(code)));
  }
  sqlite3_busy_timeout(db, 50);
  // Any program may have written the file, so its schema is not trusted.
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

absl::StatusOr<sqlite3_stmt*> Database::Prepare(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return found->second.get();
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(db_.get(), sql.c_str(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    return SqliteStatus(code, sqlite3_errmsg(db_.get()));
  }
  if (statements_.size() >= kMaxStatements) statements_.clear();
  statements_[sql].reset(statement);
  return statement;
}

absl::Status Database::Run(const std::string& sql,
                           absl::Span<const SqlValue> values,
                           absl::FunctionRef<void(const SqlRow&)> on_row) {
  AssertMayBlock("sqlite3_step");
  ASSIGN_OR_RETURN(sqlite3_stmt* const statement, Prepare(sql));
  const absl::Cleanup reset = [statement] {
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  };
  int code = SQLITE_OK;
  for (size_t i = 0; i < values.size() && code == SQLITE_OK; ++i) {
    code = std::visit(Binder{statement, static_cast<int>(i) + 1}, values[i]);
  }
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) on_row(SqlRow(statement));
  }
  return SqliteStatus(code, sqlite3_errmsg(db_.get()));
}

absl::Status Database::Execute(const std::string& sql) {
  AssertMayBlock("sqlite3_exec");
  const int code =
      sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return absl::OkStatus();
  return SqliteStatus(code, sqlite3_errmsg(db_.get()));
}

absl::StatusOr<Transaction> Transaction::Begin(Database* db) {
  RETURN_IF_ERROR(db->Run("BEGIN IMMEDIATE"));
  return Transaction(db);
}

Transaction::~Transaction() {
  if (db_ == nullptr) return;
  // This fails if SQLite has already rolled back by itself.
  db_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  RETURN_IF_ERROR(db_->Run("COMMIT"));
  db_ = nullptr;
  return absl::OkStatus();
}

}  // namespace troika
