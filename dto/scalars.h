// How numbers and JSON values look in every text that dto/ writes.
#ifndef TROIKA_DTO_SCALARS_H_
#define TROIKA_DTO_SCALARS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace troika {

void AppendInt(int64_t value, std::string* out);

// The shortest text that reads back as the same double; "NaN", "Infinity" and
// "-Infinity" in quotes, as JSON has no numbers for them.
void AppendDouble(double value, std::string* out);

// A JSON value as it is, but on one line.
void AppendJsonOnOneLine(absl::string_view json, std::string* out);

}  // namespace troika

#endif  // TROIKA_DTO_SCALARS_H_
