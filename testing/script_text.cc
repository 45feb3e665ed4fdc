#include "testing/script_text.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "re2/re2.h"

namespace troika::script {
namespace {

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

RE2 Compile(absl::string_view pattern) {
  return RE2(re2::StringPiece(pattern.data() + 1, pattern.size() - 2),
             RE2::Quiet);
}

}  // namespace

absl::Status ReadLines(
    absl::string_view text, absl::string_view before,
    absl::FunctionRef<absl::Status(absl::string_view line, int number)> read) {
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripLeadingAsciiWhitespace(absl::StripSuffix(line, "\r"));
    if (line.empty() || line[0] == '#') continue;
    const absl::Status status = read(line, number);
    if (!status.ok()) {
      return Bad(absl::StrCat(before, number, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

absl::string_view TakeWord(absl::string_view* rest) {
  const size_t end = rest->find(' ');
  const absl::string_view word = rest->substr(0, end);
  *rest = end == absl::string_view::npos ? absl::string_view()
                                         : rest->substr(end + 1);
  return word;
}

absl::StatusOr<int64_t> ParseCount(absl::string_view word) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number < 0) {
    return Bad(absl::StrCat("`", word, "` is no number"));
  }
  return number;
}

absl::Status ParseCounts(absl::string_view rest, size_t count,
                         std::vector<int64_t>* to) {
  for (const absl::string_view word :
       absl::StrSplit(rest, ' ', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(const int64_t number, ParseCount(word));
    to->push_back(number);
  }
  if (to->size() == count) return absl::OkStatus();
  return Bad(absl::StrCat("it takes numbers: ", count));
}

absl::StatusOr<std::string> Unescape(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain.push_back(text[i]);
      continue;
    }
    const char next = ++i < text.size() ? text[i] : '\0';
    if (next != 'n' && next != 't' && next != '\\') {
      return Bad("a backslash is written \\\\, else \\n or \\t");
    }
    plain.push_back(next == 'n' ? '\n' : next == 't' ? '\t' : '\\');
  }
  return plain;
}

absl::StatusOr<std::vector<TodoEntry>> ParseTodos(absl::string_view rest) {
  using Status = TodoEntry::Status;
  std::vector<TodoEntry> entries;
  for (absl::string_view item : absl::StrSplit(rest, '|')) {
    item = absl::StripAsciiWhitespace(item);
    TodoEntry& entry = entries.emplace_back();
    if (absl::ConsumePrefix(&item, "[x] ")) {
      entry.status = Status::kCompleted;
    } else if (absl::ConsumePrefix(&item, "[>] ")) {
      entry.status = Status::kInProgress;
    } else if (!absl::ConsumePrefix(&item, "[ ] ")) {
      return Bad("an entry begins with [ ], [>] or [x]");
    }
    entry.text = std::string(item);
  }
  return entries;
}

absl::string_view StatusName(TodoEntry::Status status) {
  switch (status) {
    case TodoEntry::Status::kPending:
      return "pending";
    case TodoEntry::Status::kInProgress:
      return "in_progress";
    case TodoEntry::Status::kCompleted:
      return "completed";
  }
  return "";
}

absl::StatusOr<std::vector<std::string>> ParseOptions(absl::string_view rest) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(rest, '|')) {
    parts.emplace_back(absl::StripAsciiWhitespace(part));
  }
  if (parts.front().empty() || parts.size() < 2) {
    return Bad("it takes a text and at least one option");
  }
  return parts;
}

bool IsExpression(absl::string_view pattern) {
  return pattern.size() > 2 && pattern.front() == '/' && pattern.back() == '/';
}

absl::Status CheckPattern(absl::string_view pattern) {
  if (!IsExpression(pattern)) return absl::OkStatus();
  const RE2 re = Compile(pattern);
  if (re.ok()) return absl::OkStatus();
  return Bad(absl::StrCat(pattern, " is no expression: ", re.error()));
}

bool Matches(absl::string_view pattern, absl::string_view text) {
  if (!IsExpression(pattern)) return absl::StrContains(text, pattern);
  const RE2 re = Compile(pattern);
  return re.ok() &&
         RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), re);
}

}  // namespace troika::script
