// Requests as strangers send them: the first byte says what kind, the rest is a
// body, a query or a path.
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "dto/proto_json.h"
#include "dto/request.h"
#include "dto/troika.pb.h"
#include "http/uri.h"
#include "server/event_file.h"
#include "server/routes.h"

namespace troika {
namespace {

template <typename M>
void ReadBody(absl::string_view text) {
  M message;
  if (FromJson(text, &message).ok()) ToJson(message);
  FromBinary(text, &message).IgnoreError();
}

void ReadAll(absl::string_view text) {
  v1::CreateTaskRequest create;
  if (FromJson(text, &create).ok()) ToTaskRequest(create).IgnoreError();
  v1::RespondRequest respond;
  if (FromJson(text, &respond).ok()) ToAnswer(respond).IgnoreError();
  v1::StopRequest stop;
  if (FromJson(text, &stop).ok()) GraceOf(stop).IgnoreError();
  ReadBody<v1::InputRequest>(text);
  ReadBody<v1::ResumeRequest>(text);
  ReadBody<v1::ForkRequest>(text);
  ReadBody<v1::ImportSessionRequest>(text);
  ReadBody<v1::Task>(text);
}

void ReadQueries(absl::string_view text) {
  const auto parameters = http::ParseQuery(text);
  if (!parameters) return;
  v1::ListTasksRequest list;
  FromQuery(*parameters, &list).IgnoreError();
  v1::ListSessionsRequest sessions;
  FromQuery(*parameters, &sessions).IgnoreError();
  v1::UsageRequest usage;
  FromQuery(*parameters, &usage).IgnoreError();
}

}  // namespace
}  // namespace troika

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  switch (data[0] % 3) {
    case 0:
      troika::ReadAll(text);
      break;
    case 1:
      troika::ReadQueries(text);
      break;
    default:
      troika::MatchRoute("GET", text);
      troika::ParseEventId(text);
  }
  return 0;
}
