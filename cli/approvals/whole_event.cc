#include "cli/approvals/whole_event.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/read_event.h"

namespace troika::cli {

std::string EventIdText(const EventId& id) {
  return absl::StrCat(id.record, ".", id.index);
}

absl::StatusOr<Message> GetWholeEvent(client::ApiClient& api,
                                      absl::string_view task,
                                      absl::string_view event) {
  // As JSON: in protobuf an input's numbers are doubles.
  ASSIGN_OR_RETURN(const std::string text, api.GetEventJson(task, event));
  json::Parser parser;
  ASSIGN_OR_RETURN(const json::Value value, parser.Parse(text));
  return ReadEvent(value);
}

}  // namespace troika::cli
