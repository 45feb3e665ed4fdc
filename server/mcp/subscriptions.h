// Tells clients of the stateless generation what they subscribe to by
// `subscriptions/listen`: that the list of tools or of resources has changed,
// or that a transcript has.
#ifndef TROIKA_SERVER_MCP_SUBSCRIPTIONS_H_
#define TROIKA_SERVER_MCP_SUBSCRIPTIONS_H_

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/event_loop.h"
#include "base/json.h"
#include "server/mcp/tool.h"
#include "server/routes.h"
#include "server/task_stream.h"

namespace troika {

// Loop thread only.
class Subscriptions {
 public:
  explicit Subscriptions(McpService* service) : service_(*service) {}

  // Called once, before anything else. `api` is borrowed.
  void Begin(const ApiTools* api);
  // Acknowledges what of `wanted` can be told, then tells it until the client
  // cancels `call` or leaves.
  void Listen(const ToolCallPtr& call, json::Value wanted);
  // Ends all of them: for the end of the server.
  void Drop() { subscribers_.clear(); }

 private:
  struct Transcript {
    std::string uri;
    std::shared_ptr<TaskStream> stream;
    std::shared_ptr<void> listener;
    bool has_news = false;
  };
  struct Subscriber {
    ToolCallPtr call;
    bool tools = false;
    bool resources = false;
    std::string known_tools;  // Names; empty until they were looked up.
    bool has_new_resources = false;
    std::list<Transcript> transcripts;
    size_t to_find = 0;  // Transcripts that are still looked up.
  };
  using SubscriberPtr = std::shared_ptr<Subscriber>;

  void Find(const SubscriberPtr& subscriber, const std::string& uri);
  void Acknowledge(const SubscriberPtr& subscriber);
  // Sends a notification that belongs to the subscription.
  static void Notify(const Subscriber& subscriber, absl::string_view method,
                     absl::string_view uri = "");
  void RemoveGone();
  void TellSoon();
  void Tell();
  void CheckTools();

  McpService& service_;
  const ApiTools* api_ = nullptr;
  std::list<SubscriberPtr> subscribers_;
  std::unique_ptr<EventLoop::Timer> tell_timer_;
  std::unique_ptr<EventLoop::Timer> tools_timer_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_MCP_SUBSCRIPTIONS_H_
