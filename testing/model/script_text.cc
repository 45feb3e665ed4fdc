#include "testing/model/script_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "re2/re2.h"
#include "testing/script_text.h"

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

absl::StatusOr<std::string> DecodeText(absl::string_view raw, TextForm form,
                                       const Values& values) {
  if (form == TextForm::kPattern && !script::IsExpression(raw)) {
    form = TextForm::kPlain;
  }
  std::string text;
  for (absl::string_view rest = raw; !rest.empty();) {
    const absl::string_view piece = rest.substr(0, rest.find("${"));
    rest.remove_prefix(piece.size());
    if (form == TextForm::kPlain) {
      ASSIGN_OR_RETURN(const std::string plain, script::Unescape(piece));
      text += plain;
    } else {
      absl::StrAppend(&text, piece);
    }
    if (!absl::ConsumePrefix(&rest, "${")) continue;
    ASSIGN_OR_RETURN(const std::string value, TakeValue(&rest, form, values));
    text += value;
  }
  if (form == TextForm::kPattern) RETURN_IF_ERROR(script::CheckPattern(text));
  return text;
}

std::string WithFolder(absl::string_view text, TextForm form,
                       absl::string_view folder) {
  if (form == TextForm::kPattern && !script::IsExpression(text)) {
    form = TextForm::kPlain;
  }
  return absl::StrReplaceAll(text, {{kFolder, Fitted(folder, form)}});
}

bool NamesFolder(absl::string_view text) {
  return text.find(kFolder) != absl::string_view::npos;
}

}  // namespace troika::model
