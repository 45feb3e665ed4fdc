#include "policy/syntax.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/utf8.h"

namespace troika::policy {
namespace {

using Kind = Token::Kind;

// Variables and `+` can double a value with each line, so that the sum of all
// values is bounded, not only the file.
constexpr size_t kMaxWeight = size_t{16} << 20;
constexpr int kMaxDepth = 8;
constexpr int kMaxBrackets = 64;
constexpr size_t kMaxTextBytes = 500;

// Starlark's words that begin something else than a call or an assignment.
constexpr absl::string_view kKeywords[] = {
    "and",    "as",       "assert", "async",  "await",  "break",
    "class",  "continue", "def",    "del",    "elif",   "else",
    "except", "finally",  "for",    "from",   "global", "if",
    "import", "in",       "is",     "lambda", "load",   "nonlocal",
    "not",    "or",       "pass",   "raise",  "return", "try",
    "while",  "with",     "yield",  "True",   "False",  "None"};

bool IsKeyword(absl::string_view name) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), name) !=
         std::end(kKeywords);
}

bool IsRuleFunction(absl::string_view name) {
  return absl::EndsWith(name, "_rule") || name == "host_executable";
}

// Returns `source` in one line: what separates lines becomes a space.
std::string OneLine(absl::string_view source) {
  std::string line;
  for (size_t i = 0; i < source.size() && line.size() <= kMaxTextBytes; ++i) {
    if (source[i] != '\n' && source[i] != '\r') {
      line.push_back(source[i]);
      continue;
    }
    while (i + 1 < source.size() && absl::ascii_isspace(source[i + 1])) ++i;
    line.push_back(' ');
  }
  if (line.size() <= kMaxTextBytes) return line;
  return absl::StrCat(CutAtCharacter(line, kMaxTextBytes - 3), "…");
}

class Parser {
 public:
  explicit Parser(const FileText& file) : file_(file), lexer_(file) {}

  absl::StatusOr<std::vector<Call>> Parse() {
    RETURN_IF_ERROR(Read());
    while (token_.kind != Kind::kEnd) {
      RETURN_IF_ERROR(Statement());
      if (token_.Is(";")) {
        RETURN_IF_ERROR(Read());
        if (token_.kind != Kind::kNewline) continue;
      }
      if (token_.kind == Kind::kEnd) break;
      if (token_.kind != Kind::kNewline) {
        return Unexpected("the end of the line");
      }
      RETURN_IF_ERROR(Read());
    }
    return std::move(calls_);
  }

 private:
  absl::Status Read() {
    ASSIGN_OR_RETURN(Token next, lexer_.Next());
    end_ = token_.end;
    token_ = std::move(next);
    return absl::OkStatus();
  }

  absl::Status Error(Position position, absl::string_view message) const {
    return ErrorAt(file_.file, position, message);
  }

  absl::Status Unexpected(absl::string_view wanted) const {
    absl::string_view found = token_.text;
    if (token_.kind == Kind::kNewline) found = "the end of the line";
    if (token_.kind == Kind::kEnd) found = "the end of the file";
    if (token_.kind == Kind::kString) found = "a string";
    if (token_.kind == Kind::kName && IsKeyword(token_.text)) {
      return Unsupported();
    }
    return Error(token_.position,
                 absl::StrCat("expected ", wanted, ", found ", found));
  }

  absl::Status Unsupported() const {
    return Error(token_.position,
                 absl::StrCat("`", token_.text, "` is not supported in rules"));
  }

  absl::Status Statement() {
    if (token_.kind == Kind::kString) return Read();  // A comment to Starlark.
    if (token_.kind != Kind::kName) return Unexpected("a rule");
    if (IsKeyword(token_.text)) return Unsupported();
    const Token name = token_;
    RETURN_IF_ERROR(Read());
    if (token_.Is("(")) return ReadCall(name);
    if (!token_.Is("=")) return Unexpected("`(` or `=`");
    if (IsRuleFunction(name.text)) {
      return Error(name.position,
                   absl::StrCat("`", name.text, "` can't be a variable"));
    }
    RETURN_IF_ERROR(Read());
    ASSIGN_OR_RETURN(variables_[name.text], Expression());
    return absl::OkStatus();
  }

  absl::Status ReadCall(const Token& name) {
    // Starlark would then call the value.
    if (variables_.contains(name.text)) {
      return Error(name.position,
                   absl::StrCat("`", name.text, "` is a variable"));
    }
    Call call = {.function = name.text, .position = name.position};
    RETURN_IF_ERROR(Read());
    while (!token_.Is(")")) {
      ASSIGN_OR_RETURN(Argument argument, ReadArgument());
      if (argument.name.empty() && !call.arguments.empty() &&
          !call.arguments.back().name.empty()) {
        return Error(argument.position,
                     "an argument without a name follows one with a name");
      }
      call.arguments.push_back(std::move(argument));
      if (token_.Is(",")) {
        RETURN_IF_ERROR(Read());
      } else if (!token_.Is(")")) {
        return Unexpected("`,` or `)`");
      }
    }
    RETURN_IF_ERROR(Read());
    call.text = OneLine(
        absl::string_view(file_.text).substr(name.begin, end_ - name.begin));
    calls_.push_back(std::move(call));
    return absl::OkStatus();
  }

  absl::StatusOr<Argument> ReadArgument() {
    Argument argument = {.position = token_.position};
    if (token_.kind == Kind::kName && !IsKeyword(token_.text)) {
      const Token name = token_;
      RETURN_IF_ERROR(Read());
      if (token_.Is("=")) {
        argument.name = name.text;
        RETURN_IF_ERROR(Read());
        ASSIGN_OR_RETURN(argument.value, Expression());
        return argument;
      }
      ASSIGN_OR_RETURN(Value first, Variable(name));
      ASSIGN_OR_RETURN(argument.value, Sum(std::move(first)));
      return argument;
    }
    ASSIGN_OR_RETURN(argument.value, Expression());
    return argument;
  }

  absl::StatusOr<Value> Expression() {
    ASSIGN_OR_RETURN(Value first, Primary());
    return Sum(std::move(first));
  }

  absl::StatusOr<Value> Sum(Value sum) {
    while (token_.Is("+")) {
      const Position plus = token_.position;
      RETURN_IF_ERROR(Read());
      ASSIGN_OR_RETURN(Value next, Primary());
      if (next.is_list != sum.is_list) {
        return Error(plus, "`+` adds two strings or two lists");
      }
      sum.text += next.text;
      std::move(next.items.begin(), next.items.end(),
                std::back_inserter(sum.items));
      sum.weight += next.weight;
      sum.depth = std::max(sum.depth, next.depth);
      RETURN_IF_ERROR(Charge(sum, plus));
    }
    return sum;
  }

  absl::StatusOr<Value> Primary() {
    if (++brackets_ > kMaxBrackets) {
      return Error(token_.position, "brackets are nested too deep");
    }
    absl::StatusOr<Value> value = ReadPrimary();
    --brackets_;
    return value;
  }

  absl::StatusOr<Value> ReadPrimary() {
    const Token token = token_;
    if (token.kind == Kind::kName && !IsKeyword(token.text)) {
      RETURN_IF_ERROR(Read());
      return Variable(token);
    }
    if (token.kind == Kind::kString) {
      RETURN_IF_ERROR(Read());
      Value value = {.text = token.text, .position = token.position};
      value.weight += value.text.size();
      RETURN_IF_ERROR(Charge(value, token.position));
      return value;
    }
    if (token.Is("[")) return List();
    if (!token.Is("(")) return Unexpected("a string or a list");
    RETURN_IF_ERROR(Read());
    if (token_.Is(")")) return Error(token.position, kNoTuples);
    ASSIGN_OR_RETURN(Value value, Expression());
    if (token_.Is(",")) return Error(token.position, kNoTuples);
    if (!token_.Is(")")) return Unexpected("`)`");
    RETURN_IF_ERROR(Read());
    return value;
  }

  absl::StatusOr<Value> List() {
    Value list = {.is_list = true, .position = token_.position, .depth = 1};
    RETURN_IF_ERROR(Read());
    while (!token_.Is("]")) {
      ASSIGN_OR_RETURN(Value item, Expression());
      list.weight += item.weight;
      list.depth = std::max(list.depth, item.depth + 1);
      list.items.push_back(std::move(item));
      if (token_.Is(",")) {
        RETURN_IF_ERROR(Read());
      } else if (!token_.Is("]")) {
        return Unexpected("`,` or `]`");
      }
    }
    if (list.depth > kMaxDepth) {
      return Error(list.position, "lists are nested too deep");
    }
    RETURN_IF_ERROR(Charge(list, list.position));
    RETURN_IF_ERROR(Read());
    return list;
  }

  absl::StatusOr<Value> Variable(const Token& name) {
    const auto found = variables_.find(name.text);
    if (found == variables_.end()) {
      return Error(
          name.position,
          absl::StrCat("there is no variable `", name.text,
                       token_.Is("(") ? "`, and calls are no values in rules"
                                      : "` above"));
    }
    RETURN_IF_ERROR(Charge(found->second, name.position));
    Value value = found->second;
    value.position = name.position;
    return value;
  }

  absl::Status Charge(const Value& value, Position position) {
    weight_ += value.weight;
    if (weight_ <= kMaxWeight) return absl::OkStatus();
    return Error(position, "the file's values are larger than 16 MiB");
  }

  static constexpr absl::string_view kNoTuples =
      "tuples are not supported in rules: write a list";

  const FileText& file_;
  Lexer lexer_;
  Token token_;
  size_t end_ = 0;  // Where the token before token_ ends.
  std::vector<Call> calls_;
  absl::flat_hash_map<std::string, Value> variables_;
  size_t weight_ = 0;
  int brackets_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Call>> ParseCalls(const FileText& file) {
  if (file.text.size() > kMaxFileBytes) {
    return ErrorAt(file.file, {}, "the file is larger than 1 MiB");
  }
  if (!json::IsValidUtf8(file.text)) {
    return ErrorAt(file.file, {}, "the file is not UTF-8");
  }
  return Parser(file).Parse();
}

}  // namespace troika::policy
