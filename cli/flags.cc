#include "cli/flags.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/nearest.h"

namespace troika::cli {

void Flags::Add(absl::string_view name, std::string* value) {
  targets_[absl::StrCat("--", name)] = value;
}

void Flags::Add(absl::string_view name, bool* value) {
  targets_[absl::StrCat("--", name)] = value;
}

absl::StatusOr<std::vector<std::string>> Flags::Parse(
    absl::Span<const std::string> args) const {
  std::vector<std::string> others;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      others.insert(others.end(), args.begin() + i + 1, args.end());
      break;
    }
    if (arg == "-" || !absl::StartsWith(arg, "-")) {
      others.push_back(arg);
      continue;
    }
    const size_t equals = arg.find('=');
    const std::string name = arg.substr(0, equals);
    const bool has_value = equals != std::string::npos;
    const auto found = targets_.find(name);
    if (found == targets_.end()) return Unknown(name);
    if (bool* const* flag = std::get_if<bool*>(&found->second)) {
      if (has_value) {
        return absl::InvalidArgumentError(
            absl::StrCat(name, " takes no value"));
      }
      **flag = true;
    } else if (has_value) {
      *std::get<std::string*>(found->second) = arg.substr(equals + 1);
    } else if (i + 1 < args.size()) {
      *std::get<std::string*>(found->second) = args[++i];
    } else {
      return absl::InvalidArgumentError(absl::StrCat(name, " needs a value"));
    }
  }
  return others;
}

absl::Status Flags::Unknown(absl::string_view flag) const {
  std::vector<std::string> names;
  for (const auto& [name, target] : targets_) names.push_back(name);
  const std::string nearest = Nearest(flag, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag ", flag,
      nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
}

}  // namespace troika::cli
