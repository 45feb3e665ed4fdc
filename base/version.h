// The version of all of Troika's programs.
#ifndef TROIKA_BASE_VERSION_H_
#define TROIKA_BASE_VERSION_H_

#include "absl/strings/string_view.h"

namespace troika {

inline constexpr absl::string_view kVersion = "0.1.0";

}  // namespace troika

#endif  // TROIKA_BASE_VERSION_H_
