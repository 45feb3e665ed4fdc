#include "policy/propose.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "policy/match.h"
#include "policy/path_globs.h"
#include "policy/shell_line.h"

namespace troika::policy {
namespace {

using Names = absl::flat_hash_set<absl::string_view>;
using Words = absl::Span<const CommandWord>;

constexpr size_t kMaxRuleBytes = 400;
constexpr size_t kMaxCommands = 8;

// A prefix_rule also allows whatever is added at the end, which these programs
// would act upon.
bool ActsOnAnyArgument(absl::string_view program) {
  static const auto* const kNames =
      new Names{"chattr", "chgrp",    "chmod",  "chown",    "cp",    "curl",
                "dd",     "ftp",      "halt",   "install",  "kill",  "killall",
                "ln",     "mkfs",     "mv",     "nc",       "ncat",  "netcat",
                "pkill",  "poweroff", "reboot", "rm",       "rmdir", "rsync",
                "scp",    "sftp",     "shred",  "shutdown", "socat", "tee",
                "telnet", "truncate", "unlink", "wget"};
  return kNames->contains(BaseName(program));
}

// Programs that only read, so that they may have all arguments.
bool OnlyReads(absl::string_view program) {
  static const auto* const kNames = new Names{
      "basename", "cat",   "cmp",   "comm",  "cut",   "date",  "df",
      "dirname",  "du",    "echo",  "egrep", "false", "fgrep", "file",
      "grep",     "head",  "id",    "ls",    "nl",    "pwd",   "readlink",
      "realpath", "seq",   "stat",  "tail",  "tr",    "true",  "uname",
      "wc",       "which", "whoami"};
  return kNames->contains(program);
}

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      absl::StrAppend(&out, "\\", absl::string_view(&c, 1));
    } else if (c == '\n') {
      out += "\\n";
    } else if (absl::ascii_iscntrl(c)) {
      absl::StrAppendFormat(&out, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string PrefixRuleText(Words words) {
  return absl::StrCat(
      "prefix_rule(pattern = [",
      absl::StrJoin(words, ", ",
                    [](std::string* out, const CommandWord& word) {
                      out->append(Quoted(word.text));
                    }),
      "], decision = \"allow\")");
}

bool IsOption(const CommandWord& word) {
  return absl::StartsWith(word.text, "-");
}

// How many words a rule for `command` may have at least and at most; none if
// the second is 0.
std::pair<size_t, size_t> RuleLengths(Words command) {
  const absl::string_view program = command[0].text;
  const size_t most =
      absl::c_find_if(command,
                      [](const CommandWord& word) { return !word.literal; }) -
      command.begin();
  // A relative path is another file in each folder.
  const bool relative =
      absl::StrContains(program, '/') && !absl::StartsWith(program, "/");
  if (relative || ActsOnAnyArgument(program) || IsLauncher(program) ||
      !absl::c_all_of(command, [](const CommandWord& word) {
        return json::IsValidUtf8(word.text);
      })) {
    return {0, 0};
  }
  if (OnlyReads(program)) return {1, most};
  if (IsInterpreter(program)) {
    // Nothing but the whole command; and not if it is only options.
    const bool whole =
        most == command.size() && !absl::c_all_of(command.subspan(1), IsOption);
    return whole ? std::pair(most, most) : std::pair<size_t, size_t>(0, 0);
  }
  // After an option, a word may be the option's value (`git -C dir status`), so
  // that a part of the command could allow whatever the program does.
  if (command.size() == 1 || IsOption(command[1])) {
    return most == command.size() ? std::pair(most, most)
                                  : std::pair<size_t, size_t>(0, 0);
  }
  // The first word tells what the program does.
  return most > 1 ? std::pair<size_t, size_t>(2, most)
                  : std::pair<size_t, size_t>(0, 0);
}

// The commands of a request, those of shells in it included; nothing if it is
// not understood.
class Commands {
 public:
  explicit Commands(const CommandRequest& request) {
    for (const std::string& word : request.argv) {
      argv_.push_back({.text = word});
    }
    const bool known = argv_.empty() ? Open(request.line, 0) : Add(argv_, 0);
    if (!known) commands_.clear();
  }

  const std::vector<Words>& all() const { return commands_; }

 private:
  static constexpr int kMaxShells = 4;

  bool Add(Words command, int depth) {
    if (const CommandWord* text = ShellText(command)) {
      return depth < kMaxShells && Open(text->text, depth + 1);
    }
    commands_.push_back(command);
    return true;
  }

  bool Open(absl::string_view text, int depth) {
    lines_.push_back(std::make_unique<ShellLine>(text));
    const ShellLine& line = *lines_.back();
    if (!line.problem().empty()) return false;
    for (size_t i = 0; i < line.size(); ++i) {
      if (!Add(line.command(i), depth)) return false;
    }
    return true;
  }

  std::vector<CommandWord> argv_;
  std::vector<std::unique_ptr<ShellLine>> lines_;
  std::vector<Words> commands_;  // Refer to argv_ and lines_.
};

// Adds `rule` if it is new and short enough.
void AddRule(std::string rule, std::vector<std::string>* rules) {
  if (rule.size() > kMaxRuleBytes || absl::c_linear_search(*rules, rule)) {
    return;
  }
  rules->push_back(std::move(rule));
}

std::vector<std::string> ProposeForOne(Words command) {
  const auto [least, most] = RuleLengths(command);
  std::vector<std::string> rules;
  if (most == 0) return rules;
  // The whole command, what the program does with its first operand, and the
  // shortest; lengths in between are of little use.
  for (const size_t length : {most, std::min(most, least + 1), least}) {
    AddRule(PrefixRuleText(command.subspan(0, length)), &rules);
  }
  return rules;
}

}  // namespace

std::vector<std::string> ProposeRules(const CommandRequest& request) {
  const Commands commands(request);
  if (commands.all().empty()) return {};
  if (commands.all().size() == 1) return ProposeForOne(commands.all()[0]);
  // A rule for each command: first all narrowest ones, then all widest ones.
  std::vector<std::string> narrow, wide;
  for (const Words command : commands.all()) {
    const std::vector<std::string> rules = ProposeForOne(command);
    if (rules.empty()) return {};
    AddRule(rules.front(), &narrow);
    AddRule(rules.back(), &wide);
    if (narrow.size() > kMaxCommands) return {};
  }
  std::vector<std::string> proposals = {absl::StrJoin(narrow, "\n")};
  if (wide != narrow) proposals.push_back(absl::StrJoin(wide, "\n"));
  return proposals;
}

std::vector<std::string> ProposeRules(const EditRequest& request) {
  std::vector<std::string> files, folders;
  for (const std::string& path : request.paths) {
    const CleanPath clean = ToCleanPath(path, request.cwd);
    if (path.empty() || clean.left_folder || !json::IsValidUtf8(path) ||
        MayBeRewritten(path) ||
        clean.path.find_first_of("*?\0") != std::string::npos ||
        !GlobProblem(clean.path).empty()) {
      return {};
    }
    const std::string folder =
        clean.path.substr(0, clean.path.rfind('/')) + "/**";
    if (!absl::c_linear_search(files, clean.path)) files.push_back(clean.path);
    if (!absl::c_linear_search(folders, folder)) folders.push_back(folder);
  }
  if (files.empty() || ChangesPolicy(request, "")) return {};
  std::vector<std::string> rules;
  for (const std::vector<std::string>* paths : {&files, &folders}) {
    if (absl::c_linear_search(*paths, "/**")) continue;
    AddRule(absl::StrCat(
                "edit_rule(paths = [",
                absl::StrJoin(*paths, ", ",
                              [](std::string* out, const std::string& path) {
                                out->append(Quoted(path));
                              }),
                "], decision = \"allow\")"),
            &rules);
  }
  return rules;
}

std::vector<std::string> ProposeRules(const ToolRequest& request) {
  for (const absl::string_view name : {request.server, request.tool}) {
    if (absl::StrContains(name, '*') || !json::IsValidUtf8(name)) return {};
  }
  if (request.tool.empty()) return {};
  std::vector<std::string> rules;
  const std::string server =
      request.server.empty()
          ? ""
          : absl::StrCat("server = ", Quoted(request.server), ", ");
  AddRule(absl::StrCat("tool_rule(", server, "tool = ", Quoted(request.tool),
                       ", decision = \"allow\")"),
          &rules);
  if (!server.empty()) {
    AddRule(absl::StrCat("tool_rule(", server, "decision = \"allow\")"),
            &rules);
  }
  return rules;
}

}  // namespace troika::policy
