#include "cli/timeline/code_colour.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace troika::cli {
namespace {

// Sorted.
constexpr absl::string_view kKeywords[] = {
    "and",       "as",        "async",   "await",  "bool",     "break",
    "case",      "catch",     "class",   "const",  "continue", "def",
    "default",   "delete",    "do",      "done",   "elif",     "else",
    "end",       "enum",      "esac",    "except", "export",   "extends",
    "false",     "fi",        "finally", "fn",     "for",      "from",
    "func",      "function",  "if",      "impl",   "import",   "in",
    "interface", "is",        "lambda",  "let",    "match",    "mod",
    "mut",       "namespace", "new",     "nil",    "none",     "not",
    "null",      "or",        "package", "pass",   "private",  "protected",
    "pub",       "public",    "raise",   "return", "self",     "static",
    "struct",    "super",     "switch",  "then",   "this",     "throw",
    "true",      "try",       "type",    "union",  "use",      "using",
    "var",       "void",      "while",   "with",   "yield"};

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

uint16_t StyleOfDiffLine(absl::string_view line) {
  if (absl::StartsWith(line, "+")) return kGreenText;
  if (absl::StartsWith(line, "-")) return kRedText;
  return absl::StartsWith(line, "@") ? kCyanText : kPlainText;
}

// Whether # begins a comment; in C it is the preprocessor.
bool HasHashComments(absl::string_view language) {
  for (const absl::string_view one :
       {"sh", "bash", "zsh", "shell", "console", "python", "py", "ruby", "rb",
        "yaml", "yml", "toml", "make", "makefile", "dockerfile", "perl", "r"}) {
    if (absl::EqualsIgnoreCase(language, one)) return true;
  }
  return false;
}

}  // namespace

void AppendCode(absl::string_view line, absl::string_view language,
                StyledText* out) {
  if (absl::EqualsIgnoreCase(language, "diff")) {
    return out->Append(line, StyleOfDiffLine(line));
  }
  if (language.empty() || absl::EqualsIgnoreCase(language, "text")) {
    return out->Append(line, kPlainText);
  }
  const bool hash = HasHashComments(language);
  size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    const absl::string_view rest = line.substr(at);
    if (hash ? c == '#' : absl::StartsWith(rest, "//")) {
      return out->Append(rest, kDimText);
    }
    size_t end = at + 1;
    uint16_t style = kPlainText;
    if (c == '"' || c == '\'' || c == '`') {
      while (end < line.size() && line[end] != c) {
        end += line[end] == '\\' && end + 1 < line.size() ? 2 : 1;
      }
      // An apostrophe alone is no string.
      const bool ended = end < line.size();
      end = ended ? end + 1 : at + 1;
      style = ended ? kGreenText : kPlainText;
    } else if (IsWord(c)) {
      while (end < line.size() && IsWord(line[end])) ++end;
      const absl::string_view word = line.substr(at, end - at);
      if (std::binary_search(std::begin(kKeywords), std::end(kKeywords),
                             word)) {
        style = kCyanText;
      }
    }
    out->Append(line.substr(at, end - at), style);
    at = end;
  }
}

}  // namespace troika::cli
