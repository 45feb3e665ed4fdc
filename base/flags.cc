#include "base/flags.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace troika {

namespace {

// Longer words are not typing errors.
constexpr size_t kMaxWord = 40;

// Returns how many letters to add, drop or change to turn `a` into `b`.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

// Longer than anybody waits, and short enough to count in milliseconds.
constexpr absl::Duration kMaxDuration = absl::Hours(24 * 365);
constexpr absl::string_view kMaxDurationText = "8760h";

absl::Status Set(absl::string_view flag, const std::string& text,
                 std::optional<absl::Duration>* out) {
  absl::Duration duration;
  if (!absl::ParseDuration(text, &duration)) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " ", text,
                     " is not a duration: write it as 90s, 10m ", "or 1h30m"));
  }
  if (duration < absl::Milliseconds(1) || duration > kMaxDuration) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag, " ", text, " is out of range: 1ms to ", kMaxDurationText));
  }
  *out = duration;
  return absl::OkStatus();
}

absl::Status Set(absl::string_view flag, const std::string& text,
                 std::optional<int>* out) {
  int number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag, " ", text, " is not a number: write one of 0 or more"));
  }
  *out = number;
  return absl::OkStatus();
}

absl::Status Set(absl::string_view, const std::string& text, std::string* out) {
  *out = text;
  return absl::OkStatus();
}

absl::Status Set(absl::string_view, const std::string& text,
                 std::vector<std::string>* out) {
  out->push_back(text);
  return absl::OkStatus();
}

// Whether a flag with this target takes no value.
template <typename Target>
constexpr bool kIsSwitch = std::is_same_v<Target, bool*> ||
                           std::is_same_v<Target, std::optional<bool>*>;

}  // namespace

std::string Nearest(absl::string_view word,
                    const std::vector<std::string>& candidates) {
  std::string nearest;
  if (word.size() > kMaxWord) return nearest;
  // If more than half of a word differs, another word was meant.
  size_t best = word.size() / 2 + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void Flags::Add(absl::string_view name, Target target) {
  flags_[absl::StrCat("--", name)] = {target};
  if (std::holds_alternative<std::optional<bool>*>(target)) {
    flags_[absl::StrCat("--no-", name)] = {target, /*value=*/false};
  }
}

void Flags::AddShort(char letter, absl::string_view name) {
  flags_[std::string({'-', letter})] = flags_.at(absl::StrCat("--", name));
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
    const auto found = flags_.find(name);
    if (found == flags_.end()) return Unknown(name);
    const Flag& flag = found->second;
    RETURN_IF_ERROR(std::visit(
        [&](auto* target) -> absl::Status {
          if constexpr (kIsSwitch<decltype(target)>) {
            if (has_value) {
              return absl::InvalidArgumentError(
                  absl::StrCat(name, " takes no value"));
            }
            *target = flag.value;
            return absl::OkStatus();
          } else {
            if (!has_value && i + 1 == args.size()) {
              return absl::InvalidArgumentError(
                  absl::StrCat(name, " needs a value"));
            }
            return Set(name, has_value ? arg.substr(equals + 1) : args[++i],
                       target);
          }
        },
        flag.target));
  }
  return others;
}

absl::Status Flags::Unknown(absl::string_view flag) const {
  std::vector<std::string> names;
  for (const auto& [name, target] : flags_) names.push_back(name);
  const std::string nearest = Nearest(flag, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag ", flag,
      nearest.empty() ? "" : absl::StrCat("; did you mean ", nearest, "?")));
}

absl::Status Flags::ParseAll(absl::Span<const std::string> args) const {
  const absl::StatusOr<std::vector<std::string>> words = Parse(args);
  if (!words.ok() || words->empty()) return words.status();
  return absl::InvalidArgumentError(absl::StrCat(
      "unexpected argument \"", words->front(), "\": leave it out"));
}

}  // namespace troika
