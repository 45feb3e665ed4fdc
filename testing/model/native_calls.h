// What the tables of tools of the CLIs share.
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

// NativeCalls() of each CLI. Codex takes files relative to its folder.
absl::StatusOr<NativeCallList> CodexCalls(const Instruction& instruction,
                                          const Request& request);
absl::StatusOr<NativeCallList> ClaudeCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder);
absl::StatusOr<NativeCallList> GeminiCalls(const Instruction& instruction,
                                           const Request& request,
                                           absl::string_view folder);

NativeCall FunctionCall(absl::string_view name, std::string input);
// "pending", "in_progress" or "completed", as all CLIs say it.
absl::string_view StatusWord(PlanEntry::Status status);
std::string JsonArray(const std::vector<std::string>& items);
// InvalidArgument where the folder has to be known and is not.
absl::StatusOr<std::string> AbsoluteFile(absl::string_view file,
                                         absl::string_view folder);
// The input of a tool that asks the user, with one more member.
std::string QuestionInput(const Instruction& instruction,
                          absl::string_view extra_name,
                          absl::string_view extra);
// The command as one that a shell leaves running.
std::string InBackground(absl::string_view command);

// With an underscore in place of what names of tools may not have.
std::string PlainName(absl::string_view name);
// As one word of a shell's line.
std::string ShellQuoted(absl::string_view text);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_NATIVE_CALLS_H_
