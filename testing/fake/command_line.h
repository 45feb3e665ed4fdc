// Parses or refuses a command line as the CLI's version does.
#ifndef TROIKA_TESTING_FAKE_COMMAND_LINE_H_
#define TROIKA_TESTING_FAKE_COMMAND_LINE_H_

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "agent/harness.h"
#include "testing/fake/flag_table.h"
#include "testing/fake/usage.h"

namespace troika::fake {

struct CommandLine {
  Subcommand subcommand = Subcommand::kMain;  // The command that was given.
  // Values by the flag's long name, from any command; a flag without a value
  // has none.
  std::map<std::string, std::vector<std::string>, std::less<>> flags;
  std::vector<std::string> positionals;

  bool Has(absl::string_view name) const;
  // Returns the last value; empty if there is none.
  std::string Value(absl::string_view name) const;
};

// `args` lacks the program's name.
std::variant<CommandLine, Refusal> ReadCommandLine(
    Harness harness, const Version& version,
    const std::vector<std::string>& args);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_COMMAND_LINE_H_
