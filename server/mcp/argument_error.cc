#include "server/mcp/argument_error.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace troika {
namespace {

struct Row {
  absl::string_view begins;    // Beginning of the API's message.
  absl::string_view dropped;   // What of it the argument's name replaces.
  absl::string_view argument;  // Counts if the call has it.
};

constexpr Row kRows[] = {
    {"the folder ", "", "workingDirectory"},
    {"the folder ", "", "cwd"},
    {"can't use the image", "", "images"},
    {"the image ", "", "images"},
    {"the prompt is empty", "", "prompt"},
    {"the prompt is empty", "", "message"},
    {"the prompt is empty", "", "task"},
    {"page_token: ", "page_token: ", "cursor"},
    {"resume_session: ", "resume_session: ", "resume_session_id"},
    {"find the latest session", "", "continue_latest"},
};

}  // namespace

std::string NameArgument(absl::string_view message,
                         const mcp::Arguments& args) {
  for (const Row& row : kRows) {
    if (!absl::StartsWith(message, row.begins) || !args.Has(row.argument)) {
      continue;
    }
    return absl::StrCat(row.argument, ": ",
                        absl::StripPrefix(message, row.dropped));
  }
  return std::string(message);
}

}  // namespace troika
