// A line that is understood has the meaning that its words have when each of
// them is quoted; and a rule that is proposed for a line allows it.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "policy/decide.h"
#include "policy/propose.h"
#include "policy/rules.h"
#include "policy/shell_line.h"

namespace troika::policy {
namespace {

using Commands = std::vector<std::vector<std::string>>;

Commands CommandsOf(const ShellLine& line) {
  Commands commands;
  for (size_t i = 0; i < line.size(); ++i) {
    CHECK(!line.command(i).empty());
    CHECK(line.command(i)[0].literal);
    auto& command = commands.emplace_back();
    for (const CommandWord& word : line.command(i)) {
      command.emplace_back(word.text);
    }
  }
  return commands;
}

std::string Quoted(const Commands& commands) {
  std::string line;
  for (const std::vector<std::string>& command : commands) {
    if (!line.empty()) line += " ; ";
    for (const std::string& word : command) {
      line += '"';
      for (const char c : word) {
        if (c == '"' || c == '\\' || c == '$' || c == '`') line += '\\';
        line += c;
      }
      line += "\" ";
    }
  }
  return line;
}

// An independent look at the text outside of quotes: characters that are never
// plain there.
void CheckPlain(absl::string_view text) {
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\'') {
      if (c == quote) quote = '\0';
    } else if (c == '\\') {
      ++i;
    } else if (quote == '"') {
      CHECK(c != '$' && c != '`');
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else {
      CHECK(absl::string_view("$`<>(){}[]!#\r").find(c) ==
            absl::string_view::npos);
      if (c == '&') {
        CHECK(i + 1 < text.size() && text[i + 1] == '&');
        ++i;
      }
    }
  }
  CHECK(quote == '\0');
}

void Fuzz(const std::string& text) {
  const ShellLine line(text);
  const Commands commands = CommandsOf(line);
  const CommandRequest request = {.line = text};
  const std::vector<std::string> proposals = ProposeRules(request);
  if (!line.problem().empty()) {
    CHECK(proposals.empty());
    return;
  }
  CHECK(!commands.empty());
  CheckPlain(text);
  const std::string quoted = Quoted(commands);
  const ShellLine again(quoted);
  if (quoted.size() < (size_t{1} << 20)) {
    CHECK(again.problem().empty());
    CHECK(CommandsOf(again) == commands);
  }
  for (const std::string& rule : proposals) {
    const auto rules =
        Rules::Parse({.file = "f", .text = rule}, Dialect::kTroika);
    CHECK(rules.ok());
    CHECK(DecideCommand(*rules, request).allowed());
  }
}

}  // namespace
}  // namespace troika::policy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::policy::Fuzz(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
