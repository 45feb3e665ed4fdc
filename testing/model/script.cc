#include "testing/model/script.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "testing/model/instruction.h"
#include "testing/model/script_text.h"

namespace troika::model {
namespace {

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

struct SubjectWord {
  absl::string_view word;
  Subject subject;
};

constexpr SubjectWord kSubjects[] = {
    {"prompt", Subject::kPrompt},      {"prompt-bytes", Subject::kPromptBytes},
    {"history", Subject::kHistory},    {"result", Subject::kResult},
    {"results", Subject::kResults},    {"system", Subject::kSystem},
    {"no-system", Subject::kNoSystem}, {"tool", Subject::kTool},
    {"no-tool", Subject::kNoTool},     {"model", Subject::kModel},
    {"effort", Subject::kEffort},      {"verbosity", Subject::kVerbosity},
    {"image", Subject::kImage},        {"body", Subject::kBody},
    {"no-body", Subject::kNoBody},     {"header", Subject::kHeader},
};

class Reader {
 public:
  explicit Reader(const Values& values) : values_(values) {}

  absl::Status Line(absl::string_view line, int number);
  Script Take() { return std::move(script_); }

 private:
  absl::Status Section(absl::string_view rest);
  absl::Status Expect(absl::string_view rest);
  // Fails if the instruction is not allowed at this point.
  absl::Status Fits(Op op) const;

  const Values& values_;
  Script script_;
  int line_ = 0;
};

absl::Status Reader::Line(absl::string_view line, int number) {
  line_ = number;
  absl::string_view rest = line;
  const absl::string_view word = script::TakeWord(&rest);
  if (word == "answer") return Section(absl::StripAsciiWhitespace(rest));
  if (script_.answers.empty()) {
    return Bad("an answer begins with a line `answer`; put one before this");
  }
  if (word == "expect") return Expect(rest);
  ASSIGN_OR_RETURN(Instruction instruction,
                   ParseInstruction(word, rest, values_));
  instruction.line = line_;
  RETURN_IF_ERROR(Fits(instruction.op));
  script_.answers.back().instructions.push_back(std::move(instruction));
  return absl::OkStatus();
}

absl::Status Reader::Section(absl::string_view rest) {
  Answer answer;
  answer.line = line_;
  absl::string_view how = rest;
  const size_t at = rest.find("when ");
  if (at != absl::string_view::npos) {
    how = absl::StripAsciiWhitespace(rest.substr(0, at));
    ASSIGN_OR_RETURN(answer.when, DecodeText(rest.substr(at + 5),
                                             TextForm::kPlain, values_));
  }
  int times = 0;
  if (how == "maybe") {
    answer.least = 0;
  } else if (how == "always") {
    answer.least = 0;
    answer.most = std::nullopt;
  } else if (absl::ConsumeSuffix(&how, " times") &&
             absl::SimpleAtoi(how, &times) && times > 0) {
    answer.least = times;
    answer.most = times;
  } else if (!how.empty()) {
    return Bad(
        "it is `answer`, `answer N times`, `answer maybe` or `answer always`, "
        "and then `when TEXT` or nothing");
  }
  script_.answers.push_back(std::move(answer));
  return absl::OkStatus();
}

absl::Status Reader::Expect(absl::string_view rest) {
  const absl::string_view word = script::TakeWord(&rest);
  Expectation expectation;
  expectation.line = line_;
  const SubjectWord* known = nullptr;
  for (const SubjectWord& subject : kSubjects) {
    if (subject.word == word) known = &subject;
  }
  if (!known) {
    return Bad(absl::StrCat("`expect ", word,
                            "` is nothing; docs/model.md has them all"));
  }
  expectation.subject = known->subject;
  if (known->subject == Subject::kPromptBytes ||
      known->subject == Subject::kResults) {
    ASSIGN_OR_RETURN(expectation.number, script::ParseCount(rest));
  } else {
    if (known->subject == Subject::kHeader) {
      const size_t colon = rest.find(':');
      if (colon == absl::string_view::npos) {
        return Bad("`expect header` takes NAME: TEXT");
      }
      expectation.name = absl::AsciiStrToLower(rest.substr(0, colon));
      rest = absl::StripLeadingAsciiWhitespace(rest.substr(colon + 1));
    }
    if (rest.empty()) {
      return Bad(absl::StrCat("`expect ", word, "` takes a text or /RE/"));
    }
    ASSIGN_OR_RETURN(expectation.text,
                     DecodeText(rest, TextForm::kPattern, values_));
  }
  script_.answers.back().expectations.push_back(std::move(expectation));
  return absl::OkStatus();
}

bool IsWhole(Op op) { return op == Op::kStatus || op == Op::kLimit; }
bool IsLast(Op op) {
  return op == Op::kFail || op == Op::kDrop || op == Op::kStall;
}

absl::Status Reader::Fits(Op op) const {
  for (const Instruction& before : script_.answers.back().instructions) {
    if (before.op == Op::kHeader || op == Op::kHeader) continue;
    if (IsLast(before.op)) {
      return Bad(absl::StrCat("the answer has ended in line ", before.line));
    }
    if (before.op != Op::kDelay && (IsWhole(op) || IsWhole(before.op))) {
      return Bad("a status is a whole answer: nothing can be said beside it");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Script> ParseScript(absl::string_view text,
                                   const Values& values) {
  Reader reader(values);
  RETURN_IF_ERROR(
      script::ReadLines(text, "", [&](absl::string_view line, int number) {
        return reader.Line(line, number);
      }));
  Script script = reader.Take();
  if (script.answers.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::count(text.begin(), text.end(), '\n') + 1,
                     ": there is no answer; begin one with `answer`"));
  }
  return script;
}

}  // namespace troika::model
