#include "agent/acp/errors.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace troika::acp {
namespace {

std::string DetailsOf(const rpc::Error& error) {
  json::Parser parser;
  const auto data = parser.Parse(error.data_json);
  if (!data.ok()) return "";
  if (data->IsString()) return std::string(data->StringOr(""));
  for (const absl::string_view name : {"details", "message"}) {
    const absl::string_view text = data->Get(name).StringOr("");
    if (!text.empty()) return std::string(text);
  }
  return "";
}

}  // namespace

std::string ErrorText(const rpc::Error& error) {
  const std::string details = DetailsOf(error);
  std::string text = error.message;
  // JSON-RPC's own text for -32603 says nothing.
  if (!details.empty() && (text.empty() || text == "Internal error")) {
    text = details;
  } else if (!details.empty() && details != text) {
    absl::StrAppend(&text, ": ", details);
  }
  if (text.empty()) text = absl::StrCat("error ", error.code);
  if (error.code >= 400 && error.code < 600) {
    absl::StrAppend(&text, " (HTTP ", error.code, ")");
  }
  return text;
}

}  // namespace troika::acp
