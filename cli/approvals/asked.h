// The whole approvals and questions that wait, and their text on a terminal.
#ifndef TROIKA_CLI_APPROVALS_ASKED_H_
#define TROIKA_CLI_APPROVALS_ASKED_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/message.h"
#include "cli/timeline/timeline.h"
#include "client/api.h"
#include "task/state.h"

namespace troika::cli {

// An approval or a question.
struct Asked {
  Payload payload;
  std::string problem;  // Says why the payload is not whole; empty if it is.
};

// Says why there is no event to read again.
absl::Status NoEvent();

// Keeps payloads that came whole, and reads others again from the server.
class AskedPayloads {
 public:
  // `api` is borrowed.
  AskedPayloads(client::ApiClient* api, std::string task)
      : api_(*api), task_(std::move(task)) {}

  // Keeps an approval or question that came whole; drops it when it is
  // answered. Other messages are ignored.
  void Remember(const Message& message);
  // Returns what waits in `state` under this id. Blocks if it has to be read.
  Asked Load(const TaskState& state, const std::string& id);
  // The same in two steps, for callers that must not block: the id of the event
  // to read, which is empty if nothing has to be read or can be, and what waits
  // given that event. Without one, `whole` says why.
  std::string EventToRead(const TaskState& state, const std::string& id) const;
  Asked Take(const TaskState& state, const std::string& id,
             absl::StatusOr<Message> whole);

 private:
  client::ApiClient& api_;
  const std::string task_;
  std::map<std::string, Payload> known_;  // Whole payloads by their ids.
};

// Returns all rows of it for a terminal of this width (0: not known).
std::vector<std::string> RowsOf(const Asked& asked, const Timeline& timeline,
                                size_t width);

// Returns the line that says what an approval is for; empty for a question.
std::string StatementOf(const Payload& payload, size_t width);

}  // namespace troika::cli

#endif  // TROIKA_CLI_APPROVALS_ASKED_H_
