// The lines and words of scripts, as fakes (testing/fake) and the model
// (testing/model) read them. Errors are InvalidArgument.
#ifndef TROIKA_TESTING_SCRIPT_TEXT_H_
#define TROIKA_TESTING_SCRIPT_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::script {

// Calls `read` with each line and its number, without the spaces before it.
// Skips empty lines and those that begin with '#'. An error is that of `read`,
// after `before` and the line's number.
absl::Status ReadLines(
    absl::string_view text, absl::string_view before,
    absl::FunctionRef<absl::Status(absl::string_view line, int number)> read);

// Takes the first word, and the space after it.
absl::string_view TakeWord(absl::string_view* rest);

// 0 or more.
absl::StatusOr<int64_t> ParseCount(absl::string_view word);
absl::Status ParseCounts(absl::string_view rest, size_t count,
                         std::vector<int64_t>* to);

// \n, \t and \\ mean what they do in C.
absl::StatusOr<std::string> Unescape(absl::string_view text);

// "[x] DONE | [>] RUNNING | [ ] OPEN"; texts stay as they are written.
struct TodoEntry {
  enum class Status { kPending, kInProgress, kCompleted };
  std::string text;
  Status status = Status::kPending;
};
absl::StatusOr<std::vector<TodoEntry>> ParseTodos(absl::string_view rest);
// As all wires spell it.
absl::string_view StatusName(TodoEntry::Status status);

// "TEXT | OPTION | OPTION": the text, and at least one option.
absl::StatusOr<std::vector<std::string>> ParseOptions(absl::string_view rest);

// A pattern matches a text that contains it, or if it is written /RE/, one in
// which RE2 finds the expression.
bool IsExpression(absl::string_view pattern);
absl::Status CheckPattern(absl::string_view pattern);
bool Matches(absl::string_view pattern, absl::string_view text);

}  // namespace troika::script

#endif  // TROIKA_TESTING_SCRIPT_TEXT_H_
