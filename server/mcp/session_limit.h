// Limits how many MCP sessions work at once.
//
// Tasks are made asynchronously, so a session that is about to begin is counted
// by the place that it holds until its task is in the index.
#ifndef TROIKA_SERVER_MCP_SESSION_LIMIT_H_
#define TROIKA_SERVER_MCP_SESSION_LIMIT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "server/routes.h"

namespace troika {

// Loop thread only.
class SessionLimit {
 public:
  // Called once, before anything else. `api` is borrowed.
  void Begin(const ApiTools* api) { api_ = api; }

  // Held until the session works, or was refused.
  using Place = std::shared_ptr<void>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Place>)>;
  // Calls back with a place for another session. ResourceExhausted if `max`
  // sessions work.
  void Take(int64_t max, Done done);
  // Drops those who wait for a place: for the end of the server.
  void Drop() { waiting_.clear(); }

 private:
  void Count(int64_t max, Done done);
  void Release();

  const ApiTools* api_ = nullptr;
  // Places may outlive us.
  const std::shared_ptr<SessionLimit*> self_ =
      std::make_shared<SessionLimit*>(this);
  int64_t held_ = 0;
  int64_t released_ = 0;  // So far.
  // Those who may get a place if a session that is about to begin does not.
  std::vector<absl::AnyInvocable<void()>> waiting_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SESSION_LIMIT_H_
