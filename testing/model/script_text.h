// The texts of a script: escapes, values, expressions.
#ifndef TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_
#define TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::model {

using Values = std::map<std::string, std::string>;

// How a text is written, and so how a value is put into it.
enum class TextForm {
  kPlain,    // \n, \t and \\ mean what they do in C.
  kPattern,  // The same; where it is /RE/, an expression.
  kJson,     // Values stand within strings.
};

// The text with its values. "${cwd}" stays, unless it is among the values.
absl::StatusOr<std::string> DecodeText(absl::string_view raw, TextForm form,
                                       const Values& values);

// The text with the folder in place of "${cwd}".
std::string WithFolder(absl::string_view text, TextForm form,
                       absl::string_view folder);
bool NamesFolder(absl::string_view text);

// Whether a pattern is in a text.
bool Matches(absl::string_view pattern, absl::string_view text);
bool IsExpression(absl::string_view pattern);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_
