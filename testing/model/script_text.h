// Decodes the texts of a script: escapes, values, expressions.
#ifndef TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_
#define TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace troika::model {

using Values = std::map<std::string, std::string>;

// The form of a text, which decides how values are inserted.
enum class TextForm {
  kPlain,    // \n, \t and \\ mean the same as in C.
  kPattern,  // Like kPlain, but /RE/ is a regular expression.
  kJson,     // Values are inserted within strings.
};

// Inserts the values. "${cwd}" stays, unless it is one of the values.
absl::StatusOr<std::string> DecodeText(absl::string_view raw, TextForm form,
                                       const Values& values);

// Replaces "${cwd}" by the folder.
std::string WithFolder(absl::string_view text, TextForm form,
                       absl::string_view folder);
bool NamesFolder(absl::string_view text);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SCRIPT_TEXT_H_
