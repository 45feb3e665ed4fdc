// Compares ShellLine with what real shells run. The shells find no program and
// have no builtins, so that each command ends in a function that records it;
// and they run in a user, mount, process and network namespace of their own,
// where everything is read-only.
#include <unistd.h>

#include <cstdlib>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "policy/shell_line.h"
#include "testing/files.h"

namespace troika::policy {
namespace {

using Command = std::vector<std::string>;

// TROIKA_SHELL_LINES=N runs N lines of another kind each time, for hours if
// need be.
constexpr int kLines = 150;

// Makes everything read-only and runs the shell once for each line of stdin,
// which ends in a NUL. What is recorded goes to descriptor 3; "end" follows the
// commands of each line.
constexpr char kDriver[] = R"(
mount -o remount,ro,bind / || exit 99
cd EMPTY || exit 99
while IFS= read -r -d '' line; do
  for MODE in 0 1; do
    env -i MODE=$MODE ENVIRONMENT SHELL -c "$line" </dev/null >/dev/null 2>&1
  done
  printf 'end\0' >&3
done
)";

// MODE is the exit code of all commands. `printf` stays a builtin: it records.
constexpr char kBashSetup[] = R"(
PATH=/nonexistent
command_not_found_handle() {
  printf '%s\0' "$#" "$@" >&3
  [[ $MODE == 0 ]]
}
enable -n . : [ alias bg bind break builtin caller cd command compgen complete \
  compopt continue declare dirs disown echo eval exec exit export false fc fg \
  getopts hash help history jobs kill let local logout mapfile popd pushd pwd \
  read readarray readonly return set shift shopt source suspend test times \
  trap true type typeset ulimit umask unalias unset wait enable
)";
constexpr char kZshSetup[] = R"(
PATH=/nonexistent
command_not_found_handler() {
  printf '%s\0' "$#" "$@" >&3
  [[ $MODE == 0 ]]
}
for builtin in ${(k)builtins}; do
  [[ $builtin == (printf|disable) ]] || disable $builtin
done
disable disable
)";

// Makes lines that are mostly understood, of everything that shells know.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string Line() {
    std::string line = Spaces();
    const int commands = Below(4) + 1;
    for (int i = 0; i < commands; ++i) {
      if (i > 0) {
        line += Spaces() + Pick({"&&", "||", ";", "|", "\n", "&&\n", "|\n"}) +
                Spaces();
      }
      line += Word(/*program=*/true);
      for (int n = Below(4); n > 0; --n)
        line += Pick({" ", "  ", "\t"}) + Word();
    }
    line += Pick({"", "", "", ";", "\n", " "});
    // Sometimes something anywhere, which is most often not understood.
    if (Below(4) == 0) {
      line.insert(
          Below(line.size() + 1),
          Pick({"&",    ">",    "<",    "(",  ")",    "{", "}",        "$",
                "`",    "\\",   "'",    "\"", "#",    "!", "~",        "*",
                "=",    ";",    "|",    "\n", "%",    "^", "[",        "]",
                "\\\n", " if ", " do ", "''", "$'",   "é", "\xC2\xA0", "@",
                "-",    "+",    ",",    ":",  "{a,b}"}));
    }
    return line;
  }

 private:
  size_t Below(size_t n) { return random_() % n; }
  std::string Pick(const std::vector<std::string>& from) {
    return from[Below(from.size())];
  }
  std::string Spaces() { return Pick({"", "", " ", "  ", "\t"}); }

  std::string Word(bool program = false) {
    std::string word = Piece();
    while (Below(4) == 0) word += Piece();
    return program && Below(4) != 0 ? absl::StrCat("p", word) : word;
  }

  std::string Piece() {
    const std::string inner =
        Pick({"a",    "a b",   "$x",   "$(x)", "`x`", "*",  "?",  "~",
              "#",    "!",     "&& b", "; c",  "|",   ">f", "\\", "\\n",
              "\\\\", "{a,b}", "[ab]", "é",    "=",   "\n", "%s", ""});
    switch (Below(8)) {
      case 0:
        return absl::StrCat("'", inner, "'");
      case 1:
        return absl::StrCat("\"", inner, "\"");
      case 2:
        return absl::StrCat("\"", Pick({"\\\"", "\\\\", "\\$", "\\`", "\\a"}),
                            inner, "\"");
      case 3:
        return absl::StrCat(
            "\\", Pick({" ", "*", ";", "&", "|", "'", "\"", "\\", "$", "#"}));
      case 4:
        return Pick({"a*",   "b?",   "HEAD~1", "HEAD^", "-x",  "--y=z",
                     "k=v",  "a:b",  "a,b",    "a+b",   "a@b", "50%",
                     "/a/b", "./c",  "..",     "1",     "2",   "-",
                     "--",   "a=~b", "~",      "%1",    "=c"});
      default:
        return Pick({"a", "b", "if", "then", "do", "done", "in", "time", "x1"});
    }
  }

  std::mt19937 random_;
};

struct Shell {
  std::string name;
  std::string program;
  std::string flags;
  std::string environment;  // By which it finds its setup; FOLDER is replaced.
  std::string setup_name;
  absl::string_view setup;
};

void PrintTo(const Shell& shell, std::ostream* out) { *out << shell.name; }

class ShellTruthTest : public testing::TestWithParam<Shell> {
 protected:
  // Runs the lines and returns the commands of each, or sets `skipped_`.
  std::vector<std::vector<Command>> Run(const std::vector<std::string>& lines) {
    const Shell& shell = GetParam();
    folder_.Write("empty/keep/.keep", "");
    folder_.Write(shell.setup_name, shell.setup);
    folder_.Write("lines",
                  absl::StrCat(absl::StrJoin(lines, absl::string_view("\0", 1)),
                               absl::string_view("\0", 1)));
    folder_.Write(
        "driver",
        absl::StrReplaceAll(
            kDriver,
            {{"EMPTY", folder_.Path("empty/keep")},
             {"ENVIRONMENT", absl::StrReplaceAll(shell.environment,
                                                 {{"FOLDER", folder_.path()}})},
             {"SHELL", absl::StrCat(shell.program, " ", shell.flags)}}));
    const int code = std::system(
        absl::StrCat("cd ", folder_.path(),
                     " && timeout 3600 unshare --user --map-root-user --mount "
                     "--net --pid --fork --kill-child bash driver <lines "
                     "3>found >errors 2>&1")
            .c_str());
    if (code != 0) skipped_ = absl::StrCat(code, ": ", folder_.Read("errors"));
    return Parse(folder_.Read("found"));
  }

  static std::vector<std::vector<Command>> Parse(const std::string& found) {
    std::vector<std::vector<Command>> lines(1);
    const std::vector<std::string> items =
        absl::StrSplit(found, absl::ByChar('\0'));
    for (size_t i = 0; i + 1 < items.size(); ++i) {
      if (items[i] == "end") {
        lines.emplace_back();
        continue;
      }
      int count = 0;
      if (!absl::SimpleAtoi(items[i], &count) || i + count >= items.size()) {
        ADD_FAILURE() << "record " << items[i];
        break;
      }
      Command command(items.begin() + i + 1, items.begin() + i + 1 + count);
      lines.back().push_back(std::move(command));
      i += count;
    }
    lines.pop_back();
    return lines;
  }

  TempFolder folder_;
  std::string skipped_;
};

std::vector<Command> Understood(const std::string& text) {
  const ShellLine line(text);
  std::vector<Command> commands;
  if (!line.problem().empty()) return commands;
  for (size_t i = 0; i < line.size(); ++i) {
    Command& command = commands.emplace_back();
    for (const CommandWord& word : line.command(i)) {
      command.emplace_back(word.text);
    }
  }
  return commands;
}

TEST_P(ShellTruthTest, RunsNothingThatWasNotSeen) {
  if (access(GetParam().program.c_str(), X_OK) != 0) {
    GTEST_SKIP() << GetParam().program << " is not installed";
  }
  std::vector<std::string> lines = {
      "a && b || c; d | e\nf",
      R"(echo "a\"b\\c\$d\`e\n!'" a\ b \* 'it'\''s' "")",
      "cd x && exit 1; test -f a; : b; true c",
      "kill a; type b; which c; pwd; umask 1; false",
  };
  size_t count = kLines;
  Generator generator(20261117);
  if (const char* more = std::getenv("TROIKA_SHELL_LINES")) {
    ASSERT_TRUE(absl::SimpleAtoi(more, &count)) << more;
    generator = Generator(std::random_device()());
  }
  int refused = 0;
  while (lines.size() < count) {
    std::string line = generator.Line();
    if (Understood(line).empty()) {
      ++refused;
    } else {
      lines.push_back(std::move(line));
    }
  }
  EXPECT_GT(refused, 20);
  const std::vector<std::vector<Command>> found = Run(lines);
  if (!skipped_.empty()) {
    GTEST_SKIP() << GetParam().name
                 << " can't run in namespaces of its own: " << skipped_;
  }
  ASSERT_EQ(found.size(), lines.size());
  size_t ran = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<Command> understood = Understood(lines[i]);
    // Twice, as each line runs with both exit codes.
    for (const Command& command : found[i]) {
      EXPECT_TRUE(absl::c_linear_search(understood, command))
          << GetParam().name << " runs " << absl::StrJoin(command, "|")
          << " of the line\n"
          << lines[i];
    }
    // Shells record no program that is a path.
    const bool path = absl::c_any_of(understood, [](const Command& command) {
      return absl::StrContains(command[0], '/');
    });
    EXPECT_TRUE(path || !found[i].empty()) << lines[i];
    ran += found[i].size();
  }
  EXPECT_GT(ran, lines.size() * 2);
}

INSTANTIATE_TEST_SUITE_P(
    Shells, ShellTruthTest,
    testing::Values(Shell{.name = "bash",
                          .program = "/bin/bash",
                          .flags = "--norc --noprofile",
                          .environment = "BASH_ENV=FOLDER/setup",
                          .setup_name = "setup",
                          .setup = kBashSetup},
                    Shell{.name = "zsh",
                          .program = "/usr/bin/zsh",
                          .flags = "-o no_nomatch",
                          .environment = "ZDOTDIR=FOLDER",
                          .setup_name = ".zshenv",
                          .setup = kZshSetup}),
    [](const auto& shell) { return shell.param.name; });

}  // namespace
}  // namespace troika::policy
