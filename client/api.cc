#include "client/api.h"

#include <sys/random.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "dto/json.h"

namespace troika::client {
namespace {

constexpr absl::string_view kRoot = "/api/v1";
// Far more than any reply has: a whole event has some tens of megabytes.
constexpr size_t kMaxReply = size_t{256} << 20;
// A server may stop before it replies, and so may those that are started after
// it.
constexpr int kMaxTries = 5;

size_t OnBody(char* bytes, size_t size, size_t count, void* user) {
  auto& body = *static_cast<std::string*>(user);
  const size_t n = size * count;
  if (body.size() + n > kMaxReply) return 0;  // Ends the transfer.
  body.append(bytes, n);
  return n;
}

int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  // Anything but 0 ends the transfer.
  return static_cast<const std::atomic<bool>*>(user)->load() ? 1 : 0;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime(
      "%Y-%m-%dT%H:%M:%E*SZ",
      absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos()),
      absl::UTCTimeZone());
}

// Empty values and zeros are left out, because they filter nothing.
class Query {
 public:
  void Add(absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    absl::StrAppend(&text_, text_.empty() ? "?" : "&", name, "=",
                    UrlEscaped(value));
  }
  void Add(absl::string_view name, int value) {
    if (value != 0) Add(name, absl::StrCat(value));
  }
  void Add(absl::string_view name,
           const google::protobuf::Map<std::string, std::string>& pairs) {
    // Sorted, so that equal requests have equal queries.
    const std::map<std::string, std::string> sorted(pairs.begin(), pairs.end());
    for (const auto& [key, value] : sorted) {
      Add(name, absl::StrCat(key, "=", value));
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::string NewIdempotencyKey() {
  uint64_t random[2] = {};
  (void)!getrandom(random, sizeof(random), 0);
  return absl::StrFormat("cli-%016x%016x", random[0], random[1]);
}

std::string TaskPath(absl::string_view task, absl::string_view rest) {
  return absl::StrCat(kRoot, "/tasks/", UrlEscaped(task), rest);
}

std::string EventPath(absl::string_view task, absl::string_view event) {
  return TaskPath(task, absl::StrCat("/events/", UrlEscaped(event)));
}

ApiClient::ApiClient(ServerAddress address, ApiOptions options)
    : address_(std::move(address)), options_(std::move(options)) {}

absl::StatusOr<std::string> ApiClient::SendOnce(const Call& call,
                                                CURLcode* code) {
  std::vector<std::string> headers = {absl::StrCat("Accept: ", call.accept)};
  if (call.method == Method::kPost) {
    headers.push_back("Content-Type: application/x-protobuf");
  }
  request_.Prepare(address_, call.path, headers);
  CURL* const handle = request_.handle();
  std::string body;
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(
      handle, CURLOPT_TIMEOUT_MS,
      static_cast<long>(absl::ToInt64Milliseconds(options_.timeout)));
  if (options_.cancelled != nullptr) {
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &OnProgress);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, options_.cancelled);
  }
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
    const absl::Status error = request_.Error(address_, *code);
    request_.Reset();
    return error;
  }
  const int http = request_.http_status();
  if (http < 200 || http >= 300) return ErrorFromBody(http, body);
  return body;
}

absl::StatusOr<std::string> ApiClient::Send(const Call& call) {
  CURLcode code = CURLE_OK;
  absl::StatusOr<std::string> reply = SendOnce(call, &code);
  for (int tries = 1; tries < kMaxTries; ++tries) {
    if (code == CURLE_OK || code == CURLE_OPERATION_TIMEDOUT ||
        code == CURLE_ABORTED_BY_CALLBACK) {
      break;
    }
    if (NeverArrived(code)) {
      if (!options_.start) break;
      RETURN_IF_ERROR(options_.start());
    } else if (call.retry == Retry::kNever) {
      break;
    }
    reply = SendOnce(call, &code);
  }
  return reply;
}

template <typename Reply>
absl::StatusOr<Reply> ApiClient::SendFor(const Call& call) {
  ASSIGN_OR_RETURN(const std::string body, Send(call));
  Reply reply;
  if (!reply.ParseFromString(body)) {
    return absl::InternalError(
        absl::StrCat("read the reply of ", address_.Name(), call.path,
                     ": it is not a ", std::string(Reply::descriptor()->name()),
                     "; is a troika-server of this version there?"));
  }
  return reply;
}

// A request with a key counts once, however often it arrives.
template <typename Request>
ApiClient::Retry ApiClient::RetryOf(const Request& request) {
  return request.idempotency_key().empty() ? Retry::kNever : Retry::kSafe;
}

template <typename Request>
absl::StatusOr<v1::Task> ApiClient::Command(absl::string_view task,
                                            absl::string_view name,
                                            const Request& request,
                                            Retry retry) {
  return SendFor<v1::Task>({.method = Method::kPost,
                            .path = TaskPath(task, absl::StrCat("/", name)),
                            .body = request.SerializeAsString(),
                            .retry = retry});
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
                            .retry = RetryOf(request)});
}

absl::StatusOr<v1::ListTasksResponse> ApiClient::ListTasks(
    const v1::ListTasksRequest& request) {
  return SendFor<v1::ListTasksResponse>(
      {.path = absl::StrCat(kRoot, "/tasks", QueryOf(request))});
}

absl::StatusOr<v1::ListSessionsResponse> ApiClient::ListSessions(
    const v1::ListSessionsRequest& request) {
  return SendFor<v1::ListSessionsResponse>(
      {.path = absl::StrCat(kRoot, "/sessions", QueryOf(request))});
}

absl::StatusOr<v1::Task> ApiClient::ImportSession(
    absl::string_view session, const v1::ImportSessionRequest& request) {
  return SendFor<v1::Task>(
      {.method = Method::kPost,
       .path =
           absl::StrCat(kRoot, "/sessions/", UrlEscaped(session), "/import"),
       .body = request.SerializeAsString(),
       .retry = Retry::kNever});
}

absl::StatusOr<v1::Task> ApiClient::GetTask(absl::string_view task) {
  return SendFor<v1::Task>({.path = TaskPath(task)});
}

absl::StatusOr<v1::ListDecisionsResponse> ApiClient::ListDecisions(
    absl::string_view task) {
  return SendFor<v1::ListDecisionsResponse>(
      {.path = TaskPath(task, "/decisions")});
}

absl::StatusOr<v1::ListPolicyResponse> ApiClient::ListPolicy(
    const v1::ListPolicyRequest& request) {
  return SendFor<v1::ListPolicyResponse>(
      {.path = absl::StrCat("/api/v1/policy", QueryOf(request))});
}

absl::StatusOr<v1::ListPolicyResponse> ApiClient::TrustPolicy(
    const v1::TrustPolicyRequest& request) {
  return SendFor<v1::ListPolicyResponse>({.method = Method::kPost,
                                          .path = "/api/v1/policy/trust",
                                          .body = request.SerializeAsString()});
}

absl::StatusOr<v1::ListPolicyResponse> ApiClient::UntrustPolicy(
    const v1::UntrustPolicyRequest& request) {
  return SendFor<v1::ListPolicyResponse>({.method = Method::kPost,
                                          .path = "/api/v1/policy/untrust",
                                          .body = request.SerializeAsString(),
                                          .retry = Retry::kNever});
}

absl::StatusOr<v1::ListHooksResponse> ApiClient::ListHooks() {
  return SendFor<v1::ListHooksResponse>({.path = "/api/v1/hooks"});
}

absl::StatusOr<v1::TestHookResponse> ApiClient::TestHook(
    absl::string_view hook) {
  return SendFor<v1::TestHookResponse>(
      {.method = Method::kPost,
       .path = absl::StrCat("/api/v1/hooks/", UrlEscaped(hook), "/test"),
       .retry = Retry::kNever});
}

absl::Status ApiClient::DeleteTask(absl::string_view task) {
  return Send({.method = Method::kDelete,
               .path = TaskPath(task),
               .retry = Retry::kNever})
      .status();
}

absl::StatusOr<v1::Task> ApiClient::SendInput(absl::string_view task,
                                              const v1::InputRequest& request) {
  return Command(task, "input", request, RetryOf(request));
}

absl::StatusOr<v1::Task> ApiClient::EditInput(
    absl::string_view task, absl::string_view input,
    const v1::EditInputRequest& request) {
  return Command(task, absl::StrCat("inputs/", UrlEscaped(input), "/edit"),
                 request, Retry::kSafe);
}

absl::StatusOr<v1::Task> ApiClient::WithdrawInput(
    absl::string_view task, absl::string_view input,
    const v1::WithdrawInputRequest& request) {
  return Command(task, absl::StrCat("inputs/", UrlEscaped(input), "/withdraw"),
                 request, Retry::kNever);
}

absl::StatusOr<v1::Task> ApiClient::ResumeQueue(absl::string_view task) {
  return Command(task, "inputs/resume", v1::ResumeQueueRequest(),
                 Retry::kNever);
}

absl::StatusOr<v1::Task> ApiClient::Respond(absl::string_view task,
                                            const v1::RespondRequest& request) {
  return Command(task, "respond", request, Retry::kNever);
}

absl::StatusOr<v1::Task> ApiClient::Interrupt(
    absl::string_view task, const v1::InterruptRequest& request) {
  return Command(task, "interrupt", request, Retry::kNever);
}

absl::StatusOr<v1::Task> ApiClient::Stop(absl::string_view task,
                                         const v1::StopRequest& request) {
  return Command(task, "stop", request, Retry::kSafe);
}

absl::StatusOr<v1::Task> ApiClient::Resume(absl::string_view task,
                                           const v1::ResumeRequest& request) {
  return Command(task, "resume", request, RetryOf(request));
}

absl::StatusOr<v1::Task> ApiClient::Fork(absl::string_view task,
                                         const v1::ForkRequest& request) {
  return Command(task, "fork", request, RetryOf(request));
}

absl::StatusOr<Message> ApiClient::GetEvent(absl::string_view task,
                                            absl::string_view event) {
  // JSON keeps numbers as they were written; protobuf has them as doubles.
  ASSIGN_OR_RETURN(const std::string text,
                   Get(EventPath(task, event), "application/json"));
  json::Parser parser;
  ASSIGN_OR_RETURN(const json::Value value, parser.Parse(text));
  return ReadEvent(value);
}

absl::StatusOr<std::vector<Message>> ApiClient::GetLastEvents(
    absl::string_view task, int count) {
  ASSIGN_OR_RETURN(
      const std::string text,
      Get(TaskPath(task, absl::StrCat("/events?before=end&page_size=", count)),
          "application/json"));
  json::Parser parser;
  ASSIGN_OR_RETURN(const json::Value page, parser.Parse(text));
  std::vector<Message> events;
  for (const json::Value event : page.Get("events").items()) {
    ASSIGN_OR_RETURN(Message message, ReadEvent(event));
    events.push_back(std::move(message));
  }
  return events;
}

absl::StatusOr<v1::PageCode> ApiClient::CreatePageCode() {
  return SendFor<v1::PageCode>(
      {.method = Method::kPost, .path = absl::StrCat(kRoot, "/page/codes")});
}

absl::StatusOr<v1::ListPageSessionsResponse> ApiClient::ListPageSessions() {
  return SendFor<v1::ListPageSessionsResponse>(
      {.path = absl::StrCat(kRoot, "/page/sessions")});
}

absl::Status ApiClient::RevokePageSession(absl::string_view session) {
  return Send({.method = Method::kDelete,
               .path =
                   absl::StrCat(kRoot, "/page/sessions/", UrlEscaped(session)),
               .retry = Retry::kNever})
      .status();
}

absl::StatusOr<v1::UsageResponse> ApiClient::GetUsage(
    const v1::UsageRequest& request) {
  return SendFor<v1::UsageResponse>(
      {.path = absl::StrCat(kRoot, "/usage", QueryOf(request))});
}

absl::StatusOr<std::string> ApiClient::Get(std::string path,
                                           absl::string_view accept) {
  return Send({.path = std::move(path), .accept = accept});
}

std::string QueryOf(const v1::ListTasksRequest& request) {
  Query query;
  for (const int state : request.states()) {
    query.Add("states",
              v1::Task::State_Name(static_cast<v1::Task::State>(state)));
  }
  for (const std::string& harness : request.harnesses()) {
    query.Add("harnesses", harness);
  }
  query.Add("cwd", request.cwd());
  query.Add("labels", request.labels());
  query.Add("text", request.text());
  query.Add("page_size", request.page_size());
  query.Add("page_token", request.page_token());
  return query.text();
}

std::string QueryOf(const v1::ListSessionsRequest& request) {
  Query query;
  for (const std::string& harness : request.harnesses()) {
    query.Add("harnesses", harness);
  }
  query.Add("cwd", request.cwd());
  query.Add("text", request.text());
  query.Add("id", request.id());
  query.Add("page_size", request.page_size());
  query.Add("page_token", request.page_token());
  query.Add("env", request.env());
  return query.text();
}

std::string QueryOf(const v1::UsageRequest& request) {
  Query query;
  if (request.has_since()) query.Add("since", TimeText(request.since()));
  if (request.has_until()) query.Add("until", TimeText(request.until()));
  if (request.by_day()) query.Add("by_day", "true");
  if (request.utc_offset_minutes() != 0) {
    query.Add("utc_offset_minutes", absl::StrCat(request.utc_offset_minutes()));
  }
  return query.text();
}

std::string QueryOf(const v1::ListPolicyRequest& request) {
  Query query;
  if (!request.cwd().empty()) query.Add("cwd", request.cwd());
  return query.text();
}

}  // namespace troika::client
