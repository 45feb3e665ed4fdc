#include "server/session_index.h"

#include <algorithm>
#include <utility>

#include "agent/registry.h"

namespace troika {

SessionIndex::SessionIndex(Pools* pools, std::string cache_path,
                           const Environment& environment)
    : pools_(*pools),
      cache_(std::make_shared<SessionCache>(
          std::move(cache_path), Redactor(SecretsOf(environment, {})))) {}

Environment SessionIndex::Relevant(const Environment& env) {
  Environment::Map variables;
  for (const Backend* backend : AllBackends()) {
    if (backend->sessions == nullptr) continue;
    for (const absl::string_view name : backend->sessions->variables) {
      const absl::string_view value = env.Get(name);
      if (!value.empty()) variables[std::string(name)] = std::string(value);
    }
  }
  return Environment(std::move(variables));
}

void SessionIndex::Scan(const Environment& env, Done done) {
  const Environment relevant = Relevant(env);
  const auto same =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& scan) {
        return scan.env.variables() == relevant.variables();
      });
  if (same != waiting_.end()) {
    same->requests.push_back(std::move(done));
    return;
  }
  waiting_.push_back({.env = relevant});
  waiting_.back().requests.push_back(std::move(done));
  if (!scanning_) StartNext();
}

void SessionIndex::StartNext() {
  scanning_ = !waiting_.empty();
  if (!scanning_) return;
  Waiting next = std::move(waiting_.front());
  waiting_.pop_front();
  pools_.sessions.RunFor<std::shared_ptr<const SessionScan>>(
      [cache = cache_, env = next.env] {
        return std::make_shared<const SessionScan>(cache->Scan(env));
      },
      [this, requests = std::move(next.requests)](
          const std::shared_ptr<const SessionScan>& scan) mutable {
        for (Done& done : requests) done(scan);
        StartNext();
      });
}

}  // namespace troika
