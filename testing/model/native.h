// Maps a tool's common name to a call of the CLI's own tool.
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
    kCustom,      // `input` is a text instead of JSON.
    kLocalShell,  // `input` is a shell command.
    kWebSearch,   // Run by the server; `input` is the query.
  };
  Type type = Type::kFunction;
  std::string space;
  std::string name;
  std::string input;
};

bool IsTool(Op op);

// Returns the calls for one instruction, depending on the tools that the
// request offers; if it offers no known tool, the newest is used. `folder` is
// the agent's working folder. InvalidArgument if the wire has no such tool.
absl::StatusOr<std::vector<NativeCall>> NativeCalls(
    const Instruction& instruction, const Request& request,
    absl::string_view folder);

// Returns the offered tool for `mcp SERVER TOOL`, or null.
const Tool* /*nullable*/ FindMcpTool(const Request& request,
                                     absl::string_view server,
                                     absl::string_view tool);

// Returns the native names for a common name such as "run"; else the name.
std::vector<absl::string_view> NativeNames(absl::string_view name);

std::string JsonQuoted(absl::string_view text);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_NATIVE_H_
