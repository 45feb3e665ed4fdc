#include "testing/model/script_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "re2/re2.h"

namespace troika::model {
namespace {

constexpr absl::string_view kFolder = "${cwd}";

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

std::string Fitted(absl::string_view value, TextForm form) {
  if (form == TextForm::kPattern) {
    return RE2::QuoteMeta(re2::StringPiece(value.data(), value.size()));
  }
  if (form == TextForm::kPlain) return std::string(value);
  std::string quoted;
  json::AppendQuoted(value, &quoted);
  return quoted.substr(1, quoted.size() - 2);
}

bool IsName(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' &&
        c != '-') {
      return false;
    }
  }
  return !name.empty();
}

// Takes the name and the brace after "${" and returns the value.
absl::StatusOr<std::string> TakeValue(absl::string_view* rest, TextForm form,
                                      const Values& values) {
  const size_t end = rest->find('}');
  const absl::string_view name = rest->substr(0, end);
  if (end == absl::string_view::npos || !IsName(name)) {
    return Bad("`${` begins a value as ${NAME}; in a shell, write $NAME");
  }
  rest->remove_prefix(end + 1);
  const auto found = values.find(std::string(name));
  if (found != values.end()) return Fitted(found->second, form);
  if (name == "cwd") return std::string(kFolder);
  return Bad(absl::StrCat("${", name, "} has no value; give one by --set ",
                          name, "=VALUE"));
}

}  // namespace

bool IsExpression(absl::string_view pattern) {
  return pattern.size() > 2 && pattern.front() == '/' && pattern.back() == '/';
}

absl::StatusOr<std::string> DecodeText(absl::string_view raw, TextForm form,
                                       const Values& values) {
  const bool expression = form == TextForm::kPattern && IsExpression(raw);
  if (form == TextForm::kPattern && !expression) form = TextForm::kPlain;
  std::string text;
  for (absl::string_view rest = raw; !rest.empty();) {
    const char c = rest[0];
    rest.remove_prefix(1);
    if (c == '$' && !rest.empty() && rest[0] == '{') {
      rest.remove_prefix(1);
      ASSIGN_OR_RETURN(const std::string value, TakeValue(&rest, form, values));
      text += value;
    } else if (c == '\\' && form == TextForm::kPlain) {
      const char next = rest.empty() ? '\0' : rest[0];
      if (next != 'n' && next != 't' && next != '\\') {
        return Bad("a backslash is written \\\\, else \\n or \\t");
      }
      rest.remove_prefix(1);
      text.push_back(next == 'n' ? '\n' : next == 't' ? '\t' : '\\');
    } else {
      text.push_back(c);
    }
  }
  if (expression) {
    const RE2 re(text.substr(1, text.size() - 2), RE2::Quiet);
    if (!re.ok()) {
      return Bad(absl::StrCat(text, " is no expression: ", re.error()));
    }
  }
  return text;
}

std::string WithFolder(absl::string_view text, TextForm form,
                       absl::string_view folder) {
  if (form == TextForm::kPattern && !IsExpression(text)) {
    form = TextForm::kPlain;
  }
  return absl::StrReplaceAll(text, {{kFolder, Fitted(folder, form)}});
}

bool NamesFolder(absl::string_view text) {
  return text.find(kFolder) != absl::string_view::npos;
}

bool Matches(absl::string_view pattern, absl::string_view text) {
  if (!IsExpression(pattern)) {
    return text.find(pattern) != absl::string_view::npos;
  }
  const RE2 re(std::string(pattern.substr(1, pattern.size() - 2)), RE2::Quiet);
  return re.ok() &&
         RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), re);
}

}  // namespace troika::model
