#include "testing/model/instruction.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"

namespace troika::model {
namespace {

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(why);
}

// The kind of argument that follows an instruction's word.
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
  absl::string_view takes;  // Description for errors.
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

bool IsJsonObject(absl::string_view text) {
  json::Parser parser;
  const auto value = parser.Parse(text);
  return value.ok() && value->IsObject();
}

// Parses the argument after the word.
class ArgumentReader {
 public:
  explicit ArgumentReader(const Values& values) : values_(values) {}

  absl::Status Read(Form form, absl::string_view rest, Instruction* to);

 private:
  absl::Status Numbers(absl::string_view rest, size_t count, Instruction* to);
  absl::Status Plan(absl::string_view rest, Instruction* to);
  absl::Status Options(absl::string_view rest, Instruction* to);
  absl::Status File(absl::string_view word, Instruction* to);
  absl::Status Json(absl::string_view raw, std::string* to);
  absl::Status Plain(absl::string_view raw, std::string* to);

  const Values& values_;
};

absl::Status ArgumentReader::Plain(absl::string_view raw, std::string* to) {
  ASSIGN_OR_RETURN(*to, DecodeText(raw, TextForm::kPlain, values_));
  return absl::OkStatus();
}

absl::Status ArgumentReader::Json(absl::string_view raw, std::string* to) {
  ASSIGN_OR_RETURN(*to, DecodeText(raw, TextForm::kJson, values_));
  return IsJsonObject(*to) ? absl::OkStatus()
                           : Bad(absl::StrCat(*to, " is no JSON object"));
}

absl::Status ArgumentReader::File(absl::string_view word, Instruction* to) {
  if (word.empty()) return Bad("the file's name is missing");
  return Plain(word, &to->text);
}

absl::Status ArgumentReader::Numbers(absl::string_view rest, size_t count,
                                     Instruction* to) {
  RETURN_IF_ERROR(script::ParseCounts(rest, count, &to->numbers));
  if (to->op == Op::kChunks && to->numbers[0] == 0) return Bad("not 0");
  return absl::OkStatus();
}

absl::Status ArgumentReader::Plan(absl::string_view rest, Instruction* to) {
  ASSIGN_OR_RETURN(to->plan, script::ParseTodos(rest));
  for (script::TodoEntry& entry : to->plan) {
    RETURN_IF_ERROR(Plain(std::string(entry.text), &entry.text));
  }
  return absl::OkStatus();
}

absl::Status ArgumentReader::Options(absl::string_view rest, Instruction* to) {
  ASSIGN_OR_RETURN(const std::vector<std::string> parts,
                   script::ParseOptions(rest));
  RETURN_IF_ERROR(Plain(parts[0], &to->text));
  for (size_t i = 1; i < parts.size(); ++i) {
    RETURN_IF_ERROR(Plain(parts[i], &to->options.emplace_back()));
  }
  return absl::OkStatus();
}

absl::Status ArgumentReader::Read(Form form, absl::string_view rest,
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
      RETURN_IF_ERROR(File(script::TakeWord(&rest), to));
      return Plain(rest, &to->rest);
    case Form::kFileAndChange: {
      RETURN_IF_ERROR(File(script::TakeWord(&rest), to));
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
      to->text = std::string(script::TakeWord(&rest));
      to->rest = std::string(script::TakeWord(&rest));
      return Json(rest, &to->third);
    case Form::kNameAndJson:
      to->text = std::string(script::TakeWord(&rest));
      return Json(rest, &to->rest);
    case Form::kNumberAndText: {
      ASSIGN_OR_RETURN(const int64_t number,
                       script::ParseCount(script::TakeWord(&rest)));
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
      to->text = std::string(script::TakeWord(&rest));
      if (to->text.empty()) return Bad("there is none");
      return Plain(rest, &to->rest);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Instruction> ParseInstruction(absl::string_view word,
                                             absl::string_view rest,
                                             const Values& values) {
  for (const Word& known : kWords) {
    if (known.word != word) continue;
    Instruction instruction;
    instruction.op = known.op;
    const absl::Status status =
        ArgumentReader(values).Read(known.form, rest, &instruction);
    if (status.ok()) return instruction;
    return Bad(absl::StrCat("`", word, "` takes ", known.takes, ": ",
                            status.message()));
  }
  return Bad(absl::StrCat("`", word,
                          "` is no instruction; docs/model.md has them all"));
}

}  // namespace troika::model
