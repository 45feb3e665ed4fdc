#include "testing/fake/instruction.h"

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "testing/script_text.h"

namespace troika::fake {
namespace {

using Parse = absl::Status (*)(absl::string_view rest, Instruction* to);

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

absl::Status Unescape(absl::string_view text, std::string* to) {
  ASSIGN_OR_RETURN(*to, script::Unescape(text));
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

template <size_t kCount>
absl::Status Numbers(absl::string_view rest, Instruction* to) {
  return script::ParseCounts(rest, kCount, &to->numbers);
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
  RETURN_IF_ERROR(Command(rest.substr(0, at), to));
  if (at == absl::string_view::npos) return absl::OkStatus();
  return Outcome(rest.substr(at + 1), to);
}

absl::Status File(absl::string_view rest, Instruction* to) {
  to->text = std::string(absl::StripAsciiWhitespace(rest));
  return to->text.empty() ? Bad("it takes a file's name") : absl::OkStatus();
}

absl::Status FileAndContent(absl::string_view rest, Instruction* to) {
  RETURN_IF_ERROR(File(script::TakeWord(&rest), to));
  return Unescape(rest, &to->rest);
}

absl::Status Todos(absl::string_view rest, Instruction* to) {
  ASSIGN_OR_RETURN(to->todos, script::ParseTodos(rest));
  return absl::OkStatus();
}

absl::Status ToolAndInput(absl::string_view rest, Instruction* to) {
  to->text = std::string(script::TakeWord(&rest));
  to->rest = std::string(rest);
  json::Parser parser;
  const auto input = parser.Parse(rest);
  if (to->text.empty() || !input.ok() || !input->IsObject()) {
    return Bad("it takes a tool's name and a JSON object");
  }
  return absl::OkStatus();
}

absl::Status TextAndOptions(absl::string_view rest, Instruction* to) {
  ASSIGN_OR_RETURN(to->options, script::ParseOptions(rest));
  to->text = to->options.front();
  to->options.erase(to->options.begin());
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
  absl::Status status = Numbers<1>(to->options.back(), to);
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
  return script::CheckPattern(rest);
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
    {"usage", Op::kUsage, Numbers<3>, "usage INPUT CACHED OUTPUT"},
    {"ok", Op::kOk, Nothing, "ok"},
    {"fail", Op::kFail, Text, "fail MESSAGE"},
    {"stderr", Op::kStderr, Text, "stderr TEXT"},
    {"partial", Op::kPartial, Raw, "partial TEXT"},
    {"long-line", Op::kLongLine, Numbers<1>, "long-line BYTES"},
    {"flood", Op::kFlood, Numbers<2>, "flood LINES BYTES"},
    {"flood-stderr", Op::kFloodStderr, Numbers<2>, "flood-stderr LINES BYTES"},
    {"garbage", Op::kGarbage, Numbers<1>, "garbage BYTES"},
    {"sleep", Op::kSleep, Numbers<1>, "sleep MILLISECONDS"},
    {"hang", Op::kHang, Nothing, "hang"},
    {"expect", Op::kExpect, Expectation, "expect TEXT, or expect /REGEX/"},
    {"expect-prompt", Op::kExpectPrompt, Text, "expect-prompt TEXT"},
    {"wait-stdin", Op::kWaitStdin, Nothing, "wait-stdin"},
    {"close-stdin", Op::kCloseStdin, Nothing, "close-stdin"},
    {"close-stdout", Op::kCloseStdout, Nothing, "close-stdout"},
    {"exit", Op::kExit, Numbers<1>, "exit CODE"},
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

}  // namespace troika::fake
