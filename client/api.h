// The API from C++: a method for each route of docs/api.md.
//
//   ASSIGN_OR_RETURN(ServerAddress address, FindServerAddress(environment));
//   ApiClient api(address, {.start = [&] { return StartServer(…); }});
//   ASSIGN_OR_RETURN(const v1::Task task, api.GetTask("latest"));
#ifndef TROIKA_CLIENT_API_H_
#define TROIKA_CLIENT_API_H_

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/message.h"
#include "client/address.h"
#include "client/curl.h"
#include "dto/troika.pb.h"

namespace troika::client {

struct ApiOptions {
  // Starts a server if none listens; the request is sent again if it returns
  // OK. Without it such a request is Unavailable.
  std::function<absl::Status()> start;
  absl::Duration timeout = absl::Minutes(2);  // For one request.
  // Borrowed. Once it is true, the request that is sent ends within about a
  // second, and all later ones at once: Unavailable.
  const std::atomic<bool>* /*nullable*/ cancelled = nullptr;
};

// Blocks for as long as a request takes. Errors have the code and message of
// the server's Error, or are Unavailable if it can't be reached. `task` is an
// id, the beginning of one, or "latest". A request that the server did not
// survive is sent again if that is safe. Not thread-safe.
class ApiClient {
 public:
  explicit ApiClient(ServerAddress address, ApiOptions options = {});

  // Lists the harnesses as a task with the request's environment finds them.
  absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(
      const v1::ProbeHarnessesRequest& request);
  absl::StatusOr<v1::Task> CreateTask(const v1::CreateTaskRequest& request);
  absl::StatusOr<v1::ListTasksResponse> ListTasks(
      const v1::ListTasksRequest& request);
  absl::StatusOr<v1::ListSessionsResponse> ListSessions(
      const v1::ListSessionsRequest& request);
  absl::StatusOr<v1::Task> ImportSession(
      absl::string_view session, const v1::ImportSessionRequest& request);
  absl::StatusOr<v1::Task> GetTask(absl::string_view task);
  absl::Status DeleteTask(absl::string_view task);
  absl::StatusOr<v1::Task> SendInput(absl::string_view task,
                                     const v1::InputRequest& request);
  absl::StatusOr<v1::Task> EditInput(absl::string_view task,
                                     absl::string_view input,
                                     const v1::EditInputRequest& request);
  absl::StatusOr<v1::Task> WithdrawInput(
      absl::string_view task, absl::string_view input,
      const v1::WithdrawInputRequest& request);
  absl::StatusOr<v1::Task> ResumeQueue(absl::string_view task);
  absl::StatusOr<v1::Task> Respond(absl::string_view task,
                                   const v1::RespondRequest& request);
  absl::StatusOr<v1::Task> Interrupt(absl::string_view task,
                                     const v1::InterruptRequest& request);
  absl::StatusOr<v1::Task> Stop(absl::string_view task,
                                const v1::StopRequest& request);
  absl::StatusOr<v1::Task> Resume(absl::string_view task,
                                  const v1::ResumeRequest& request);
  // Returns the new task.
  absl::StatusOr<v1::Task> Fork(absl::string_view task,
                                const v1::ForkRequest& request);
  // Returns an event with the inputs of tools exactly as the agent wrote them.
  absl::StatusOr<Message> GetEvent(absl::string_view task,
                                   absl::string_view event);
  // Returns the last events of the task, at most `count`, in their order. Long
  // texts in them are cut.
  absl::StatusOr<std::vector<Message>> GetLastEvents(absl::string_view task,
                                                     int count);
  absl::StatusOr<v1::ListDecisionsResponse> ListDecisions(
      absl::string_view task);
  absl::StatusOr<v1::ListPolicyResponse> ListPolicy(
      const v1::ListPolicyRequest& request);
  absl::StatusOr<v1::ListPolicyResponse> TrustPolicy(
      const v1::TrustPolicyRequest& request);
  absl::StatusOr<v1::ListPolicyResponse> UntrustPolicy(
      const v1::UntrustPolicyRequest& request);
  absl::StatusOr<v1::ListHooksResponse> ListHooks();
  absl::StatusOr<v1::TestHookResponse> TestHook(absl::string_view hook);
  absl::StatusOr<v1::UsageResponse> GetUsage(const v1::UsageRequest& request);
  // Returns a code for a browser. Only over the server's own socket.
  absl::StatusOr<v1::PageCode> CreatePageCode();
  absl::StatusOr<v1::ListPageSessionsResponse> ListPageSessions();
  // Ends a browser's session, or those of all if `session` is "all".
  absl::Status RevokePageSession(absl::string_view session);
  // Returns the body of a reply in the form that `accept` names.
  absl::StatusOr<std::string> Get(std::string path, absl::string_view accept);

  const ServerAddress& address() const { return address_; }
  const ApiOptions& options() const { return options_; }

 private:
  enum class Method { kGet, kPost, kDelete };
  // Whether a request that the server may have got can be sent again.
  enum class Retry { kSafe, kNever };
  struct Call {
    Method method = Method::kGet;
    std::string path;
    absl::string_view accept = "application/x-protobuf";
    std::string body;
    Retry retry = Retry::kSafe;
  };

  absl::StatusOr<std::string> Send(const Call& call);
  // Returns the reply's body, and in `code` how the transfer ended.
  absl::StatusOr<std::string> SendOnce(const Call& call, CURLcode* code);
  template <typename Reply>
  absl::StatusOr<Reply> SendFor(const Call& call);
  template <typename Request>
  static Retry RetryOf(const Request& request);
  template <typename Request>
  absl::StatusOr<v1::Task> Command(absl::string_view task,
                                   absl::string_view name,
                                   const Request& request, Retry retry);

  const ServerAddress address_;
  const ApiOptions options_;
  CurlRequest request_;
};

// Makes a key for a request that may arrive twice and shall count once.
std::string NewIdempotencyKey();

// The path of a task's resource: "/api/v1/tasks/ID" followed by `rest`.
std::string TaskPath(absl::string_view task, absl::string_view rest = "");
std::string EventPath(absl::string_view task, absl::string_view event);

// The request as the query of a URL ("?states=idle&text=x"), with the fields'
// names of the .proto; empty if nothing is set.
std::string QueryOf(const v1::ListTasksRequest& request);
std::string QueryOf(const v1::ListSessionsRequest& request);
std::string QueryOf(const v1::UsageRequest& request);
std::string QueryOf(const v1::ListPolicyRequest& request);

}  // namespace troika::client

#endif  // TROIKA_CLIENT_API_H_
