#include "client/api.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "client/error_body.h"
#include "client/query.h"

namespace troika::client {
namespace {

constexpr absl::string_view kRoot = "/api/v1";
// Far over any answer: a whole event has at most some tens of megabytes.
constexpr size_t kMaxAnswer = size_t{256} << 20;

struct Answer {
  std::string body;
};

size_t OnBody(char* bytes, size_t size, size_t count, void* user) {
  auto& answer = *static_cast<Answer*>(user);
  const size_t n = size * count;
  if (answer.body.size() + n > kMaxAnswer) return 0;  // Ends the transfer.
  answer.body.append(bytes, n);
  return n;
}

}  // namespace

std::string TaskPath(absl::string_view task, absl::string_view rest) {
  return absl::StrCat(kRoot, "/tasks/", UrlEscaped(task), rest);
}

ApiClient::ApiClient(Place place, ApiOptions options)
    : place_(std::move(place)), options_(std::move(options)) {}

absl::StatusOr<std::string> ApiClient::SendOnce(const Call& call,
                                                CURLcode* code) {
  std::vector<std::string> headers = {absl::StrCat("Accept: ", call.accept)};
  if (call.method == Method::kPost) {
    headers.push_back("Content-Type: application/x-protobuf");
  }
  request_.Prepare(place_, call.path, headers);
  CURL* const handle = request_.handle();
  Answer answer;
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
  curl_easy_setopt(
      handle, CURLOPT_TIMEOUT_MS,
      static_cast<long>(absl::ToInt64Milliseconds(options_.timeout)));
  if (call.method == Method::kPost) {
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, call.body.data());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(call.body.size()));
  } else if (call.method == Method::kDelete) {
    curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "DELETE");
  }
  *code = curl_easy_perform(handle);
  if (*code != CURLE_OK) {
    const absl::Status error = request_.Error(place_, *code);
    request_.Forget();
    return error;
  }
  const int http = request_.http_status();
  if (http < 200 || http >= 300) return ErrorFromBody(http, answer.body);
  return std::move(answer.body);
}

absl::StatusOr<std::string> ApiClient::Send(const Call& call) {
  CURLcode code = CURLE_OK;
  absl::StatusOr<std::string> answer = SendOnce(call, &code);
  if (code == CURLE_OK || code == CURLE_OPERATION_TIMEDOUT) return answer;
  const bool again = NeverArrived(code) || call.twice == Twice::kHarmless;
  if (!again) return answer;
  if (NeverArrived(code)) {
    if (!options_.start) return answer;
    RETURN_IF_ERROR(options_.start());
  }
  answer = SendOnce(call, &code);
  // It died over the first, and nobody listens now.
  if (NeverArrived(code) && options_.start) {
    RETURN_IF_ERROR(options_.start());
    answer = SendOnce(call, &code);
  }
  return answer;
}

template <typename Reply>
absl::StatusOr<Reply> ApiClient::SendFor(const Call& call) {
  ASSIGN_OR_RETURN(const std::string body, Send(call));
  Reply reply;
  if (!reply.ParseFromString(body)) {
    return absl::InternalError(
        absl::StrCat("read the answer of ", place_.Name(), call.path,
                     ": it is no ", std::string(Reply::descriptor()->name()),
                     "; is it a troika-server of this version?"));
  }
  return reply;
}

template <typename Request>
absl::StatusOr<v1::Task> ApiClient::Command(absl::string_view task,
                                            absl::string_view name,
                                            const Request& request,
                                            Twice twice) {
  return SendFor<v1::Task>({.method = Method::kPost,
                            .path = TaskPath(task, absl::StrCat("/", name)),
                            .body = request.SerializeAsString(),
                            .twice = twice});
}

absl::StatusOr<v1::ListHarnessesResponse> ApiClient::ListHarnesses() {
  return SendFor<v1::ListHarnessesResponse>(
      {.path = absl::StrCat(kRoot, "/harnesses")});
}

absl::StatusOr<v1::ListHarnessesResponse> ApiClient::ProbeHarnesses(
    const v1::ProbeHarnessesRequest& request) {
  return SendFor<v1::ListHarnessesResponse>(
      {.method = Method::kPost,
       .path = absl::StrCat(kRoot, "/harnesses/probe"),
       .body = request.SerializeAsString()});
}

absl::StatusOr<v1::Task> ApiClient::CreateTask(
    const v1::CreateTaskRequest& request) {
  return SendFor<v1::Task>({.method = Method::kPost,
                            .path = absl::StrCat(kRoot, "/tasks"),
                            .body = request.SerializeAsString(),
                            .twice = request.idempotency_key().empty()
                                         ? Twice::kNever
                                         : Twice::kHarmless});
}

absl::StatusOr<v1::ListTasksResponse> ApiClient::ListTasks(
    const v1::ListTasksRequest& request) {
  return SendFor<v1::ListTasksResponse>(
      {.path = absl::StrCat(kRoot, "/tasks", QueryOf(request))});
}

absl::StatusOr<v1::Task> ApiClient::GetTask(absl::string_view task) {
  return SendFor<v1::Task>({.path = TaskPath(task)});
}

absl::Status ApiClient::DeleteTask(absl::string_view task) {
  return Send({.method = Method::kDelete,
               .path = TaskPath(task),
               .twice = Twice::kNever})
      .status();
}

absl::StatusOr<v1::Task> ApiClient::SendInput(absl::string_view task,
                                              const v1::InputRequest& request) {
  return Command(
      task, "input", request,
      request.idempotency_key().empty() ? Twice::kNever : Twice::kHarmless);
}

absl::StatusOr<v1::Task> ApiClient::Respond(absl::string_view task,
                                            const v1::RespondRequest& request) {
  return Command(task, "respond", request, Twice::kNever);
}

absl::StatusOr<v1::Task> ApiClient::Interrupt(
    absl::string_view task, const v1::InterruptRequest& request) {
  return Command(task, "interrupt", request, Twice::kNever);
}

absl::StatusOr<v1::Task> ApiClient::Stop(absl::string_view task,
                                         const v1::StopRequest& request) {
  return Command(task, "stop", request, Twice::kHarmless);
}

absl::StatusOr<v1::Task> ApiClient::Resume(absl::string_view task,
                                           const v1::ResumeRequest& request) {
  return Command(
      task, "resume", request,
      request.idempotency_key().empty() ? Twice::kNever : Twice::kHarmless);
}

absl::StatusOr<v1::ListEventsResponse> ApiClient::ListEvents(
    absl::string_view task, const EventPage& page) {
  Query query;
  query.Add("after", page.after);
  query.Add("page_size", page.page_size);
  return SendFor<v1::ListEventsResponse>(
      {.path = TaskPath(task, absl::StrCat("/events", query.text()))});
}

absl::StatusOr<v1::Event> ApiClient::GetEvent(absl::string_view task,
                                              absl::string_view event) {
  return SendFor<v1::Event>(
      {.path = TaskPath(task, absl::StrCat("/events/", UrlEscaped(event)))});
}

absl::StatusOr<std::string> ApiClient::GetEventJson(absl::string_view task,
                                                    absl::string_view event) {
  return Send(
      {.path = TaskPath(task, absl::StrCat("/events/", UrlEscaped(event))),
       .accept = "application/json"});
}

absl::StatusOr<v1::RawRecord> ApiClient::GetRaw(absl::string_view task,
                                                int64_t record) {
  return SendFor<v1::RawRecord>(
      {.path = TaskPath(task, absl::StrCat("/raw/", record))});
}

absl::StatusOr<std::string> ApiClient::GetRawBytes(absl::string_view task,
                                                   int64_t record) {
  return Send({.path = TaskPath(task, absl::StrCat("/raw/", record)),
               .accept = "application/octet-stream"});
}

absl::StatusOr<v1::UsageResponse> ApiClient::GetUsage(
    const v1::UsageRequest& request) {
  return SendFor<v1::UsageResponse>(
      {.path = absl::StrCat(kRoot, "/usage", QueryOf(request))});
}

absl::StatusOr<std::string> ApiClient::GetHealth() {
  return Send({.path = "/healthz", .accept = "*/*"});
}

}  // namespace troika::client
