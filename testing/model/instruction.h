// One line of a script.
#ifndef TROIKA_TESTING_MODEL_INSTRUCTION_H_
#define TROIKA_TESTING_MODEL_INSTRUCTION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/model/script.h"
#include "testing/model/script_text.h"

namespace troika::model {

// An instruction of its word and what follows it; its line is not set.
// InvalidArgument says what the word takes.
absl::StatusOr<Instruction> ParseInstruction(absl::string_view word,
                                             absl::string_view rest,
                                             const Values& values);

// Takes the first word, and the space after it.
absl::string_view TakeWord(absl::string_view* rest);
// 0 or more.
absl::StatusOr<int64_t> ParseCount(absl::string_view word);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_INSTRUCTION_H_
