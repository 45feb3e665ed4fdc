#include "testing/fake/player.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "testing/fake/io.h"
#include "testing/fake/processes.h"
#include "testing/fake/signals.h"
#include "testing/script_text.h"

namespace troika::fake {
namespace {

// Ends each word with a NUL, as /proc/self/cmdline does.
std::string EachEnded(const std::vector<std::string>& words) {
  std::string bytes;
  for (const std::string& word : words) {
    bytes.append(word.c_str(), word.size() + 1);
  }
  return bytes;
}

std::vector<std::string> Environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable) {
    variables.emplace_back(*variable);
  }
  return variables;
}

}  // namespace

Flow Player::PlayTurn(Work& work, absl::string_view prompt) {
  work_ = &work;
  prompt_ = std::string(prompt);
  ++work.session.turns;
  DieIfBad(process_.state.Put(work.session));
  const Instructions* const section =
      process_.script.Turn(work.session.turns, work.begun, prompt);
  if (!section) {
    Die(kBadScript, absl::StrCat("fake: the script has no section for turn ",
                                 work.session.turns));
  }
  work.begun = Begun::kNew;  // Later turns of the process are not resumed.
  denied_ = false;
  Print(wire_->StartTurn(prompt));
  return Play(*section);
}

Flow Player::Play(const Instructions& instructions) {
  for (const Instruction& instruction : instructions) {
    if (Wait(absl::ZeroDuration()) == Flow::kStop) return Flow::kStop;
    if (Do(instruction) == Flow::kStop) return Flow::kStop;
    if (denied_) break;
  }
  return Flow::kGoOn;
}

void Player::Print(absl::string_view bytes) {
  if (stdout_open_) DieIfBad(WriteAll(STDOUT_FILENO, bytes));
}

Flow Player::Do(const Instruction& instruction) {
  if (Tell(instruction) || Disturb(instruction) || Inspect(instruction)) {
    return Flow::kGoOn;
  }
  switch (instruction.op) {
    case Op::kSleep:
      return Wait(absl::Milliseconds(instruction.numbers[0]));
    case Op::kHang:
      return Wait(absl::InfiniteDuration());
    case Op::kExpect:
      return Expect(instruction);
    case Op::kAsk:
    case Op::kQuestion:
      return Ask(instruction);
    case Op::kWaitStdin:
      return WaitForLine();
    case Op::kExit:
      _exit(static_cast<int>(instruction.numbers[0]));
    case Op::kKillSelf:
      KillSelf(instruction.signal);
      return Flow::kGoOn;
    default:
      ChangeSignals(instruction);
      return Flow::kGoOn;
  }
}

bool Player::Tell(const Instruction& it) {
  switch (it.op) {
    case Op::kPrint:
      Print(absl::StrCat(it.text, "\n"));
      return true;
    case Op::kSay:
      Print(wire(it).Say(it.text));
      return true;
    case Op::kThink:
      Print(wire(it).Think(it.text));
      return true;
    case Op::kRun:
      Print(wire(it).StartRun(it.text));
      Print(wire(it).EndRun(it.outcome));
      return true;
    case Op::kStartRun:
      Print(wire(it).StartRun(it.text));
      return true;
    case Op::kEndRun:
      if (!wire(it).AnyRunning()) {
        Die(kBadScript,
            absl::StrCat("fake: line ", it.line, ": no command was started"));
      }
      Print(wire(it).EndRun(it.outcome));
      return true;
    case Op::kWrite:
      WriteFile(it);
      return true;
    case Op::kTodo:
      Print(wire(it).Todo(it.todos));
      return true;
    case Op::kUsage:
      wire(it).set_tokens({.input = it.numbers[0],
                           .cached = it.numbers[1],
                           .output = it.numbers[2]});
      Print(wire(it).TellTokens());
      return true;
    case Op::kOk:
      Print(wire(it).Succeed());
      Succeed();
      return true;
    case Op::kFail:
      Print(wire(it).Fail(it.text));
      inbox_.DropLines();
      exit_code_ = 1;
      return true;
    case Op::kStderr:
      DieIfBad(WriteAll(STDERR_FILENO, absl::StrCat(it.text, "\n")));
      return true;
    default:
      return false;
  }
}

bool Player::Disturb(const Instruction& it) {
  switch (it.op) {
    case Op::kPartial:
      Print(it.text);
      return true;
    case Op::kLongLine:
      (void)wire(it);
      Print(LineOf(it.numbers[0]));
      return true;
    case Op::kFlood:
      (void)wire(it);
      if (stdout_open_) {
        DieIfBad(
            WriteMany(STDOUT_FILENO, LineOf(it.numbers[1]), it.numbers[0]));
      }
      return true;
    case Op::kFloodStderr:
      DieIfBad(WriteMany(
          STDERR_FILENO,
          absl::StrCat(std::string(static_cast<size_t>(
                                       std::max<int64_t>(0, it.numbers[1] - 1)),
                                   'e'),
                       "\n"),
          it.numbers[0]));
      return true;
    case Op::kGarbage:
      Print(absl::StrCat(Garbage(it.numbers[0]), "\n"));
      return true;
    case Op::kCloseStdin:
      inbox_.Close();
      return true;
    case Op::kCloseStdout:
      close(STDOUT_FILENO);
      stdout_open_ = false;
      return true;
    case Op::kForkSleeper:
      ForkSleeper(
          {.seconds = it.numbers[0],
           .own_session = absl::c_linear_search(it.options, "setsid"),
           .double_fork = absl::c_linear_search(it.options, "double"),
           .hold_stdout = absl::c_linear_search(it.options, "hold-stdout")});
      return true;
    default:
      return false;
  }
}

bool Player::Inspect(const Instruction& it) {
  switch (it.op) {
    case Op::kExpectPrompt:
      if (it.text != prompt_) {
        Die(kUnexpected,
            absl::StrCat("fake: line ", it.line, ": expected the prompt\n  ",
                         it.text, "\nand got\n  ", prompt_));
      }
      return true;
    case Op::kDumpArgs:
      DieIfBad(troika::WriteFile(it.text, EachEnded(process_.args)));
      return true;
    case Op::kDumpEnv:
      DieIfBad(troika::WriteFile(it.text, EachEnded(Environment())));
      return true;
    case Op::kDumpStdin:
      DieIfBad(troika::WriteFile(it.text, inbox_.all()));
      return true;
    default:
      return false;
  }
}

void Player::ChangeSignals(const Instruction& it) {
  scripted_[it.signal] = it.block;
  if (it.op == Op::kIgnore) {
    IgnoreSignal(it.signal);
  } else if (it.block.size() == 1 && it.block[0].op == Op::kExit) {
    ExitOn(it.signal, static_cast<int>(it.block[0].numbers[0]));
  } else {
    NoteOn(it.signal);
  }
}

Flow Player::Wait(absl::Duration time) {
  const absl::Time end = absl::Now() + time;
  while (true) {
    switch (WaitFor(inbox_.watch(), time)) {
      case Woken::kTime:
        return Flow::kGoOn;
      case Woken::kSignal:
        if (OnSignals() == Flow::kStop) return Flow::kStop;
        break;
      case Woken::kStdin:
        if (inbox_.Read() == Flow::kStop) return Flow::kStop;
        break;
    }
    time = std::max(end - absl::Now(), absl::ZeroDuration());
  }
}

Flow Player::OnSignals() {
  while (const std::optional<int> signal = TakeSignal()) {
    const auto it = scripted_.find(*signal);
    if (it == scripted_.end()) {
      stopped_by_signal_ = true;
      return Flow::kStop;
    }
    const Instructions block = it->second;
    if (Play(block) == Flow::kStop) return Flow::kStop;
  }
  return Flow::kGoOn;
}

Flow Player::WaitForLine() {
  while (!inbox_.has_line() && !inbox_.at_end()) {
    const Woken woken = WaitFor(Watch::kStdin, absl::InfiniteDuration());
    const Flow flow = woken == Woken::kStdin ? inbox_.Read() : OnSignals();
    if (flow == Flow::kStop) return Flow::kStop;
  }
  return Flow::kGoOn;
}

Flow Player::Expect(const Instruction& it) {
  if (WaitForLine() == Flow::kStop) return Flow::kStop;
  const bool any = inbox_.has_line();
  const std::string line = any ? inbox_.TakeLine() : "";
  if (!any || !script::Matches(it.text, line)) {
    Die(kUnexpected,
        absl::StrCat("fake: line ", it.line, ": expected on stdin\n  ", it.text,
                     "\nand got\n  ", any ? line : "its end"));
  }
  return Flow::kGoOn;
}

void Player::WriteFile(const Instruction& it) {
  const std::filesystem::path path =
      std::filesystem::path(CurrentFolder()) / it.text;
  std::error_code ignored;
  const bool existed = std::filesystem::exists(path, ignored);
  DieIfBad(troika::WriteFile(path.string(), it.rest));
  Print(wire(it).WriteFile({.path = path.lexically_normal().string(),
                            .content = it.rest,
                            .existed = existed}));
}

void Player::Succeed() {
  exit_code_ = 0;
  // Input that arrived in the meantime belongs to this turn.
  inbox_.DropLines();
  work_->session.total = wire_->total();
  DieIfBad(process_.state.Put(work_->session));
  const std::string last_message = process_.line.Value("--output-last-message");
  if (!last_message.empty()) {
    DieIfBad(troika::WriteFile(last_message, wire_->last_text()));
  }
}

// Returns a line of `bytes` bytes, or with an empty text if that is longer.
std::string Player::LineOf(int64_t bytes) {
  const int64_t frame = static_cast<int64_t>(wire_->TextLine("").size());
  const int64_t text = std::max<int64_t>(0, bytes - frame);
  return wire_->TextLine(std::string(static_cast<size_t>(text), 'x'));
}

Wire& Player::wire(const Instruction& it) {
  if (!wire_) {
    Die(kBadScript, absl::StrCat("fake: line ", it.line,
                                 ": this needs a turn, so it can't stand in "
                                 "`== start`"));
  }
  return *wire_;
}

}  // namespace troika::fake
