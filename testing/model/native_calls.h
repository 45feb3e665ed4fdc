// Shares code between the tool tables of the CLIs.
#ifndef TROIKA_TESTING_MODEL_NATIVE_CALLS_H_
#define TROIKA_TESTING_MODEL_NATIVE_CALLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/model/native.h"
#include "testing/model/request.h"
#include "testing/model/script.h"

namespace troika::model {

using NativeCallList = std::vector<NativeCall>;

// Implement NativeCalls() for each CLI. Codex's paths are relative.
absl::StatusOr<NativeCallList> CodexCalls(const Instruction& instruction,
                                          const Request& request);
absl::StatusOr<NativeCallList> ClaudeCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder);
absl::StatusOr<NativeCallList> GeminiCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder);

NativeCall FunctionCall(absl::string_view name, std::string input);
std::string JsonArray(const std::vector<std::string>& items);
// InvalidArgument if the path is relative and the folder unknown.
absl::StatusOr<std::string> AbsoluteFile(absl::string_view file,
                                         absl::string_view folder);
// The names of a CLI's tools for files, and what its edits need besides.
struct FileTools {
  absl::string_view read;
  absl::string_view write;
  absl::string_view edit;
  absl::string_view edit_instruction = "";
};
// Returns the call of an instruction to read, write or edit a file.
absl::StatusOr<NativeCallList> FileCall(const Instruction& instruction,
                                        absl::string_view folder,
                                        const FileTools& tools);
// Returns the input of a tool that asks the user, with an additional member.
std::string QuestionInput(const Instruction& instruction,
                          absl::string_view extra_name,
                          absl::string_view extra);
// Returns a shell command that runs `command` in the background.
std::string InBackground(absl::string_view command);

// Replaces characters that tool names must not contain by underscores.
std::string PlainName(absl::string_view name);
// Quotes the text as one word for a shell.
std::string ShellQuoted(absl::string_view text);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_NATIVE_CALLS_H_
