// Writes the help and the command line errors of each CLI.
#ifndef TROIKA_TESTING_FAKE_USAGE_H_
#define TROIKA_TESTING_FAKE_USAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/harness.h"
#include "testing/fake/flag_table.h"

namespace troika::fake {

// The text that a process prints on stderr before it exits.
struct Refusal {
  int exit_code = 1;
  std::string text;
};

// The CLI, its version, and how much of the command line was parsed.
struct At {
  Harness harness = Harness::kCodex;
  Version version = {};
  Subcommand subcommand = Subcommand::kMain;
};

bool HasFlag(const At& at, const Flag& flag);
std::string HelpText(const At& at);

// Codex and Claude report the first unknown flag, Gemini all of them.
Refusal UnknownFlags(const At& at, const std::vector<std::string>& names);
Refusal UnexpectedWord(const At& at, absl::string_view word);
Refusal MissingValue(const At& at, const Flag& flag);
Refusal BadValue(const At& at, const Flag& flag, absl::string_view value);
Refusal GivenTwice(const At& at, const Flag& flag);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_USAGE_H_
