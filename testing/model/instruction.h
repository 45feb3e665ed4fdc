// Parses one line of a script.
#ifndef TROIKA_TESTING_MODEL_INSTRUCTION_H_
#define TROIKA_TESTING_MODEL_INSTRUCTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/model/script.h"
#include "testing/model/script_text.h"

namespace troika::model {

// Makes an instruction of its word and argument, without its line number.
// InvalidArgument describes the word's argument.
absl::StatusOr<Instruction> ParseInstruction(absl::string_view word,
                                             absl::string_view rest,
                                             const Values& values);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_INSTRUCTION_H_
