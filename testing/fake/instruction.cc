#include "testing/fake/instruction.h"

#include <regex.h>

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"

namespace troika::fake {
namespace {

using Parse = absl::Status (*)(absl::string_view rest, Instruction* to);

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

// \n, \t and \\ have the same meaning as in C.
absl::Status Unescape(absl::string_view text, std::string* to) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      to->push_back(text[i]);
      continue;
    }
    const char next = ++i < text.size() ? text[i] : '\0';
    if (next != 'n' && next != 't' && next != '\\') {
      return Bad("a backslash is written \\\\, else \\n or \\t");
    }
    to->push_back(next == 'n' ? '\n' : next == 't' ? '\t' : '\\');
  }
  return absl::OkStatus();
}

absl::Status Nothing(absl::string_view rest, Instruction*) {
  return absl::StripAsciiWhitespace(rest).empty() ? absl::OkStatus()
                                                  : Bad("it takes nothing");
}

absl::Status Raw(absl::string_view rest, Instruction* to) {
  to->text = std::string(rest);
  return absl::OkStatus();
}

absl::Status Text(absl::string_view rest, Instruction* to) {
  return Unescape(rest, &to->text);
}

absl::Status Numbers(absl::string_view rest, size_t count, Instruction* to) {
  for (const absl::string_view word :
       absl::StrSplit(rest, ' ', absl::SkipEmpty())) {
    int64_t number = 0;
    if (!absl::SimpleAtoi(word, &number) || number < 0) {
      return Bad(absl::StrCat("`", word, "` is no number"));
    }
    to->numbers.push_back(number);
  }
  return to->numbers.size() == count
             ? absl::OkStatus()
             : Bad(absl::StrCat("it takes numbers: ", count));
}

absl::Status OneNumber(absl::string_view rest, Instruction* to) {
  return Numbers(rest, 1, to);
}

absl::Status TwoNumbers(absl::string_view rest, Instruction* to) {
  return Numbers(rest, 2, to);
}

absl::Status ThreeNumbers(absl::string_view rest, Instruction* to) {
  return Numbers(rest, 3, to);
}

// Parses "=> OUTPUT exit N", of which either part may be missing.
absl::Status Outcome(absl::string_view rest, Instruction* to) {
  const size_t at = rest.rfind("exit ");
  int code = 0;
  if (at != absl::string_view::npos && (at == 0 || rest[at - 1] == ' ') &&
      absl::SimpleAtoi(rest.substr(at + 5), &code)) {
    to->outcome.exit_code = code;
    rest = absl::StripTrailingAsciiWhitespace(rest.substr(0, at));
  }
  if (rest.empty()) return absl::OkStatus();
  if (!absl::ConsumePrefix(&rest, "=>")) return Bad("the output follows `=>`");
  return Unescape(absl::StripLeadingAsciiWhitespace(rest), &to->outcome.output);
}

absl::Status Command(absl::string_view rest, Instruction* to) {
  return rest.empty() ? Bad("it takes a command") : Unescape(rest, &to->text);
}

absl::Status Run(absl::string_view rest, Instruction* to) {
  const size_t at = rest.find(" =>");
  absl::Status status = Command(rest.substr(0, at), to);
  if (!status.ok() || at == absl::string_view::npos) return status;
  return Outcome(rest.substr(at + 1), to);
}

absl::Status File(absl::string_view rest, Instruction* to) {
  to->text = std::string(absl::StripAsciiWhitespace(rest));
  return to->text.empty() ? Bad("it takes a file's name") : absl::OkStatus();
}

absl::Status FileAndContent(absl::string_view rest, Instruction* to) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 1));
  absl::Status status = File(parts.first, to);
  return status.ok() ? Unescape(parts.second, &to->rest) : status;
}

absl::Status Todos(absl::string_view rest, Instruction* to) {
  using Status = TodoEntry::Status;
  for (absl::string_view item : absl::StrSplit(rest, '|')) {
    item = absl::StripAsciiWhitespace(item);
    TodoEntry entry;
    if (absl::ConsumePrefix(&item, "[x] ")) {
      entry.status = Status::kCompleted;
    } else if (absl::ConsumePrefix(&item, "[>] ")) {
      entry.status = Status::kInProgress;
    } else if (!absl::ConsumePrefix(&item, "[ ] ")) {
      return Bad("an entry begins with [ ], [>] or [x]");
    }
    entry.text = std::string(item);
    to->todos.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status ToolAndInput(absl::string_view rest, Instruction* to) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 1));
  json::Parser parser;
  const auto input = parser.Parse(parts.second);
  if (parts.first.empty() || !input.ok() || !input->IsObject()) {
    return Bad("it takes a tool's name and a JSON object");
  }
  to->text = std::string(parts.first);
  to->rest = std::string(parts.second);
  return absl::OkStatus();
}

absl::Status TextAndOptions(absl::string_view rest, Instruction* to) {
  for (const absl::string_view part : absl::StrSplit(rest, '|')) {
    to->options.emplace_back(absl::StripAsciiWhitespace(part));
  }
  to->text = to->options.front();
  to->options.erase(to->options.begin());
  if (to->text.empty() || to->options.empty()) {
    return Bad("it takes a text and at least one option");
  }
  return absl::OkStatus();
}

absl::Status Signal(absl::string_view rest, Instruction* to) {
  const std::optional<int> signal =
      ParseSignal(absl::StripAsciiWhitespace(rest));
  if (!signal) return Bad(absl::StrCat("`", rest, "` is no signal"));
  to->signal = *signal;
  return absl::OkStatus();
}

absl::Status Catchable(absl::string_view rest, Instruction* to) {
  absl::Status status = Signal(rest, to);
  const bool never = to->signal == SIGKILL || to->signal == SIGSTOP;
  return status.ok() && never ? Bad("no process can catch it") : status;
}

absl::Status On(absl::string_view rest, Instruction* to) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(rest, absl::MaxSplits(' ', 2));
  absl::Status status = Catchable(parts[0], to);
  if (!status.ok() || parts.size() == 1) return status;
  absl::StatusOr<Instruction> then =
      ParseInstruction(parts[1], parts.size() > 2 ? parts[2] : "");
  if (!then.ok()) return then.status();
  if (then->op == Op::kOn) return Bad("`on` within `on`");
  to->block.push_back(*std::move(then));
  return absl::OkStatus();
}

absl::Status Sleeper(absl::string_view rest, Instruction* to) {
  to->options = absl::StrSplit(rest, ' ', absl::SkipEmpty());
  if (to->options.empty()) return Bad("it takes a number of seconds");
  absl::Status status = OneNumber(to->options.back(), to);
  to->options.pop_back();
  for (const std::string& option : to->options) {
    if (option != "setsid" && option != "double" && option != "hold-stdout") {
      return Bad(absl::StrCat("there is no option `", option, "`"));
    }
  }
  return status;
}

absl::Status Expectation(absl::string_view rest, Instruction* to) {
  if (rest.empty()) return Bad("it takes a text or a /regular expression/");
  to->text = std::string(rest);
  return Matches(rest, "").status();
}

struct Grammar {
  absl::string_view word;
  Op op;
  Parse parse;
  absl::string_view form;  // Syntax, for errors.
};

constexpr Grammar kGrammar[] = {
    {"print", Op::kPrint, Raw, "print LINE"},
    {"say", Op::kSay, Text, "say TEXT"},
    {"think", Op::kThink, Text, "think TEXT"},
    {"run", Op::kRun, Run, "run COMMAND => OUTPUT exit N"},
    {"start-run", Op::kStartRun, Command, "start-run COMMAND"},
    {"end-run", Op::kEndRun, Outcome, "end-run => OUTPUT exit N"},
    {"write", Op::kWrite, FileAndContent, "write FILE CONTENT"},
    {"ask", Op::kAsk, ToolAndInput, "ask TOOL INPUT_JSON"},
    {"question", Op::kQuestion, TextAndOptions,
     "question TEXT | OPTION | OPTION"},
    {"todo", Op::kTodo, Todos, "todo [x] DONE | [>] RUNNING | [ ] OPEN"},
    {"usage", Op::kUsage, ThreeNumbers, "usage INPUT CACHED OUTPUT"},
    {"ok", Op::kOk, Nothing, "ok"},
    {"fail", Op::kFail, Text, "fail MESSAGE"},
    {"stderr", Op::kStderr, Text, "stderr TEXT"},
    {"partial", Op::kPartial, Raw, "partial TEXT"},
    {"long-line", Op::kLongLine, OneNumber, "long-line BYTES"},
    {"flood", Op::kFlood, TwoNumbers, "flood LINES BYTES"},
    {"flood-stderr", Op::kFloodStderr, TwoNumbers, "flood-stderr LINES BYTES"},
    {"garbage", Op::kGarbage, OneNumber, "garbage BYTES"},
    {"sleep", Op::kSleep, OneNumber, "sleep MILLISECONDS"},
    {"hang", Op::kHang, Nothing, "hang"},
    {"expect", Op::kExpect, Expectation, "expect TEXT, or expect /REGEX/"},
    {"expect-prompt", Op::kExpectPrompt, Text, "expect-prompt TEXT"},
    {"wait-stdin", Op::kWaitStdin, Nothing, "wait-stdin"},
    {"close-stdin", Op::kCloseStdin, Nothing, "close-stdin"},
    {"close-stdout", Op::kCloseStdout, Nothing, "close-stdout"},
    {"exit", Op::kExit, OneNumber, "exit CODE"},
    {"kill-self", Op::kKillSelf, Signal, "kill-self SIGNAL"},
    {"ignore", Op::kIgnore, Catchable, "ignore SIGNAL"},
    {"on", Op::kOn, On, "on SIGNAL INSTRUCTION, or on SIGNAL … end"},
    {"fork-sleeper", Op::kForkSleeper, Sleeper,
     "fork-sleeper [setsid] [double] [hold-stdout] SECONDS"},
    {"dump-args", Op::kDumpArgs, File, "dump-args FILE"},
    {"dump-env", Op::kDumpEnv, File, "dump-env FILE"},
    {"dump-stdin", Op::kDumpStdin, File, "dump-stdin FILE"},
};

}  // namespace

absl::StatusOr<Instruction> ParseInstruction(absl::string_view word,
                                             absl::string_view rest) {
  for (const Grammar& grammar : kGrammar) {
    if (grammar.word != word) continue;
    Instruction instruction;
    instruction.op = grammar.op;
    absl::Status status = grammar.parse(rest, &instruction);
    if (status.ok()) return instruction;
    return Bad(absl::StrCat("`", word, "`: ", status.message(), "; write `",
                            grammar.form, "`"));
  }
  return Bad(absl::StrCat("there is no instruction `", word,
                          "`; docs/testing.md lists them"));
}

absl::StatusOr<bool> Matches(absl::string_view pattern,
                             absl::string_view line) {
  if (pattern.size() < 2 || pattern.front() != '/' || pattern.back() != '/') {
    return absl::StrContains(line, pattern);
  }
  const std::string expression(pattern.substr(1, pattern.size() - 2));
  regex_t compiled;
  const int error =
      regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (error != 0) {
    char why[200];
    regerror(error, &compiled, why, sizeof(why));
    return Bad(absl::StrCat("the expression ", pattern, " is bad: ", why));
  }
  const absl::Cleanup free_it = [&] { regfree(&compiled); };
  return regexec(&compiled, std::string(line).c_str(), 0, nullptr, 0) == 0;
}

}  // namespace troika::fake
