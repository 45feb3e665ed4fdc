#include "server/server.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "agent/registry.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/status_macros.h"
#include "base/thread_pool.h"
#include "http/listen.h"
#include "http/server.h"
#include "relay/start.h"
#include "server/access.h"
#include "server/api.h"
#include "server/changes.h"
#include "server/metrics.h"
#include "server/server_lock.h"
#include "server/task_index.h"
#include "server/tasks.h"
#include "server/token.h"
#include "task/home.h"

namespace troika {
namespace {

constexpr char kSocketName[] = "server.sock";
constexpr int kThreads = 2;
// A CLI that hangs is given up after 20 s, and keeps nobody else waiting.
constexpr int kProbeThreads = 8;
constexpr absl::Duration kBeat = absl::Seconds(15);
constexpr absl::Duration kLook = absl::Seconds(5);
constexpr absl::Duration kRetain = absl::Minutes(10);
// Of descriptors: some for each task that runs and for each client.
constexpr rlim_t kDescriptors = 65536;

void RaiseDescriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur =
      std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, kDescriptors));
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Calls again and again.
class Ticker {
 public:
  Ticker(EventLoop* loop, absl::Duration every, std::function<void()> tick)
      : timer_(loop->NewTimer([this, every, tick = std::move(tick)] {
          timer_->SetIn(every);
          tick();
        })) {
    timer_->SetIn(every);
  }

 private:
  std::unique_ptr<EventLoop::Timer> timer_;
};

// All parts, in the order in which they need each other.
class Parts {
 public:
  Parts(const ServerOptions& options, Environment environment, Home home,
        UniqueFd home_fd, ServerLock lock, EventLoop* loop,
        std::unique_ptr<TaskIndex> index, Token token,
        std::string relay_program)
      : options_(options),
        home_(std::move(home)),
        home_fd_(std::move(home_fd)),
        lock_(std::move(lock)),
        token_(std::move(token)),
        loop_(*loop),
        index_(std::move(index)),
        access_(&token_, AccessOptionsOf(options)),
        changes_(clock_.NowMicros()),
        tasks_({.limits = options.limits, .max_queued = options.max_queued},
               {.loop = &loop_,
                .pool = &pool_,
                .probe_pool = &probe_pool_,
                .load_pool = &load_pool_,
                .delete_pool = &delete_pool_,
                .clock = &clock_,
                .home = &home_,
                .index = index_.get(),
                .changes = &changes_,
                .relay_program = std::move(relay_program)}),
        api_(
            {.loop = &loop_,
             .pool = &log_pool_,
             .probe_pool = &probe_pool_,
             .tasks = &tasks_,
             .changes = &changes_,
             .access = &access_,
             .metrics = &metrics_,
             .home = &home_,
             .environment = std::move(environment),
             .connections =
                 [this] { return static_cast<int64_t>(http_.connections()); }}),
        http_(
            &loop_, {},
            [this](std::unique_ptr<http::Exchange> exchange) {
              needed_at_ = clock_.NowMicros();
              api_.Handle(std::move(exchange));
            },
            [](int status, absl::string_view message) {
              return ErrorResponse(status, message);
            }) {
    http_.SetGate(
        [this](const http::Request& head) { return api_.Admit(head); });
  }

  // Returns what to tell people.
  absl::StatusOr<std::string> Listen() {
    ASSIGN_OR_RETURN(UniqueFd local,
                     http::ListenUnix(home_fd_.get(), kSocketName));
    http_.Listen(std::move(local), http::Peer::Kind::kUnix);
    std::string told = absl::StrCat(home_.path(), "/", kSocketName);
    if (!options_.host.empty()) {
      ASSIGN_OR_RETURN(UniqueFd tcp,
                       http::ListenTcp(options_.host, options_.port));
      const bool v6 = options_.host.find(':') != std::string::npos;
      told = absl::StrCat("http://", v6 ? "[" : "", options_.host,
                          v6 ? "]" : "", ":", http::BoundPort(tcp.get()));
      http_.Listen(std::move(tcp), http::Peer::Kind::kTcp);
    }
    // A full disk must not keep anybody from stopping tasks.
    if (const absl::Status noted = lock_.Tell(told); !noted.ok()) {
      fprintf(stderr, "troika-server: %s\n",
              std::string(noted.message()).c_str());
    }
    return told;
  }

  absl::Status Run(absl::FunctionRef<void(absl::string_view)> on_ready) {
    needed_at_ = clock_.NowMicros();
    tasks_.Begin();
    ASSIGN_OR_RETURN(const std::string where, Listen());
    const auto stop = [this] { loop_.Stop(); };
    const auto interrupted = loop_.WatchSignal(SIGINT, stop);
    const auto terminated = loop_.WatchSignal(SIGTERM, stop);
    const Ticker beat(&loop_, kBeat, [this] {
      tasks_.Beat();
      changes_.Beat();
    });
    const Ticker look(&loop_, kLook, [this] { Look(); });
    const Ticker retain(&loop_, kRetain, [this] { Retain(); });
    Retain();
    on_ready(where);
    loop_.Run();
    http_.Drain([] {});
    tasks_.Flush();
    return ended_;
  }

 private:
  static AccessOptions AccessOptionsOf(const ServerOptions& options) {
    AccessOptions access = {.hosts = options.hosts};
    access.hosts.push_back(HostWithoutPort(options.host));
    if (options.reach == ServerOptions::Reach::kAnywhere) {
      access.reach = AccessOptions::Reach::kAnywhere;
      char name[256] = "";
      if (gethostname(name, sizeof(name) - 1) == 0) {
        access.hosts.push_back(HostWithoutPort(name));
      }
    }
    return access;
  }

  // Whether there is still something to be here for.
  void Look() {
    struct stat ours = {};
    struct stat there = {};
    if (fstat(home_fd_.get(), &ours) == 0 &&
        (stat(home_.path().c_str(), &there) != 0 ||
         there.st_ino != ours.st_ino || there.st_dev != ours.st_dev)) {
      ended_ = absl::NotFoundError(
          absl::StrCat("the folder ", home_.path(), " is gone"));
      return loop_.Stop();
    }
    if (options_.life == ServerOptions::Life::kUntilTold) return;
    const int64_t now = clock_.NowMicros();
    if (!tasks_.idle() || http_.connections() > 0) needed_at_ = now;
    if (now - needed_at_ >= absl::ToInt64Microseconds(options_.idle_exit)) {
      loop_.Stop();
    }
  }

  void Retain() {
    const bool by_age = options_.keep_for != absl::InfiniteDuration();
    if (!by_age && options_.keep_bytes == 0) return;
    const int64_t before =
        by_age
            ? clock_.NowMicros() - absl::ToInt64Microseconds(options_.keep_for)
            : 0;
    tasks_.Retain(
        {.ended_before_us = before, .max_bytes = options_.keep_bytes});
  }

  const ServerOptions options_;
  SystemClock clock_;
  Home home_;
  UniqueFd home_fd_;
  ServerLock lock_;
  Token token_;
  EventLoop& loop_;
  const std::unique_ptr<TaskIndex> index_;
  Access access_;
  Metrics metrics_;
  Changes changes_;
  Tasks tasks_;
  Api api_;
  http::Server http_;
  // They end first, as their threads use what stands above.
  ThreadPool pool_{&loop_, kThreads};
  ThreadPool probe_pool_{&loop_, kProbeThreads};
  ThreadPool log_pool_{&loop_, kThreads};
  ThreadPool load_pool_{&loop_, kThreads};
  ThreadPool delete_pool_{&loop_, 1};
  int64_t needed_at_ = 0;
  absl::Status ended_;
};

}  // namespace

absl::Status Serve(const ServerOptions& options, const Environment& environment,
                   absl::FunctionRef<void(absl::string_view)> on_ready) {
  signal(SIGPIPE, SIG_IGN);
  RaiseDescriptors();
  if (options.demo == ServerOptions::Demo::kOn) EnableDemoHarness();
  ASSIGN_OR_RETURN(std::string relay_program, relay::FindRelayProgram());
  ASSIGN_OR_RETURN(Home home, Home::Open(environment));
  UniqueFd home_fd(
      open(home.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!home_fd.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", home.path()));
  }
  ASSIGN_OR_RETURN(ServerLock lock, ServerLock::Take(home.path()));
  EventLoop loop;
  ASSIGN_OR_RETURN(std::unique_ptr<TaskIndex> index,
                   TaskIndex::Open(&loop, home.path() + "/index.sqlite"));
  ASSIGN_OR_RETURN(Token token, Token::Open(home.path() + "/token"));
  Parts parts(options, environment, std::move(home), std::move(home_fd),
              std::move(lock), &loop, std::move(index), std::move(token),
              std::move(relay_program));
  return parts.Run(on_ready);
}

}  // namespace troika
