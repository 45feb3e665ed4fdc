#include "testing/fake/usage.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace troika::fake {
namespace {

absl::string_view UsageText(const At& at) {
  if (at.harness == Harness::kClaude) {
    return "Usage: claude [options] [command] [prompt]";
  }
  if (at.harness == Harness::kGemini) {
    return "Usage: gemini [options] [command]";
  }
  switch (at.subcommand) {
    case Subcommand::kRoot:
      return "Usage: codex [OPTIONS] [PROMPT]\n"
             "       codex [OPTIONS] <COMMAND> [ARGS]";
    case Subcommand::kMain:
      return "Usage: codex exec [OPTIONS] [PROMPT]\n"
             "       codex exec [OPTIONS] <COMMAND> [ARGS]";
    case Subcommand::kAppServer:
      return "Usage: codex app-server [OPTIONS] [COMMAND]";
    case Subcommand::kResume:
      return "Usage: codex exec resume [OPTIONS] [SESSION_ID] [PROMPT]";
  }
  return "";
}

absl::string_view Commands(const At& at) {
  if (at.harness != Harness::kCodex) return "";
  if (at.subcommand == Subcommand::kRoot) return "Commands:\n  exec\n\n";
  const bool resumes =
      at.subcommand == Subcommand::kMain && at.version >= kCodexResume;
  return resumes ? "Commands:\n  resume\n\n" : "";
}

Refusal Clap(const At& at, absl::string_view error) {
  return {.exit_code = 2,
          .text = absl::StrCat("error: ", error, "\n\n", UsageText(at),
                               "\n\nFor more information, try '--help'.\n")};
}

Refusal Commander(absl::string_view error) {
  return {.exit_code = 1, .text = absl::StrCat("error: ", error, "\n")};
}

Refusal Yargs(const At& at, absl::string_view error) {
  return {.exit_code = 1, .text = absl::StrCat(error, "\n", HelpText(at))};
}

// Returns "--sandbox <SANDBOX_MODE>".
std::string Signature(const Flag& flag) {
  return flag.value.empty() ? std::string(flag.name)
                            : absl::StrCat(flag.name, " <", flag.value, ">");
}

// Yargs reports an unknown flag by its own and by its camel-cased name.
std::string YargsNames(absl::string_view flag) {
  absl::ConsumePrefix(&flag, "-");
  absl::ConsumePrefix(&flag, "-");
  std::string camel;
  for (const absl::string_view word : absl::StrSplit(flag, '-')) {
    std::string part(word);
    if (!camel.empty() && !part.empty()) part[0] = absl::ascii_toupper(part[0]);
    camel += part;
  }
  return camel == flag ? camel : absl::StrCat(flag, ", ", camel);
}

}  // namespace

bool HasFlag(const At& at, const Flag& flag) {
  return flag.subcommand == at.subcommand && flag.first <= at.version &&
         at.version < flag.until;
}

std::string HelpText(const At& at) {
  std::string text =
      absl::StrCat(UsageText(at), "\n\n", Commands(at), "Options:\n");
  for (const Flag& flag : FlagsOf(at.harness)) {
    if (!HasFlag(at, flag)) continue;
    absl::StrAppend(
        &text, "  ",
        flag.short_name.empty() ? "    " : absl::StrCat(flag.short_name, ", "),
        Signature(flag), "\n");
  }
  return text;
}

Refusal UnknownFlags(const At& at, const std::vector<std::string>& names) {
  if (at.harness == Harness::kCodex) {
    return Clap(at, absl::StrCat("unexpected argument '", names[0],
                                 "' found\n\n  tip: to pass '", names[0],
                                 "' as a value, use '-- ", names[0], "'"));
  }
  if (at.harness == Harness::kClaude) {
    return Commander(absl::StrCat("unknown option '", names[0], "'"));
  }
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back(YargsNames(name));
  const std::string list = absl::StrJoin(all, ", ");
  const bool several = absl::StrContains(list, ",");
  return Yargs(at,
               absl::StrCat("Unknown argument", several ? "s: " : ": ", list));
}

Refusal UnexpectedWord(const At& at, absl::string_view word) {
  return Clap(at, absl::StrCat("unexpected argument '", word, "' found"));
}

Refusal MissingValue(const At& at, const Flag& flag) {
  switch (at.harness) {
    case Harness::kCodex:
      return Clap(at, absl::StrCat("a value is required for '", Signature(flag),
                                   "' but none was supplied"));
    case Harness::kClaude:
    case Harness::kDemo:
      return Commander(
          absl::StrCat("option '", Signature(flag), "' argument missing"));
    case Harness::kAcp:
    case Harness::kGemini:
      return Yargs(at, absl::StrCat("Not enough arguments following: ",
                                    absl::StripPrefix(flag.name, "--")));
  }
  return {};
}

Refusal BadValue(const At& at, const Flag& flag, absl::string_view value) {
  const std::string choices = absl::StrReplaceAll(flag.choices, {{"|", ", "}});
  switch (at.harness) {
    case Harness::kCodex:
      return {.exit_code = 2,
              .text = absl::StrCat(
                  "error: invalid value '", value, "' for '", Signature(flag),
                  "'\n  [possible values: ", choices,
                  "]\n\nFor more information, try '--help'.\n")};
    case Harness::kClaude:
    case Harness::kDemo:
      return Commander(absl::StrCat("option '", Signature(flag), "' argument '",
                                    value, "' is invalid. Allowed choices are ",
                                    choices, "."));
    case Harness::kAcp:
    case Harness::kGemini:
      return Yargs(
          at, absl::StrCat("Invalid values:\n  Argument: ",
                           absl::StripPrefix(flag.name, "--"), ", Given: \"",
                           value, "\", Choices: \"",
                           absl::StrReplaceAll(flag.choices, {{"|", "\", \""}}),
                           "\""));
  }
  return {};
}

Refusal GivenTwice(const At& at, const Flag& flag) {
  return Clap(at, absl::StrCat("the argument '", Signature(flag),
                               "' cannot be used multiple times"));
}

}  // namespace troika::fake
