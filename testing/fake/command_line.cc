#include "testing/fake/command_line.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace troika::fake {
namespace {

bool IsFlag(absl::string_view arg) { return arg.size() > 1 && arg[0] == '-'; }

class Reader {
 public:
  Reader(const At& at, const std::vector<std::string>& args)
      : at_(at), args_(args) {}

  std::variant<CommandLine, Refusal> Read();

 private:
  struct Word {
    std::string name;
    std::optional<std::string> value;  // After "=" or a short flag.
  };

  Word Split(const std::string& arg) const;
  const Flag* /*nullable*/ Find(absl::string_view name) const;
  std::optional<Refusal> OnFlag(const std::string& arg);
  std::optional<Refusal> Values(const Flag& flag, const Word& word);
  std::optional<Refusal> OnWord(const std::string& word);
  bool WordFollows() const {
    return next_ < args_.size() && !IsFlag(args_[next_]);
  }
  // Claude takes any next argument as the value of a flag that needs one.
  bool ValueFollows(const Flag& flag) const {
    const bool takes_all =
        at_.harness == Harness::kClaude && flag.takes != Takes::kOptional;
    return WordFollows() || (takes_all && next_ < args_.size());
  }

  At at_;
  const std::vector<std::string>& args_;
  size_t next_ = 0;
  CommandLine line_;
  std::vector<std::string> unknown_;
  std::set<std::pair<Subcommand, absl::string_view>> seen_;
};

std::variant<CommandLine, Refusal> Reader::Read() {
  bool only_words = false;
  while (next_ < args_.size()) {
    const std::string& arg = args_[next_++];
    if (!only_words && arg == "--") {
      only_words = true;
      continue;
    }
    std::optional<Refusal> refusal =
        !only_words && IsFlag(arg) ? OnFlag(arg) : OnWord(arg);
    if (refusal) return *std::move(refusal);
  }
  if (!unknown_.empty()) return UnknownFlags(at_, unknown_);
  line_.subcommand = at_.subcommand;
  return std::move(line_);
}

Reader::Word Reader::Split(const std::string& arg) const {
  if (absl::StartsWith(arg, "--")) {
    const size_t equals = arg.find('=');
    if (equals == std::string::npos) return {.name = arg, .value = {}};
    return {.name = arg.substr(0, equals), .value = arg.substr(equals + 1)};
  }
  if (arg.size() == 2) return {.name = arg, .value = {}};
  return {.name = arg.substr(0, 2), .value = arg.substr(2)};
}

const Flag* Reader::Find(absl::string_view name) const {
  for (const Flag& flag : FlagsOf(at_.harness)) {
    if ((flag.name == name || flag.short_name == name) && HasFlag(at_, flag)) {
      return &flag;
    }
  }
  return nullptr;
}

std::optional<Refusal> Reader::OnFlag(const std::string& arg) {
  const Word word = Split(arg);
  const Flag* const flag = Find(word.name);
  if (flag) return Values(*flag, word);
  unknown_.push_back(word.name);
  if (at_.harness != Harness::kGemini) return UnknownFlags(at_, unknown_);
  if (!word.value && WordFollows()) ++next_;
  return std::nullopt;
}

std::optional<Refusal> Reader::Values(const Flag& flag, const Word& word) {
  const bool first = seen_.emplace(at_.subcommand, flag.name).second;
  std::vector<std::string>& values = line_.flags[std::string(flag.name)];
  if (!first && at_.harness == Harness::kCodex &&
      (flag.takes == Takes::kValue || flag.takes == Takes::kNothing)) {
    return GivenTwice(at_, flag);
  }
  if (flag.takes == Takes::kNothing) return std::nullopt;
  const size_t before = values.size();
  if (word.value) {
    values.push_back(*word.value);
  } else if (ValueFollows(flag)) {
    values.push_back(args_[next_++]);
    while (flag.takes == Takes::kMany && WordFollows()) {
      values.push_back(args_[next_++]);
    }
  } else if (flag.takes != Takes::kOptional) {
    return MissingValue(at_, flag);
  }
  const std::vector<absl::string_view> choices =
      absl::StrSplit(flag.choices, '|', absl::SkipEmpty());
  for (size_t i = before; i < values.size() && !choices.empty(); ++i) {
    if (std::find(choices.begin(), choices.end(), values[i]) == choices.end()) {
      return BadValue(at_, flag, values[i]);
    }
  }
  return std::nullopt;
}

std::optional<Refusal> Reader::OnWord(const std::string& word) {
  if (at_.harness == Harness::kCodex) {
    if (at_.subcommand == Subcommand::kRoot) {
      if (word == "app-server" && at_.version >= kCodexAppServer) {
        at_.subcommand = Subcommand::kAppServer;
        return std::nullopt;
      }
      if (word != "exec" && word != "e") {
        return Refusal{.exit_code = 70,
                       .text =
                           "fake: of codex's commands only exec and "
                           "app-server are played\n"};
      }
      at_.subcommand = Subcommand::kMain;
      return std::nullopt;
    }
    if (at_.subcommand == Subcommand::kMain && word == "resume" &&
        line_.positionals.empty() && at_.version >= kCodexResume) {
      at_.subcommand = Subcommand::kResume;
      return std::nullopt;
    }
    const size_t most = at_.subcommand == Subcommand::kResume      ? 2
                        : at_.subcommand == Subcommand::kAppServer ? 0
                                                                   : 1;
    if (line_.positionals.size() == most) return UnexpectedWord(at_, word);
  }
  line_.positionals.push_back(word);
  return std::nullopt;
}

}  // namespace

bool CommandLine::Has(absl::string_view name) const {
  return flags.find(name) != flags.end();
}

std::string CommandLine::Value(absl::string_view name) const {
  const auto it = flags.find(name);
  return it == flags.end() || it->second.empty() ? "" : it->second.back();
}

std::variant<CommandLine, Refusal> ReadCommandLine(
    Harness harness, const Version& version,
    const std::vector<std::string>& args) {
  return Reader({.harness = harness,
                 .version = version,
                 .subcommand = harness == Harness::kCodex ? Subcommand::kRoot
                                                          : Subcommand::kMain},
                args)
      .Read();
}

}  // namespace troika::fake
