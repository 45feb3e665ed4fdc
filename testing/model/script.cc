#include "testing/model/script.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "testing/model/script_text.h"

namespace troika::model {
namespace {

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

// What follows an instruction's word.
enum class Form {
  kNothing,
  kText,
  kSomeText,
  kNumber,
  kThreeNumbers,
  kReason,
  kFile,
  kFileAndText,
  kFileAndChange,
  kPlan,
  kOptions,
  kServerToolJson,
  kNameAndJson,
  kNumberAndText,
  kHeader,
  kNameAndText,
  kRaw,
};

struct Word {
  absl::string_view word;
  Op op;
  Form form;
  absl::string_view takes;  // For people.
};

constexpr Word kWords[] = {
    {"say", Op::kSay, Form::kText, "a text"},
    {"think", Op::kThink, Form::kText, "a text"},
    {"chunks", Op::kChunks, Form::kNumber, "a number"},
    {"pace", Op::kPace, Form::kNumber, "milliseconds"},
    {"delay", Op::kDelay, Form::kNumber, "milliseconds"},
    {"usage", Op::kUsage, Form::kThreeNumbers, "INPUT CACHED OUTPUT"},
    {"stop", Op::kStop, Form::kReason, "end_turn, max_tokens or refusal"},
    {"run", Op::kRun, Form::kSomeText, "a command"},
    {"run-background", Op::kRunBackground, Form::kSomeText, "a command"},
    {"write", Op::kWrite, Form::kFileAndText, "FILE TEXT"},
    {"edit", Op::kEdit, Form::kFileAndChange, "FILE OLD => NEW"},
    {"delete", Op::kDelete, Form::kFile, "a file's name"},
    {"patch", Op::kPatch, Form::kSomeText, "a patch"},
    {"read", Op::kRead, Form::kFile, "a file's name"},
    {"plan", Op::kPlan, Form::kPlan, "[x] A | [>] B | [ ] C"},
    {"ask", Op::kAsk, Form::kOptions, "QUESTION | OPTION | OPTION"},
    {"mcp", Op::kMcp, Form::kServerToolJson, "SERVER TOOL and a JSON object"},
    {"search", Op::kSearch, Form::kSomeText, "a query"},
    {"call", Op::kCall, Form::kNameAndJson, "a tool's name and a JSON object"},
    {"status", Op::kStatus, Form::kNumberAndText, "a status from 300 to 599"},
    {"header", Op::kHeader, Form::kHeader, "NAME: VALUE"},
    {"limit", Op::kLimit, Form::kNumber, "seconds"},
    {"fail", Op::kFail, Form::kNameAndText, "CODE MESSAGE"},
    {"drop", Op::kDrop, Form::kNothing, "nothing"},
    {"stall", Op::kStall, Form::kNothing, "nothing"},
    {"garbage", Op::kGarbage, Form::kNumber, "a number of bytes"},
    {"print", Op::kPrint, Form::kRaw, "a line"},
};

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

// Takes the first word, and the space after it.
absl::string_view TakeWord(absl::string_view* rest) {
  const size_t end = rest->find(' ');
  const absl::string_view word = rest->substr(0, end);
  *rest = end == absl::string_view::npos ? absl::string_view()
                                         : rest->substr(end + 1);
  return word;
}

absl::StatusOr<int64_t> Number(absl::string_view word) {
  int64_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number < 0) {
    return Bad(absl::StrCat("`", word, "` is no number"));
  }
  return number;
}

bool IsJsonObject(absl::string_view text) {
  json::Parser parser;
  const auto value = parser.Parse(text);
  return value.ok() && value->IsObject();
}

class Reader {
 public:
  explicit Reader(const Values& values) : values_(values) {}

  absl::Status Line(absl::string_view line, int number);
  Script Take() { return std::move(script_); }

 private:
  absl::Status Section(absl::string_view rest);
  absl::Status Expect(absl::string_view rest);
  absl::Status Arguments(Form form, absl::string_view rest, Instruction* to);
  absl::Status Numbers(absl::string_view rest, size_t count, Instruction* to);
  absl::Status Plan(absl::string_view rest, Instruction* to);
  absl::Status Options(absl::string_view rest, Instruction* to);
  absl::Status File(absl::string_view word, Instruction* to);
  absl::Status Json(absl::string_view raw, std::string* to);
  absl::Status Plain(absl::string_view raw, std::string* to);
  // Whether the instruction may stand where it does.
  absl::Status Fits(Op op) const;

  const Values& values_;
  Script script_;
  int line_ = 0;
};

absl::Status Reader::Line(absl::string_view line, int number) {
  line_ = number;
  absl::string_view rest = line;
  const absl::string_view word = TakeWord(&rest);
  if (word == "answer") return Section(absl::StripAsciiWhitespace(rest));
  if (script_.answers.empty()) {
    return Bad("an answer begins with a line `answer`; put one before this");
  }
  if (word == "expect") return Expect(rest);
  for (const Word& known : kWords) {
    if (known.word != word) continue;
    RETURN_IF_ERROR(Fits(known.op));
    Instruction instruction;
    instruction.op = known.op;
    instruction.line = line_;
    const absl::Status status = Arguments(known.form, rest, &instruction);
    if (!status.ok()) {
      return Bad(absl::StrCat("`", word, "` takes ", known.takes, ": ",
                              status.message()));
    }
    script_.answers.back().instructions.push_back(std::move(instruction));
    return absl::OkStatus();
  }
  return Bad(absl::StrCat("`", word,
                          "` is no instruction; docs/model.md has them all"));
}

absl::Status Reader::Section(absl::string_view rest) {
  Answer answer;
  answer.line = line_;
  absl::string_view how = rest;
  const size_t at = rest.find("when ");
  if (at != absl::string_view::npos) {
    how = absl::StripAsciiWhitespace(rest.substr(0, at));
    RETURN_IF_ERROR(Plain(rest.substr(at + 5), &answer.when));
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
  const absl::string_view word = TakeWord(&rest);
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
    ASSIGN_OR_RETURN(expectation.number, Number(rest));
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

absl::Status Reader::Plain(absl::string_view raw, std::string* to) {
  ASSIGN_OR_RETURN(*to, DecodeText(raw, TextForm::kPlain, values_));
  return absl::OkStatus();
}

absl::Status Reader::Json(absl::string_view raw, std::string* to) {
  ASSIGN_OR_RETURN(*to, DecodeText(raw, TextForm::kJson, values_));
  return IsJsonObject(*to) ? absl::OkStatus()
                           : Bad(absl::StrCat(*to, " is no JSON object"));
}

absl::Status Reader::File(absl::string_view word, Instruction* to) {
  if (word.empty()) return Bad("the file's name is missing");
  return Plain(word, &to->text);
}

absl::Status Reader::Numbers(absl::string_view rest, size_t count,
                             Instruction* to) {
  for (const absl::string_view word :
       absl::StrSplit(rest, ' ', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(const int64_t number, Number(word));
    to->numbers.push_back(number);
  }
  if (to->numbers.size() != count) {
    return Bad(absl::StrCat("that are ", to->numbers.size(), " numbers"));
  }
  if (to->op == Op::kChunks && to->numbers[0] == 0) return Bad("not 0");
  return absl::OkStatus();
}

absl::Status Reader::Plan(absl::string_view rest, Instruction* to) {
  using Status = PlanEntry::Status;
  for (absl::string_view item : absl::StrSplit(rest, '|')) {
    item = absl::StripAsciiWhitespace(item);
    PlanEntry entry;
    if (absl::ConsumePrefix(&item, "[x] ")) {
      entry.status = Status::kDone;
    } else if (absl::ConsumePrefix(&item, "[>] ")) {
      entry.status = Status::kRunning;
    } else if (!absl::ConsumePrefix(&item, "[ ] ")) {
      return Bad("an entry begins with [ ], [>] or [x]");
    }
    RETURN_IF_ERROR(Plain(item, &entry.text));
    to->plan.push_back(std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status Reader::Options(absl::string_view rest, Instruction* to) {
  for (const absl::string_view part : absl::StrSplit(rest, '|')) {
    RETURN_IF_ERROR(
        Plain(absl::StripAsciiWhitespace(part), &to->options.emplace_back()));
  }
  to->text = to->options.front();
  to->options.erase(to->options.begin());
  return to->text.empty() || to->options.empty()
             ? Bad("a question has at least one option")
             : absl::OkStatus();
}

absl::Status Reader::Arguments(Form form, absl::string_view rest,
                               Instruction* to) {
  switch (form) {
    case Form::kNothing:
      return absl::StripAsciiWhitespace(rest).empty() ? absl::OkStatus()
                                                      : Bad("there is more");
    case Form::kSomeText:
      if (rest.empty()) return Bad("there is none");
      return Plain(rest, &to->text);
    case Form::kText:
      return Plain(rest, &to->text);
    case Form::kRaw: {
      ASSIGN_OR_RETURN(to->text, DecodeText(rest, TextForm::kJson, values_));
      return absl::OkStatus();
    }
    case Form::kNumber:
      return Numbers(rest, 1, to);
    case Form::kThreeNumbers:
      return Numbers(rest, 3, to);
    case Form::kReason:
      to->text = std::string(absl::StripAsciiWhitespace(rest));
      return to->text == "end_turn" || to->text == "max_tokens" ||
                     to->text == "refusal"
                 ? absl::OkStatus()
                 : Bad(absl::StrCat("`", rest, "` is none of them"));
    case Form::kFile:
      return File(absl::StripAsciiWhitespace(rest), to);
    case Form::kFileAndText:
      RETURN_IF_ERROR(File(TakeWord(&rest), to));
      return Plain(rest, &to->rest);
    case Form::kFileAndChange: {
      RETURN_IF_ERROR(File(TakeWord(&rest), to));
      const size_t at = rest.find(" => ");
      if (at == absl::string_view::npos) return Bad("there is no ` => `");
      RETURN_IF_ERROR(Plain(rest.substr(0, at), &to->rest));
      return Plain(rest.substr(at + 4), &to->third);
    }
    case Form::kPlan:
      return Plan(rest, to);
    case Form::kOptions:
      return Options(rest, to);
    case Form::kServerToolJson:
      to->text = std::string(TakeWord(&rest));
      to->rest = std::string(TakeWord(&rest));
      return Json(rest, &to->third);
    case Form::kNameAndJson:
      to->text = std::string(TakeWord(&rest));
      return Json(rest, &to->rest);
    case Form::kNumberAndText: {
      ASSIGN_OR_RETURN(const int64_t number, Number(TakeWord(&rest)));
      if (number < 300 || number > 599) return Bad("that is none");
      to->numbers = {number};
      ASSIGN_OR_RETURN(to->text, DecodeText(rest, TextForm::kJson, values_));
      return absl::OkStatus();
    }
    case Form::kHeader: {
      const size_t colon = rest.find(':');
      if (colon == absl::string_view::npos) return Bad("there is no colon");
      to->text = std::string(absl::StripAsciiWhitespace(rest.substr(0, colon)));
      return Plain(absl::StripAsciiWhitespace(rest.substr(colon + 1)),
                   &to->rest);
    }
    case Form::kNameAndText:
      to->text = std::string(TakeWord(&rest));
      if (to->text.empty()) return Bad("there is none");
      return Plain(rest, &to->rest);
  }
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
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripLeadingAsciiWhitespace(absl::StripSuffix(line, "\r"));
    if (line.empty() || line[0] == '#') continue;
    const absl::Status status = reader.Line(line, number);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(number, ": ", status.message()));
    }
  }
  Script script = reader.Take();
  if (script.answers.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(number, ": there is no answer; begin one with `answer`"));
  }
  return script;
}

}  // namespace troika::model
