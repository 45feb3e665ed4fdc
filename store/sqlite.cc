#include "store/sqlite.h"

#include "absl/strings/str_cat.h"
#include "base/blocking.h"
#include "base/status_macros.h"

namespace troika {
namespace {

// There are few shapes of queries; this bounds the memory that a client's
// requests can take.
constexpr size_t kMaxStatements = 200;

// SQLite takes a null pointer for NULL, and an empty view may have one.
const char* Data(absl::string_view text) {
  return text.data() == nullptr ? "" : text.data();
}

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

Statement::~Statement() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

Statement& Statement::Bind(absl::string_view text) {
  const int code =
      sqlite3_bind_text64(statement_.get(), ++bound_, Data(text), text.size(),
                          SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code_ == SQLITE_OK) code_ = code;
  return *this;
}

Statement& Statement::Bind(int64_t number) {
  const int code = sqlite3_bind_int64(statement_.get(), ++bound_, number);
  if (code_ == SQLITE_OK) code_ = code;
  return *this;
}

Statement& Statement::BindReal(double number) {
  const int code = sqlite3_bind_double(statement_.get(), ++bound_, number);
  if (code_ == SQLITE_OK) code_ = code;
  return *this;
}

Statement& Statement::BindBlob(absl::string_view bytes) {
  const int code = sqlite3_bind_blob64(statement_.get(), ++bound_, Data(bytes),
                                       bytes.size(), SQLITE_TRANSIENT);
  if (code_ == SQLITE_OK) code_ = code;
  return *this;
}

absl::StatusOr<bool> Statement::Step() {
  AssertMayBlock("sqlite3_step");
  if (code_ != SQLITE_OK) return SqliteStatus(code_, "bind a value");
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return SqliteStatus(code,
                      sqlite3_errmsg(sqlite3_db_handle(statement_.get())));
}

absl::Status Statement::Run() {
  while (true) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) return absl::OkStatus();
  }
}

std::string Statement::Text(int column) const {
  // SQLite wants the count of bytes to be asked for after the bytes.
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return bytes == nullptr ? std::string()
                          : std::string(static_cast<const char*>(bytes), size);
}

int64_t Statement::Int(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::Real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
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

absl::StatusOr<Statement> Database::Prepare(const std::string& sql) {
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return Statement(found->second);
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(db_.get(), sql.c_str(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) {
    return SqliteStatus(code, sqlite3_errmsg(db_.get()));
  }
  if (statements_.size() >= kMaxStatements) statements_.clear();
  return Statement(statements_[sql] = std::shared_ptr<sqlite3_stmt>(
                       statement, sqlite3_finalize));
}

absl::Status Database::Execute(const std::string& sql) {
  AssertMayBlock("sqlite3_exec");
  const int code =
      sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code == SQLITE_OK) return absl::OkStatus();
  return SqliteStatus(code, sqlite3_errmsg(db_.get()));
}

absl::StatusOr<Transaction> Transaction::Begin(Database* db) {
  ASSIGN_OR_RETURN(Statement begin, db->Prepare("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(begin.Run());
  return Transaction(db);
}

Transaction::~Transaction() {
  if (db_ == nullptr) return;
  // This fails if SQLite has already rolled back by itself.
  db_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Transaction::Commit() {
  ASSIGN_OR_RETURN(Statement commit, db_->Prepare("COMMIT"));
  RETURN_IF_ERROR(commit.Run());
  db_ = nullptr;
  return absl::OkStatus();
}

}  // namespace troika
