// Tells the hooks of config.toml what becomes of tasks (docs/hooks.md).
//
// Tasks report events that they find in their logs. Each is kept in hooks.v1
// for the hooks that want it before the report returns, and is delivered by
// child processes on threads, again and again until that succeeds or a day has
// passed. A server that is killed leaves the rest to the next one, which uses
// the same ids.
#ifndef TROIKA_SERVER_HOOKS_H_
#define TROIKA_SERVER_HOOKS_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "config/config.h"
#include "dto/troika.pb.h"
#include "server/hook_attempt.h"
#include "server/hook_sink.h"
#include "server/hook_store.h"
#include "server/pools.h"
#include "task/home.h"

namespace troika {

// All borrowed but the functions.
struct HookTools {
  EventLoop* loop = nullptr;
  Pools* pools = nullptr;
  Clock* clock = nullptr;
  const Home* home = nullptr;
  const Environment* environment = nullptr;
  // Makes an attempt; blocks. Null: TryHook() with real processes.
  std::function<HookOutcome(const HookAttempt&)> try_hook;
};

// Loop thread only, but for the constructor, which reads files.
class Hooks : public HookSink {
 public:
  explicit Hooks(HookTools tools);

  absl::Time news_after() const override;
  bool IsNews(const std::string& task, const HookEvent& event) const override;
  void Notice(const std::string& task,
              std::vector<FoundHookEvent> events) override;

  // Delivers what an earlier server has left.
  void Begin() { Deliver(); }
  // Reads the configuration again if its file has changed, and then calls
  // `then`. A configuration that is broken changes nothing.
  void CheckConfig(absl::AnyInvocable<void()> then);
  // Whether nothing waits to be delivered.
  bool idle() const { return store_.pending().empty(); }
  const HookStore& store() const { return store_; }

  v1::ListHooksResponse List() const;
  using TestCallback =
      absl::AnyInvocable<void(absl::StatusOr<v1::TestHookResponse>)>;
  // Makes one attempt to tell the hook of an event that never happened.
  void Test(const std::string& name, TestCallback done);

 private:
  struct Progress {
    int running = 0;
    int failures = 0;                              // Since the last success.
    absl::Time not_before = absl::InfinitePast();  // By the awake clock.
  };
  // The file's device, inode, size and time.
  using Fingerprint = std::tuple<dev_t, ino_t, off_t, int64_t>;

  Fingerprint FingerprintOfConfig() const;
  // Calls those who wait for the configuration once it is up to date.
  void ReadConfigIfChanged(int tries_left);
  void UseConfig(absl::StatusOr<Config> config);
  // Starts attempts that are due, and sets the timer for the next.
  void Deliver();
  // When an attempt for the delivery may begin, by the awake clock.
  absl::Time StartOf(const HookDelivery& delivery, absl::Time now) const;
  bool HasRoom(const std::string& hook) const;
  void Start(const HookDelivery& delivery);
  void OnTried(const HookStore::Key& key, const HookOutcome& outcome);
  void Sync();

  const HookTools tools_;
  HookStore store_;
  std::map<std::string, Hook, std::less<>> hooks_;
  // Whether a configuration could be read. Else hooks_ has what the last server
  // knew of them, so that their events are kept until they can be told.
  bool known_ = false;
  std::string config_error_;
  Fingerprint config_;
  bool reading_config_ = false;
  std::vector<absl::AnyInvocable<void()>> waiting_for_config_;
  std::set<HookStore::Key> running_;
  std::map<std::string, Progress> progress_;         // By hook.
  std::minstd_rand random_{std::random_device()()};  // For jitter.
  bool syncing_ = false;
  const std::unique_ptr<EventLoop::Timer> timer_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_HOOKS_H_
