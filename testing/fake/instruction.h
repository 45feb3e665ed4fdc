// Parses one line of a script.
#ifndef TROIKA_TESTING_FAKE_INSTRUCTION_H_
#define TROIKA_TESTING_FAKE_INSTRUCTION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/fake/script.h"

namespace troika::fake {

// `word` names the instruction, and `rest` is the rest of its line.
// InvalidArgument describes the error and the instruction's syntax.
absl::StatusOr<Instruction> ParseInstruction(absl::string_view word,
                                             absl::string_view rest);

}  // namespace troika::fake

#endif  // TROIKA_TESTING_FAKE_INSTRUCTION_H_
