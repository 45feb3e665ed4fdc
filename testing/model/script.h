// Defines a model's script, whose syntax docs/model.md describes.
//
//   answer
//     expect prompt run the tests
//     say I'll run them.
//     run pytest -q
//   answer
//     expect result exit code 1
//     say Two tests fail.
#ifndef TROIKA_TESTING_MODEL_SCRIPT_H_
#define TROIKA_TESTING_MODEL_SCRIPT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/script_text.h"

namespace troika::model {

enum class Op {
  kSay,
  kThink,
  kChunks,
  kPace,
  kDelay,
  kUsage,
  kStop,
  kRun,
  kRunBackground,
  kWrite,
  kEdit,
  kDelete,
  kPatch,
  kRead,
  kPlan,
  kAsk,
  kMcp,
  kSearch,
  kCall,
  kStatus,
  kHeader,
  kLimit,
  kFail,
  kDrop,
  kStall,
  kGarbage,
  kPrint,
};

// One line of an answer. `op` decides which fields are used. Texts may still
// contain "${cwd}".
struct Instruction {
  Op op = Op::kSay;
  int line = 0;
  std::string text;   // The argument, or its first part.
  std::string rest;   // The second part.
  std::string third;  // The third part.
  std::vector<int64_t> numbers;
  std::vector<script::TodoEntry> plan;
  std::vector<std::string> options;
};

// The part of a request that an expectation is about.
enum class Subject {
  kPrompt,
  kPromptBytes,
  kHistory,
  kResult,
  kResults,
  kSystem,
  kNoSystem,
  kTool,
  kNoTool,
  kModel,
  kEffort,
  kVerbosity,
  kImage,
  kBody,
  kNoBody,
  kHeader,
};

struct Expectation {
  Subject subject = Subject::kPrompt;
  int line = 0;
  std::string text;  // Text to find, or a regular expression as /RE/.
  std::string name;  // Name of a header, in lower case.
  int64_t number = 0;
};

struct Answer {
  int line = 0;
  int least = 1;
  std::optional<int> most = 1;  // Maximum number of uses; unset: unlimited.
  std::string when;             // Text that the body must contain; empty: any.
  std::vector<Expectation> expectations;
  std::vector<Instruction> instructions;
};

struct Script {
  std::vector<Answer> answers;
};

// `values` replace ${NAME}. InvalidArgument begins with the line number, as "3:
// ", and describes the error.
absl::StatusOr<Script> ParseScript(
    absl::string_view text, const std::map<std::string, std::string>& values);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SCRIPT_H_
