#include "server/hooks.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/random_text.h"
#include "dto/proto_fields.h"
#include "dto/proto_json.h"
#include "server/load_task.h"

namespace troika {
namespace {

constexpr size_t kAtOnce = 4;  // Attempts.
constexpr int kAtOncePerHook = 2;
constexpr int kMaxListed = 100;
// A file that changes all the time is not waited for.
constexpr int kConfigTries = 3;
// While a hook fails, one delivery at a time finds out whether it works again,
// at least this often.
constexpr absl::Duration kMaxPause = absl::Minutes(1);

static_assert(std::equal(std::begin(kHookEventNames), std::end(kHookEventNames),
                         kEnumNames<HookEvent::Kind>.begin(),
                         kEnumNames<HookEvent::Kind>.end()));

bool IsIn(absl::string_view cwd, absl::string_view folder) {
  if (folder.empty() || folder == "/") return true;
  return absl::ConsumePrefix(&cwd, folder) && (cwd.empty() || cwd[0] == '/');
}

bool Wants(const Hook& hook, const v1::HookEvent& event,
           absl::string_view cwd) {
  return std::find(hook.on.begin(), hook.on.end(), event.event()) !=
             hook.on.end() &&
         (hook.harness.empty() || hook.harness == event.task().harness()) &&
         IsIn(cwd, hook.folder);
}

// Changes if the hook is to be told of other events.
std::string FilterOf(const Hook& hook) {
  std::vector<std::string> on = hook.on;
  std::sort(on.begin(), on.end());
  return absl::StrCat(absl::StrJoin(on, ","), " ", hook.harness, " ",
                      hook.folder);
}

// The hook that has this filter; it can't be told anything.
Hook WithFilter(absl::string_view filter) {
  const std::vector<std::string> parts =
      absl::StrSplit(filter, absl::MaxSplits(' ', 2));
  Hook hook = {.on = absl::StrSplit(parts[0], ',')};
  if (parts.size() == 3) {
    hook.harness = parts[1];
    hook.folder = parts[2];
  }
  return hook;
}

void Log(absl::string_view text) {
  fprintf(stderr, "troika-server: %s\n", std::string(text).c_str());
}

v1::HookDelivery Describe(const HookDelivery& delivery) {
  v1::HookDelivery shown;
  shown.set_id(delivery.id);
  shown.set_hook(delivery.hook);
  shown.set_event(delivery.event);
  shown.set_task_id(delivery.task);
  shown.set_attempts(delivery.attempts);
  *shown.mutable_noticed_at() = ToProto(delivery.noticed);
  shown.set_error(delivery.error);
  return shown;
}

std::string TestBody(const std::string& id, absl::Time now) {
  v1::HookEvent event;
  event.set_id(id);
  event.set_event("test");
  *event.mutable_time() = ToProto(now);
  event.set_text("This is a test: the hook works.");
  event.mutable_task()->set_title("A test of this hook");
  event.set_cost_source("none");
  return ToJson(event);
}

}  // namespace

Hooks::Hooks(HookTools tools)
    : tools_(std::move(tools)),
      store_(tools_.home->path() + "/hooks.v1",
             [this](const std::string& task) {
               return HasFolder(*tools_.home, task);
             }),
      config_(FingerprintOfConfig()),
      timer_(tools_.loop->NewTimer([this] { Deliver(); })) {
  UseConfig(ReadConfig(*tools_.environment));
}

Hooks::Fingerprint Hooks::FingerprintOfConfig() const {
  struct stat info = {};
  const std::string path = ConfigPath(*tools_.environment);
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino, info.st_size,
          absl::ToUnixNanos(absl::TimeFromTimespec(info.st_mtim))};
}

void Hooks::UseConfig(absl::StatusOr<Config> config) {
  if (!config.ok()) {
    config_error_ = std::string(config.status().message());
    if (!known_) {
      for (const auto& [name, filter] : store_.Filters()) {
        hooks_[name] = WithFilter(filter);
      }
    }
    return Log(absl::StrCat(config_error_,
                            known_ ? "; its hooks stay as they were"
                                   : "; hooks are told once it can be read"));
  }
  config_error_.clear();
  known_ = true;
  // A hook that was mended is tried at once.
  for (const auto& [name, hook] : config->hooks) {
    const auto before = hooks_.find(name);
    if (before == hooks_.end() || before->second == hook) continue;
    store_.MakeDue(name, tools_.clock->Now());
  }
  hooks_ = std::move(config->hooks);
  std::map<std::string, std::string> filters;
  for (const auto& [name, hook] : hooks_) filters[name] = FilterOf(hook);
  store_.SetHooks(filters, tools_.clock->Now());
  for (auto& [name, progress] : progress_) {
    progress.not_before = absl::InfinitePast();
  }
}

void Hooks::CheckConfig(absl::AnyInvocable<void()> then) {
  if (!store_.problem().empty()) store_.Retry();
  if (known_) store_.ForgetGone(tools_.clock->Now());
  waiting_for_config_.push_back(std::move(then));
  if (!reading_config_) ReadConfigIfChanged(kConfigTries);
}

// One read at a time, so that an older file never replaces a newer one.
void Hooks::ReadConfigIfChanged(int tries_left) {
  const Fingerprint now = FingerprintOfConfig();
  if (now == config_ || tries_left == 0) {
    for (auto& then : std::exchange(waiting_for_config_, {})) then();
    return;
  }
  reading_config_ = true;
  tools_.pools->work.RunFor<absl::StatusOr<Config>>(
      [environment = tools_.environment] { return ReadConfig(*environment); },
      [this, now, tries_left](absl::StatusOr<Config> config) {
        reading_config_ = false;
        config_ = now;
        UseConfig(std::move(config));
        Deliver();
        ReadConfigIfChanged(tries_left - 1);
      });
}

absl::Time Hooks::news_after() const {
  absl::Time first = absl::InfiniteFuture();
  for (const auto& [name, hook] : hooks_) {
    first = std::min(first, store_.Since(name));
  }
  return first;
}

bool Hooks::IsNews(const std::string& task, const HookEvent& event) const {
  return event.time >= news_after() && !store_.IsNoticed(task, event.id);
}

void Hooks::Notice(const std::string& task,
                   std::vector<FoundHookEvent> events) {
  std::vector<NoticedHookEvent> noticed;
  for (const FoundHookEvent& event : events) {
    if (store_.IsNoticed(task, event.at)) continue;
    std::vector<std::string> wanting;
    for (const auto& [name, hook] : hooks_) {
      if (Wants(hook, event.told, event.cwd) &&
          event.time >= store_.Since(name)) {
        wanting.push_back(name);
      }
    }
    if (wanting.empty()) continue;
    noticed.push_back({.id = event.told.id(),
                       .task = task,
                       .at = event.at,
                       .event = event.told.event(),
                       .hooks = std::move(wanting),
                       .body = ToJson(event.told)});
  }
  if (noticed.empty()) return;
  store_.Notice(noticed, tools_.clock->Now());
  Sync();
}

// Deliveries begin when the file is on the disk.
void Hooks::Sync() {
  if (std::exchange(syncing_, true)) return;
  auto fd = std::make_shared<UniqueFd>(
      store_.fd() < 0 ? -1 : fcntl(store_.fd(), F_DUPFD_CLOEXEC, 0));
  tools_.pools->work.Run(
      [fd] {
        if (fd->ok()) fdatasync(fd->get());
      },
      [this] {
        syncing_ = false;
        Deliver();
      });
}

bool Hooks::HasRoom(const std::string& hook) const {
  const auto progress = progress_.find(hook);
  if (progress == progress_.end()) return true;
  return progress->second.running <
         (progress->second.failures > 0 ? 1 : kAtOncePerHook);
}

absl::Time Hooks::StartOf(const HookDelivery& delivery, absl::Time now) const {
  // If the real time was set back, a delivery must not wait for it.
  const absl::Duration wait = std::min(delivery.next - now, absl::Hours(1));
  absl::Time start = tools_.clock->Awake() + wait;
  const auto progress = progress_.find(delivery.hook);
  if (progress != progress_.end()) {
    start = std::max(start, progress->second.not_before);
  }
  return start;
}

void Hooks::Deliver() {
  timer_->Cancel();
  if (!known_) return;
  tools_.clock->FollowRealTime();
  const absl::Time now = tools_.clock->Now();
  const absl::Time awake = tools_.clock->Awake();
  while (true) {
    const HookDelivery* first = nullptr;
    absl::Time start = absl::InfiniteFuture();
    for (const auto& [key, delivery] : store_.pending()) {
      if (!hooks_.contains(delivery.hook) || running_.contains(key) ||
          !HasRoom(delivery.hook)) {
        continue;
      }
      const absl::Time at = StartOf(delivery, now);
      const bool due = at <= awake;
      const bool older =
          first == nullptr ||
          (due && start <= awake ? delivery.noticed < first->noticed
                                 : at < start);
      if (!older) continue;
      first = &delivery;
      start = at;
    }
    if (first == nullptr) return;
    // One that ends lets the next begin.
    if (running_.size() >= kAtOnce) return;
    if (start > awake) return timer_->SetIn(start - awake);
    Start(*first);
  }
}

void Hooks::Start(const HookDelivery& delivery) {
  const HookStore::Key key = {delivery.id, delivery.hook};
  running_.insert(key);
  ++progress_[delivery.hook].running;
  HookAttempt attempt = {.name = delivery.hook,
                         .hook = hooks_.find(delivery.hook)->second,
                         .id = delivery.id,
                         .body = *delivery.body,
                         .now = tools_.clock->Now()};
  tools_.pools->hooks.RunFor<HookOutcome>(
      [attempt = std::move(attempt), try_hook = tools_.try_hook,
       environment = tools_.environment] {
        if (try_hook) return try_hook(attempt);
        ProcessRunner runner;
        return TryHook(attempt, *environment, runner);
      },
      [this, key](const HookOutcome& outcome) { OnTried(key, outcome); });
}

void Hooks::OnTried(const HookStore::Key& key, const HookOutcome& outcome) {
  running_.erase(key);
  Progress& progress = progress_[key.second];
  --progress.running;
  const auto found = store_.pending().find(key);
  if (found == store_.pending().end() || absl::IsCancelled(outcome.status)) {
    return Deliver();
  }
  if (outcome.status.ok()) {
    if (std::exchange(progress.failures, 0) > 0) {
      Log(absl::StrCat("hook ", key.second, " works again"));
    }
    progress.not_before = absl::InfinitePast();
    store_.RecordDelivery(key);
    return Deliver();
  }
  const absl::string_view error = outcome.status.message();
  const HookDelivery& delivery = found->second;
  if (++progress.failures == 1) {
    Log(absl::StrCat("hook ", key.second, ": ", error,
                     "; it is tried again, see `troika hooks`"));
  }
  const double random = std::uniform_real_distribution<>()(random_);
  progress.not_before =
      tools_.clock->Awake() +
      std::min(HookBackoff(progress.failures, random), kMaxPause);
  const absl::Time now = tools_.clock->Now();
  if (now - delivery.noticed >= kHookPatience) {
    Log(absl::StrCat("hook ", key.second, " is not told of ", key.first,
                     ", given up after ", delivery.attempts + 1,
                     " attempts: ", error));
    store_.GiveUp(key, error);
  } else {
    store_.RecordFailure(
        key, error,
        now + std::max(HookBackoff(delivery.attempts + 1, random),
                       outcome.retry_after));
  }
  Deliver();
}

v1::ListHooksResponse Hooks::List() const {
  v1::ListHooksResponse response;
  std::map<std::string, int> pending;
  std::vector<const HookDelivery*> next_first;
  for (const auto& [key, delivery] : store_.pending()) {
    ++pending[delivery.hook];
    next_first.push_back(&delivery);
  }
  for (const auto& [name, hook] : hooks_) {
    v1::Hook& shown = *response.add_hooks();
    shown.set_name(name);
    for (const std::string& event : hook.on) shown.add_on(event);
    shown.set_target(HookTarget(hook));
    shown.set_folder(hook.folder);
    shown.set_harness(hook.harness);
    *shown.mutable_timeout() = ToProto(hook.timeout);
    *shown.mutable_since() = ToProto(store_.Since(name));
    shown.set_pending(pending[name]);
    shown.set_is_signed(!hook.secret.empty() || !hook.secret_file.empty());
    const auto counts = store_.counts().find(name);
    if (counts == store_.counts().end()) continue;
    shown.set_delivered(counts->second.delivered);
    shown.set_given_up(counts->second.given_up);
  }
  std::sort(next_first.begin(), next_first.end(),
            [](const auto* a, const auto* b) { return a->next < b->next; });
  for (const HookDelivery* delivery : next_first) {
    if (response.deliveries_size() == kMaxListed) break;
    v1::HookDelivery& shown = *response.add_deliveries();
    shown = Describe(*delivery);
    *shown.mutable_next_at() = ToProto(delivery->next);
  }
  const auto& given_up = store_.given_up();
  for (auto it = given_up.rbegin(); it != given_up.rend(); ++it) {
    v1::HookDelivery& shown = *response.add_deliveries();
    shown = Describe(*it);
    shown.set_given_up(true);
  }
  response.set_config_error(config_error_);
  response.set_problem(store_.problem());
  return response;
}

void Hooks::Test(const std::string& name, TestCallback done) {
  const auto hook = hooks_.find(name);
  if (!known_) return done(absl::FailedPreconditionError(config_error_));
  if (hook == hooks_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : hooks_) names.push_back(known);
    return done(absl::NotFoundError(absl::StrCat(
        "no hook ", name, " in config.toml; there are: ",
        names.empty() ? "none" : absl::StrJoin(names, ", "),
        config_error_.empty() ? "" : "; the file is broken: ", config_error_)));
  }
  const std::string id = absl::StrCat("test-", RandomText(12));
  const absl::Time now = tools_.clock->Now();
  HookAttempt attempt = {.name = name,
                         .hook = hook->second,
                         .id = id,
                         .body = TestBody(id, now),
                         .now = now};
  tools_.pools->hooks.RunFor<HookOutcome>(
      [attempt = std::move(attempt), try_hook = tools_.try_hook,
       environment = tools_.environment] {
        if (try_hook) return try_hook(attempt);
        ProcessRunner runner;
        return TryHook(attempt, *environment, runner);
      },
      [this, id, began = tools_.clock->Awake(),
       done = std::move(done)](const HookOutcome& outcome) mutable {
        v1::TestHookResponse response;
        response.set_id(id);
        response.set_delivered(outcome.status.ok());
        response.set_error(std::string(outcome.status.message()));
        *response.mutable_took() = ToProto(tools_.clock->Awake() - began);
        done(std::move(response));
      });
}

}  // namespace troika
