// The API from C++: a method for each route of docs/api.md.
//
//   ASSIGN_OR_RETURN(const Place place, FindPlace(environment));
//   ApiClient api(place, {.start = [&] { return StartServer(…); }});
//   ASSIGN_OR_RETURN(const v1::Task task, api.GetTask("latest"));
#ifndef TROIKA_CLIENT_API_H_
#define TROIKA_CLIENT_API_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/curl.h"
#include "client/place.h"
#include "dto/troika.pb.h"

namespace troika::client {

struct ApiOptions {
  // Called where nobody listens; where it returns OK, the request is sent
  // again. Without one, such a request is Unavailable.
  std::function<absl::Status()> start;
  absl::Duration timeout = absl::Minutes(2);  // For one request.
};

// A part of a task's events.
struct EventPage {
  std::string after;  // An event's id; empty: from the first.
  int page_size = 0;  // 0: the server's default.
};

// Blocks for as long as a request takes. Errors have the code and the words of
// the server's; Unavailable where it can't be reached. A task is given by its
// id, a beginning of it, or "latest". What can be asked twice without harm is
// asked again where the server died over it. Not thread-safe.
class ApiClient {
 public:
  explicit ApiClient(Place place, ApiOptions options = {});

  // As tasks find them that bring no environment of their own.
  absl::StatusOr<v1::ListHarnessesResponse> ListHarnesses();
  // As a task with the request's environment finds them.
  absl::StatusOr<v1::ListHarnessesResponse> ProbeHarnesses(
      const v1::ProbeHarnessesRequest& request);
  absl::StatusOr<v1::Task> CreateTask(const v1::CreateTaskRequest& request);
  absl::StatusOr<v1::ListTasksResponse> ListTasks(
      const v1::ListTasksRequest& request);
  absl::StatusOr<v1::Task> GetTask(absl::string_view task);
  absl::Status DeleteTask(absl::string_view task);
  absl::StatusOr<v1::Task> SendInput(absl::string_view task,
                                     const v1::InputRequest& request);
  absl::StatusOr<v1::Task> Respond(absl::string_view task,
                                   const v1::RespondRequest& request);
  absl::StatusOr<v1::Task> Interrupt(absl::string_view task,
                                     const v1::InterruptRequest& request);
  absl::StatusOr<v1::Task> Stop(absl::string_view task,
                                const v1::StopRequest& request);
  absl::StatusOr<v1::Task> Resume(absl::string_view task,
                                  const v1::ResumeRequest& request);
  absl::StatusOr<v1::ListEventsResponse> ListEvents(absl::string_view task,
                                                    const EventPage& page);
  absl::StatusOr<v1::Event> GetEvent(absl::string_view task,
                                     absl::string_view event);
  // The same as JSON: inputs of tools are exactly as the agent wrote them.
  absl::StatusOr<std::string> GetEventJson(absl::string_view task,
                                           absl::string_view event);
  absl::StatusOr<v1::RawRecord> GetRaw(absl::string_view task, int64_t record);
  // A record's bytes, exactly as they were.
  absl::StatusOr<std::string> GetRawBytes(absl::string_view task,
                                          int64_t record);
  absl::StatusOr<v1::UsageResponse> GetUsage(const v1::UsageRequest& request);
  // What /healthz says.
  absl::StatusOr<std::string> GetHealth();

  const Place& place() const { return place_; }
  const ApiOptions& options() const { return options_; }

 private:
  enum class Method { kGet, kPost, kDelete };
  // Whether a request that may have been heard can be sent once more.
  enum class Twice { kHarmless, kNever };
  struct Call {
    Method method = Method::kGet;
    std::string path;
    absl::string_view accept = "application/x-protobuf";
    std::string body;
    Twice twice = Twice::kHarmless;
  };

  absl::StatusOr<std::string> Send(const Call& call);
  // The answer's body; sets how the transfer ended.
  absl::StatusOr<std::string> SendOnce(const Call& call, CURLcode* code);
  template <typename Reply>
  absl::StatusOr<Reply> SendFor(const Call& call);
  template <typename Request>
  absl::StatusOr<v1::Task> Command(absl::string_view task,
                                   absl::string_view name,
                                   const Request& request, Twice twice);

  const Place place_;
  const ApiOptions options_;
  CurlRequest request_;
};

// The path of a task's resources: "/api/v1/tasks/ID", and what follows.
std::string TaskPath(absl::string_view task, absl::string_view rest = "");

}  // namespace troika::client

#endif  // TROIKA_CLIENT_API_H_
