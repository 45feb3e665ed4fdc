#include "testing/fake/script.h"

#include <csignal>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "testing/fake/instruction.h"
#include "testing/script_text.h"

namespace troika::fake {
namespace {

// Parses a script's lines into sections.
class Reader {
 public:
  Reader() : current_(&script_.any_turn.emplace()) {}

  absl::StatusOr<Script> Read(absl::string_view text);

 private:
  absl::Status Line(absl::string_view line);
  absl::Status Section(absl::string_view title);
  // Returns whether the line is one of those that precede all instructions.
  absl::StatusOr<bool> Header(absl::string_view word, absl::string_view rest);
  absl::Status Add(Instruction instruction);

  Script script_;
  Instructions* current_;
  Instruction* /*nullable*/ block_ = nullptr;  // An `on` without `end` yet.
  std::set<std::string> titles_;
  bool began_ = false;
  int line_ = 0;
};

absl::StatusOr<Script> Reader::Read(absl::string_view text) {
  RETURN_IF_ERROR(script::ReadLines(text, "line ",
                                    [this](absl::string_view line, int number) {
                                      line_ = number;
                                      return Line(line);
                                    }));
  if (block_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "line ", block_->line, ": this block has no `end`; add one"));
  }
  // If only sections have instructions, they describe all turns.
  if (script_.any_turn->empty() &&
      (!script_.turns.empty() || !script_.prompts.empty() ||
       script_.resumed_turn)) {
    script_.any_turn.reset();
  }
  return std::move(script_);
}

absl::Status Reader::Line(absl::string_view line) {
  if (absl::ConsumePrefix(&line, "==")) {
    return Section(absl::StripAsciiWhitespace(line));
  }
  if (block_ && line == "end") {
    block_ = nullptr;
    return absl::OkStatus();
  }
  const absl::string_view word = script::TakeWord(&line);
  ASSIGN_OR_RETURN(const bool is_header, Header(word, line));
  if (is_header) return absl::OkStatus();
  ASSIGN_OR_RETURN(Instruction instruction, ParseInstruction(word, line));
  instruction.line = line_;
  for (Instruction& inner : instruction.block) inner.line = line_;
  return Add(std::move(instruction));
}

absl::Status Reader::Section(absl::string_view title) {
  if (block_) {
    return absl::InvalidArgumentError(
        "a section within a block; `end` the block first");
  }
  began_ = true;
  if (!titles_.emplace(title).second) {
    return absl::InvalidArgumentError("there is such a section already");
  }
  int turn = 0;
  if (title == "start") {
    current_ = &script_.start;
  } else if (title == "resume") {
    current_ = &script_.resumed_turn.emplace();
  } else if (absl::ConsumePrefix(&title, "turn ") &&
             absl::SimpleAtoi(title, &turn) && turn > 0) {
    script_.turns.emplace_back(turn, Instructions());
    current_ = &script_.turns.back().second;
  } else if (absl::ConsumePrefix(&title, "prompt ")) {
    script_.prompts.emplace_back(absl::AsciiStrToLower(title), Instructions());
    current_ = &script_.prompts.back().second;
  } else {
    return absl::InvalidArgumentError(
        "no such section; there are `== start`, `== turn N`, `== prompt WORD` "
        "and `== resume`");
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Reader::Header(absl::string_view word,
                                    absl::string_view rest) {
  if (word != "version" && word != "session" && word != "wrapper" &&
      word != "deaf") {
    return false;
  }
  if (began_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`", word, "` stands before all instructions; move it up"));
  }
  if (word == "wrapper") {
    script_.wrapper = true;
  } else if (word == "deaf") {
    if (!absl::SimpleAtoi(rest, &script_.deaf) || script_.deaf < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", rest, "` is no number of a line; write 1 or more"));
    }
  } else if (word == "session") {
    script_.session = std::string(rest);
  } else if (ParseVersion(rest)) {
    script_.version = std::string(rest);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("`", rest, "` is no version; write one as 0.166.0"));
  }
  return true;
}

absl::Status Reader::Add(Instruction instruction) {
  began_ = true;
  const bool opens = instruction.op == Op::kOn && instruction.block.empty();
  if (block_) {
    if (instruction.op == Op::kOn) {
      return absl::InvalidArgumentError("`on` within a block of `on`");
    }
    block_->block.push_back(std::move(instruction));
    return absl::OkStatus();
  }
  current_->push_back(std::move(instruction));
  if (opens) block_ = &current_->back();
  return absl::OkStatus();
}

// Whether the text contains the word as a whole: "task" does not contain "ask".
bool HoldsWord(absl::string_view text, absl::string_view word) {
  const auto ends = [&](size_t at) {
    return at >= text.size() ||
           !absl::ascii_isalnum(static_cast<unsigned char>(text[at]));
  };
  for (size_t at = text.find(word); at != absl::string_view::npos;
       at = text.find(word, at + 1)) {
    if ((at == 0 || ends(at - 1)) && ends(at + word.size())) return true;
  }
  return false;
}

}  // namespace

const Instructions* Script::Turn(int number, Begun begun,
                                 absl::string_view prompt) const {
  const std::string lower = absl::AsciiStrToLower(prompt);
  for (const auto& [word, instructions] : prompts) {
    if (HoldsWord(lower, word)) return &instructions;
  }
  for (const auto& [turn, instructions] : turns) {
    if (turn == number) return &instructions;
  }
  if (begun == Begun::kResumed && resumed_turn) return &*resumed_turn;
  return any_turn ? &*any_turn : nullptr;
}

absl::StatusOr<Script> ParseScript(absl::string_view text) {
  return Reader().Read(text);
}

std::optional<int> ParseSignal(absl::string_view name) {
  int number = 0;
  if (absl::SimpleAtoi(name, &number) && number > 0 && number < NSIG) {
    return number;
  }
  absl::ConsumePrefix(&name, "SIG");
  for (int signal = 1; signal < NSIG; ++signal) {
    const char* const known = sigabbrev_np(signal);
    if (known && name == known) return signal;
  }
  return std::nullopt;
}

}  // namespace troika::fake
