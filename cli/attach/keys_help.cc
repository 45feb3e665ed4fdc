#include "cli/attach/keys_help.h"

namespace troika::cli {

std::string KeysIn(absl::string_view help) {
  const size_t begin = help.find("\n\n  ");
  if (begin == absl::string_view::npos) return std::string(help);
  help.remove_prefix(begin + 2);
  return std::string(help.substr(0, help.find("\n\n") + 1));
}

}  // namespace troika::cli
