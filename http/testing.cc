#include "http/testing.h"

#include "absl/strings/str_cat.h"

namespace troika::http {
namespace {

using State = RequestParser::State;

void AppendRequest(const Request& request, std::string* out) {
  absl::StrAppend(out, request.method, " ", request.path);
  if (!request.query.empty()) absl::StrAppend(out, " ?", request.query);
  out->push_back('\n');
  for (const auto& [name, value] : request.headers) {
    absl::StrAppend(out, name, ": ", value, "\n");
  }
  if (!request.body.empty()) absl::StrAppend(out, "[", request.body, "]\n");
}

}  // namespace

std::string Transcript(const RequestParser::Limits& limits,
                       const std::vector<absl::string_view>& pieces) {
  std::string out;
  RequestParser parser(limits);
  for (absl::string_view piece : pieces) {
    while (!piece.empty() && parser.state() != State::kError) {
      piece.remove_prefix(parser.Feed(piece));
      if (parser.state() != State::kDone) continue;
      if (parser.after_reply() == RequestParser::AfterReply::kClose) {
        absl::StrAppend(&out, "last: ");
      }
      AppendRequest(parser.Take(), &out);
    }
  }
  switch (parser.state()) {
    case State::kHead:
      return absl::StrCat(out, "head");
    case State::kBody:
      return absl::StrCat(out, parser.wants_continue() ? "continue?" : "body");
    case State::kError:
      return absl::StrCat(out, parser.error().status, " ",
                          parser.error().message);
    case State::kIdle:
    case State::kDone:
      return absl::StrCat(out, "idle");
  }
  return out;
}

}  // namespace troika::http
