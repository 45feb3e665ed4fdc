#include <algorithm>
#include <bitset>
#include <initializer_list>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "policy/match.h"
#include "policy/shell_line.h"

namespace troika::policy {
namespace {

// A set of names. Most programs are in none of them, which the first character
// and the length tell without a hash.
class Names {
 public:
  Names(std::initializer_list<absl::string_view> names) : names_(names) {
    for (const absl::string_view name : names) may_have_[Slot(name)] = true;
  }

  bool contains(absl::string_view name) const {
    return may_have_[Slot(name)] && names_.contains(name);
  }

 private:
  static size_t Slot(absl::string_view name) {
    if (name.empty()) return 0;
    return (static_cast<unsigned char>(name[0]) % 128) * 16 +
           std::min<size_t>(name.size(), 15);
  }

  absl::flat_hash_set<absl::string_view> names_;
  std::bitset<128 * 16> may_have_;
};

// Words that begin something else than a command, in bash, zsh, dash or ksh.
const Names& ReservedWords() {
  static const auto* const kNames = new Names{
      "!",       "[",        "[[",   "]]",    "case",      "coproc", "do",
      "done",    "elif",     "else", "end",   "esac",      "fi",     "for",
      "foreach", "function", "if",   "in",    "nocorrect", "noglob", "repeat",
      "select",  "then",     "time", "until", "while",     "{",      "}"};
  return *kNames;
}

// Builtins that run their arguments or text from elsewhere, or change what
// commands after them mean: variables (PATH), aliases, functions, options,
// traps. Of some it is only that they evaluate their arguments: `shift`.
const Names& UnclearBuiltins() {
  static const auto* const kNames =
      new Names{".",          "alias",      "autoload", "bg",        "bind",
                "bindkey",    "break",      "builtin",  "bye",       "command",
                "compctl",    "compdef",    "compgen",  "complete",  "compopt",
                "continue",   "declare",    "dirs",     "disable",   "disown",
                "emulate",    "enable",     "eval",     "exec",      "export",
                "fc",         "fg",         "float",    "functions", "getln",
                "getopts",    "global",     "hash",     "hist",      "history",
                "integer",    "jobs",       "let",      "limit",     "local",
                "logout",     "mapfile",    "nameref",  "popd",      "print",
                "private",    "pushd",      "pushln",   "r",         "read",
                "readarray",  "readonly",   "rehash",   "return",    "sched",
                "set",        "setopt",     "shift",    "shopt",     "source",
                "suspend",    "trap",       "typeset",  "ulimit",    "unalias",
                "unfunction", "unhash",     "unlimit",  "unset",     "unsetopt",
                "vared",      "wait",       "zcompile", "zformat",   "zle",
                "zmodload",   "zparseopts", "zpty",     "zstyle"};
  return *kNames;
}

const Names& Launchers() {
  static const auto* const kNames = new Names{"busybox",
                                              "bwrap",
                                              "chronic",
                                              "chroot",
                                              "chrt",
                                              "dbus-run-session",
                                              "doas",
                                              "entr",
                                              "env",
                                              "fakeroot",
                                              "fd",
                                              "fdfind",
                                              "find",
                                              "firejail",
                                              "flock",
                                              "gosu",
                                              "ionice",
                                              "linux32",
                                              "linux64",
                                              "ltrace",
                                              "nice",
                                              "nohup",
                                              "nsenter",
                                              "numactl",
                                              "parallel",
                                              "pkexec",
                                              "prlimit",
                                              "proot",
                                              "rlwrap",
                                              "runuser",
                                              "script",
                                              "setarch",
                                              "setpriv",
                                              "setsid",
                                              "ssh",
                                              "ssh-agent",
                                              "start-stop-daemon",
                                              "stdbuf",
                                              "strace",
                                              "su",
                                              "sudo",
                                              "systemd-run",
                                              "taskset",
                                              "time",
                                              "timeout",
                                              "toybox",
                                              "unbuffer",
                                              "unshare",
                                              "watch",
                                              "xargs",
                                              "xvfb-run"};
  return *kNames;
}

const Names& Shells() {
  static const auto* const kNames = new Names{
      "ash",  "bash",       "csh",  "dash",  "elvish", "fish", "hush",
      "ksh",  "lksh",       "mksh", "nu",    "oksh",   "osh",  "pdksh",
      "posh", "powershell", "pwsh", "rbash", "rksh",   "rzsh", "sh",
      "tcsh", "xonsh",      "yash", "zsh"};
  return *kNames;
}

const Names& Interpreters() {
  static const auto* const kNames = new Names{
      "ash",    "awk",    "bash",      "bun",  "csh", "dash", "deno",
      "expect", "fish",   "gawk",      "ksh",  "lua", "mawk", "mksh",
      "node",   "nodejs", "osascript", "perl", "php", "pwsh", "python",
      "ruby",   "sh",     "tclsh",     "tcsh", "zsh"};
  return *kNames;
}

// Returns the name of a program without its version: python3.12, perl5.36.
absl::string_view UnversionedName(absl::string_view program) {
  absl::string_view name = BaseName(program);
  // Faster than find_last_not_of(), which builds a table for each call.
  const auto in_version = [](char c) {
    return absl::ascii_isdigit(c) || c == '.' || c == '-';
  };
  while (!name.empty() && in_version(name.back())) name.remove_suffix(1);
  return name;
}

bool AllLiteral(absl::Span<const CommandWord> words) {
  return std::all_of(words.begin(), words.end(),
                     [](const CommandWord& word) { return word.literal; });
}

// Tests of files and comparisons of texts. zsh evaluates the operands of all
// others, and bash those of -v.
bool IsPlainTest(absl::Span<const CommandWord> arguments) {
  if (!AllLiteral(arguments)) return false;
  if (arguments.size() == 2) {
    const absl::string_view test = arguments[0].text;
    return test.size() == 2 && test[0] == '-' &&
           absl::StrContains("bcdefghkLpSsurwxOGNnz", test[1]);
  }
  if (arguments.size() != 3) return false;
  static const auto* const kComparisons =
      new Names{"=", "==", "!=", "-nt", "-ot", "-ef"};
  return kComparisons->contains(arguments[1].text) &&
         arguments[0].text != "(" && arguments[0].text != "!";
}

// Formats without numbers, which zsh evaluates, and without -v, which sets a
// variable.
bool IsPlainFormat(absl::Span<const CommandWord> arguments) {
  if (arguments.empty()) return true;
  const CommandWord& format = arguments[0];
  if (!format.literal || absl::StartsWith(format.text, "-")) return false;
  for (size_t i = 0; i < format.text.size(); ++i) {
    if (format.text[i] != '%') continue;
    if (++i == format.text.size()) return false;
    if (format.text[i] != 's' && format.text[i] != '%') return false;
  }
  return true;
}

bool IsPlainExit(absl::Span<const CommandWord> arguments) {
  return arguments.empty() ||
         (arguments.size() == 1 && arguments[0].text.size() <= 3 &&
          std::all_of(arguments[0].text.begin(), arguments[0].text.end(),
                      absl::ascii_isdigit));
}

}  // namespace

std::string BuiltinProblem(absl::Span<const CommandWord> command) {
  const absl::string_view program = command[0].text;
  const absl::Span<const CommandWord> arguments = command.subspan(1);
  if (ReservedWords().contains(program)) {
    return absl::StrCat("it has the shell's word ", program);
  }
  if (UnclearBuiltins().contains(program)) {
    return absl::StrCat("the shell's builtin ", program,
                        " can change or hide what runs");
  }
  const bool unclear = (program == "test" && !IsPlainTest(arguments)) ||
                       (program == "printf" && !IsPlainFormat(arguments)) ||
                       (program == "exit" && !IsPlainExit(arguments));
  if (!unclear) return "";
  return absl::StrCat("a shell may evaluate the arguments of ", program);
}

const CommandWord* ShellText(absl::Span<const CommandWord> command) {
  static const auto* const kShells = new Names{"bash", "dash", "sh", "zsh"};
  static const auto* const kFolders = new Names{
      "", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"};
  if (command.size() < 3 || command.size() > 4 ||
      !absl::StartsWith(command[1].text, "-") || !AllLiteral(command)) {
    return nullptr;
  }
  const absl::string_view shell = command[0].text;
  const absl::string_view name = BaseName(shell);
  if (!kShells->contains(name) ||
      !kFolders->contains(shell.substr(0, shell.size() - name.size()))) {
    return nullptr;
  }
  const absl::string_view flag = command[1].text;
  const bool flags = command.size() == 3
                         ? flag == "-c" || flag == "-lc" || flag == "-cl"
                         : flag == "-l" && command[2].text == "-c";
  return flags ? &command.back() : nullptr;
}

bool IsLauncher(absl::string_view program) {
  return Launchers().contains(BaseName(program));
}

bool IsShell(absl::string_view program) {
  return Shells().contains(UnversionedName(program));
}

bool IsInterpreter(absl::string_view program) {
  return Interpreters().contains(UnversionedName(program));
}

}  // namespace troika::policy
