// Handlers of hooks.
#include <string>
#include <utility>

#include "server/hooks.h"
#include "server/routes.h"

namespace troika {

absl::StatusOr<Deferred> ListHooks(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("read the hooks");
  }
  return [&api](ReplyCallback reply) {
    api.hooks->CheckConfig([&api, reply = std::move(reply)]() mutable {
      reply(api.hooks->List());
    });
  };
}

absl::StatusOr<Deferred> TestHook(const ApiTools& api, const Call& call) {
  if (api.policy->CallerOf(call.request()).is_agent()) {
    return NotForAgents("test hooks");
  }
  return [&api, name = call.arg(0)](ReplyCallback reply) {
    api.hooks->CheckConfig([&api, name, reply = std::move(reply)]() mutable {
      api.hooks->Test(name,
                      [reply = std::move(reply)](
                          absl::StatusOr<v1::TestHookResponse> told) mutable {
                        if (!told.ok()) return reply(told.status());
                        reply(*std::move(told));
                      });
    });
  };
}

}  // namespace troika
