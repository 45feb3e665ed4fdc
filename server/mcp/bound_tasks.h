// Ends tasks that were begun to end with their MCP client.
//
// A client is there while it keeps a stream open. The tasks' labels say whose
// they are, so that a server that was restarted knows, too.
#ifndef TROIKA_SERVER_MCP_BOUND_TASKS_H_
#define TROIKA_SERVER_MCP_BOUND_TASKS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "dto/troika.pb.h"
#include "server/routes.h"

namespace troika {

// Loop thread only.
class BoundTasks {
 public:
  // Whether the client keeps a stream open.
  using IsThere = std::function<bool(const std::string& client)>;

  // Ends the tasks of clients that do not come back soon. `api` is borrowed.
  void Begin(const ApiTools* api, IsThere is_there);
  // The client's stream was closed: it may come back.
  void OnGone(const std::string& client);
  // The client has ended.
  void OnEnd(const std::string& client);

 private:
  // Ends the tasks of one client, or of all that are gone if it is empty.
  void EndTasks(const std::string& client);

  const ApiTools* api_ = nullptr;
  IsThere is_there_;
  std::map<std::string, std::unique_ptr<EventLoop::Timer>> timers_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_BOUND_TASKS_H_
