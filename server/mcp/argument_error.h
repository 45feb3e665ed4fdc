// Errors of the API in the words of a tool's arguments.
#ifndef TROIKA_SERVER_MCP_ARGUMENT_ERROR_H_
#define TROIKA_SERVER_MCP_ARGUMENT_ERROR_H_

#include <string>

#include "absl/strings/string_view.h"
#include "mcp/schema.h"

namespace troika {

// Returns the message of an error with the name of the argument that it is
// about before it, if that is known: the API has other names for some of them,
// and leaves the name out where a sentence is clear to people.
std::string NameArgument(absl::string_view message, const mcp::Arguments& args);

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_ARGUMENT_ERROR_H_
