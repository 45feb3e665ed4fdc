// From a tool's common name to a call of the tool that the CLI has for it.
#ifndef TROIKA_TESTING_MODEL_NATIVE_H_
#define TROIKA_TESTING_MODEL_NATIVE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/model/request.h"
#include "testing/model/script.h"

namespace troika::model {

struct NativeCall {
  enum class Type {
    kFunction,
    kCustom,      // Takes a text, no JSON.
    kLocalShell,  // `input` is a shell's line.
    kWebSearch,   // Done by the server: `input` is the query.
  };
  Type type = Type::kFunction;
  std::string space;
  std::string name;
  std::string input;
};

bool IsTool(Op op);

// The calls of one instruction, chosen by what the request offers; where it
// offers none of the tools that are known, the newest. `folder` is the one that
// the agent works in. InvalidArgument where the wire has no such tool.
absl::StatusOr<std::vector<NativeCall>> NativeCalls(
    const Instruction& instruction, const Request& request,
    absl::string_view folder);

// What is offered for `mcp SERVER TOOL`; null: nothing.
const Tool* /*nullable*/ FindMcpTool(const Request& request,
                                     absl::string_view server,
                                     absl::string_view tool);

// The names that a common name such as "run" stands for; itself where it is
// none.
std::vector<absl::string_view> NativeNames(absl::string_view name);

std::string JsonQuoted(absl::string_view text);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_NATIVE_H_
