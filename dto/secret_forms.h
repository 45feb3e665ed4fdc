// The forms in which a known secret may be printed.
#ifndef TROIKA_DTO_SECRET_FORMS_H_
#define TROIKA_DTO_SECRET_FORMS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace troika {

// As `text` stands between the quotes of a JSON string: as we write it, and as
// writers do that also escape '/', HTML's characters or all but ASCII.
std::vector<std::string> JsonForms(absl::string_view text);

// Percent-encoded, and the part of base64 that does not depend on what stands
// before and after the text. Without `text` itself.
std::vector<std::string> EncodedForms(absl::string_view text);

}  // namespace troika

#endif  // TROIKA_DTO_SECRET_FORMS_H_
