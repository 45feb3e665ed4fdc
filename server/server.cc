#include "server/server.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "agent/discovery/command_runner.h"
#include "agent/registry.h"
#include "base/ancestry.h"
#include "base/clock.h"
#include "base/event_loop.h"
#include "base/startup_memory.h"
#include "base/status_macros.h"
#include "base/unix_socket.h"
#include "http/listen.h"
#include "http/server.h"
#include "relay/start.h"
#include "server/access.h"
#include "server/api.h"
#include "server/below_agent.h"
#include "server/changes.h"
#include "server/day_budget.h"
#include "server/hooks.h"
#include "server/mcp/service.h"
#include "server/page_sessions.h"
#include "server/saved_flags.h"
#include "server/server_lock.h"
#include "server/session_index.h"
#include "server/stop_signals.h"
#include "server/task_index.h"
#include "server/tasks.h"
#include "server/uploads.h"
#include "server/watch_stream.h"
#include "task/home.h"
#include "web/embedded_page.h"

namespace troika {
namespace {

constexpr absl::Duration kHeartbeat = absl::Seconds(15);
constexpr absl::Duration kCheck = absl::Seconds(5);
constexpr absl::Duration kRetain = absl::Minutes(10);
// A server without requests for this time has done what its start needs.
constexpr absl::Duration kStarted = absl::Milliseconds(300);
// Requests that are under way get this long to be answered before a stop.
constexpr absl::Duration kDrain = absl::Seconds(1);
// Where a server that was started by a command has the page, if it can.
constexpr char kPageHost[] = "127.0.0.1";
constexpr int kPagePort = 4747;
// Limit of descriptors: each running task and each client needs some.
constexpr rlim_t kDescriptors = 65536;

void RaiseDescriptors() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur =
      std::max(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, kDescriptors));
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The form of flags and URLs.
std::string HostAndPort(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return absl::StrCat(v6 ? "[" : "", host, v6 ? "]" : "", ":", port);
}

// Makes an automatic server stand in for one of `troika serve` that was killed.
void TakeUpSavedFlags(int home_fd, ServerOptions* options) {
  const auto flags = ReadSavedFlags(home_fd);
  if (!flags) return;
  absl::StatusOr<ServerOptions> saved = ReadServerOptions(*flags);
  // Another version of this program may have saved them.
  if (!saved.ok()) return;
  saved->origin = ServerLock::Origin::kAutomatic;
  saved->ready_fd = options->ready_fd;
  *options = *std::move(saved);
}

// Calls a function at regular intervals.
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

AccessOptions AccessOptionsOf(const ServerOptions& options) {
  AccessOptions access = {.hosts = options.hosts, .reach = options.reach};
  access.hosts.push_back(HostWithoutPort(options.host));
  if (options.reach == AccessOptions::Reach::kAnywhere) {
    char name[256] = "";
    if (gethostname(name, sizeof(name) - 1) == 0) {
      access.hosts.push_back(HostWithoutPort(name));
    }
  }
  return access;
}

// The state folder, which nobody else serves, and the files that it holds
// besides the tasks.
struct StateFolder {
  Home home;
  UniqueFd fd;
  ServerLock lock;
  Token token;
  std::unique_ptr<TaskIndex> index;
};

// All parts, in the order in which they need each other.
class Server {
 public:
  Server(const ServerOptions& options, const Environment& environment,
         StateFolder folder, EventLoop* loop, const std::string& relay_program)
      : options_(options),
        folder_(std::move(folder)),
        loop_(*loop),
        page_sessions_(folder_.home.path() + "/page_sessions", &clock_),
        access_(&folder_.token, &page_sessions_, AccessOptionsOf(options)),
        changes_(absl::ToUnixMicros(clock_.Now())),
        spare_relays_(&loop_, &pools_, relay_program),
        spare_folders_(&loop_, &pools_, &folder_.home),
        day_budget_(options.day_budget, &clock_, absl::LocalTimeZone()),
        hooks_({.loop = &loop_,
                .pools = &pools_,
                .clock = &clock_,
                .home = &folder_.home,
                .environment = &environment}),
        tasks_({.limits = options.limits,
                .max_queued = options.max_queued,
                .approval_timeout = options.approval_timeout,
                .budget = options.budget},
               {.loop = &loop_,
                .pools = &pools_,
                .clock = &clock_,
                .home = &folder_.home,
                .index = folder_.index.get(),
                .changes = &changes_,
                .relay_program = relay_program,
                .relays = &spare_relays_,
                .folders = &spare_folders_,
                .day_budget = &day_budget_,
                .hooks = &hooks_}),
        policy_(&tasks_, &folder_.home, environment),
        sessions_(&pools_, folder_.home.session_cache(), environment),
        uploads_(folder_.home.path() + "/uploads"),
        watch_(
            &changes_, &clock_, std::string(PageVersion()),
            [this](const std::string& id, WatchStreams::StreamCallback opened) {
              tasks_.open().GetStream(id, std::move(opened));
            }),
        api_tools_(
            {.loop = &loop_,
             .pools = &pools_,
             .tasks = &tasks_,
             .changes = &changes_,
             .access = &access_,
             .requests = &requests_,
             .home = &folder_.home,
             .sessions = &sessions_,
             .policy = &policy_,
             .mcp = &mcp_,
             .page_sessions = &page_sessions_,
             .watch = &watch_,
             .uploads = &uploads_,
             .hooks = &hooks_,
             .page_url = [this] { return PageUrl(); },
             .connections =
                 [this] { return static_cast<int64_t>(http_.connections()); }}),
        api_(api_tools_),
        http_(
            &loop_, {},
            [this](std::unique_ptr<http::Exchange> exchange) {
              end_.needed_at = clock_.Awake();
              api_.Handle(std::move(exchange));
            },
            [](int status, absl::string_view message) {
              return ErrorResponse(status, message);
            }) {
    for (const TaskStore::Spent& spent : folder_.index->TakeSpent()) {
      day_budget_.Add(spent.id, {spent.amount});
    }
    day_budget_.SetOnLevel([this] { tasks_.open().AdvanceSoon(); });
    http_.SetGate(
        [this](const http::Request& head) { return api_.Admit(head); });
  }

  absl::Status Run(absl::FunctionRef<void(const ServerReady&)> on_ready) {
    const StopSignals signals(&loop_, [this] { Stop(); });
    end_.needed_at = clock_.Awake();
    tasks_.Begin();
    hooks_.Begin();
    mcp_.Begin(&api_tools_);
    ASSIGN_OR_RETURN(const ServerReady ready, Listen());
    const Ticker heartbeats(&loop_, kHeartbeat, [this] {
      tasks_.open().streams().SendHeartbeats();
      changes_.viewers().SendHeartbeats();
      mcp_.SendHeartbeats();
    });
    const Ticker checks(&loop_, kCheck, [this] { CheckNeeded(); });
    const Ticker retain(&loop_, kRetain, [this] { Retain(); });
    Retain();
    started_timer_->SetIn(kStarted);
    on_ready(ready);
    loop_.Run();
    http_.Close();
    mcp_.Finish();
    // Nothing waits for a CLI that hangs.
    CancelCommands();
    tasks_.Finish();
    RemoveSavedFlags(folder_.fd.get());
    return end_.status;
  }

 private:
  // Whether we stand in for a server that was killed.
  bool stands_in() const {
    return options_.origin == ServerLock::Origin::kAutomatic &&
           options_.life == ServerOptions::Life::kUntilTold;
  }

  absl::Status ListenLocally() {
    ASSIGN_OR_RETURN(UniqueFd local,
                     ListenUnix(folder_.fd.get(), kServerSocket));
    http_.Listen(std::move(local), http::Peer::Kind::kUnix);
    socket_ = SocketThere();
    return absl::OkStatus();
  }

  // The device and the inode of the socket in the folder; zeros if there is
  // none.
  std::pair<dev_t, ino_t> SocketThere() const {
    struct stat info = {};
    if (fstatat(folder_.fd.get(), kServerSocket, &info, AT_SYMLINK_NOFOLLOW) !=
            0 ||
        !S_ISSOCK(info.st_mode)) {
      return {};
    }
    return {info.st_dev, info.st_ino};
  }

  // Listens again if somebody has removed the socket: nobody could reach this
  // server, and no other can take its place.
  void CheckSocket() {
    if (end_.stopping || SocketThere() == socket_) return;
    const absl::Status listening = ListenLocally();
    const std::string outcome =
        listening.ok() ? "listening again" : std::string(listening.message());
    if (std::exchange(socket_outcome_, outcome) == outcome && !listening.ok()) {
      return;
    }
    fprintf(stderr, "troika-server: %s was removed: %s\n", kServerSocket,
            outcome.c_str());
  }

  // Returns the address, as flags have it.
  std::string ListenOnTcp(UniqueFd socket, const std::string& host) {
    std::string address = HostAndPort(host, http::BoundPort(socket.get()));
    tcp_url_ = absl::StrCat("http://", address);
    http_.Listen(std::move(socket), http::Peer::Kind::kTcp);
    return address;
  }

  // The page's address in a browser of this machine. A server that was started
  // by a command listens on TCP from the first call on.
  absl::StatusOr<std::string> PageUrl() {
    if (tcp_url_.empty()) {
      if (options_.origin == ServerLock::Origin::kServe) {
        return absl::FailedPreconditionError(
            "this server listens on its socket alone: run `troika serve` "
            "without --listen none for the page");
      }
      auto tcp = http::ListenTcp(kPageHost, kPagePort);
      if (!tcp.ok()) tcp = http::ListenTcp(kPageHost, 0);
      RETURN_IF_ERROR(tcp.status());
      ListenOnTcp(*std::move(tcp), kPageHost);
      folder_.lock.SetUrl(tcp_url_);
    }
    if (options_.host != "0.0.0.0" && options_.host != "::") return tcp_url_;
    return absl::StrCat("http://localhost",
                        tcp_url_.substr(tcp_url_.rfind(':')));
  }

  absl::StatusOr<ServerReady> Listen() {
    RETURN_IF_ERROR(ListenLocally());
    ServerReady ready = {
        .url = absl::StrCat(folder_.home.path(), "/", kServerSocket)};
    std::vector<std::string> flags = options_.flags;
    std::string problem;
    if (!options_.host.empty()) {
      auto tcp = http::ListenTcp(options_.host, options_.port);
      if (!tcp.ok() && !stands_in()) return tcp.status();
      if (tcp.ok()) {
        const std::string address = ListenOnTcp(*std::move(tcp), options_.host);
        ready.url = tcp_url_;
        flags.push_back(absl::StrCat("--listen=", address));
      } else {
        problem = std::string(tcp.status().message());
      }
    }
    folder_.lock.SetUrl(ready.url);
    if (stands_in()) {
      ready.notice =
          problem.empty()
              ? absl::StrCat(
                    "the server was killed; another one with the same "
                    "flags has taken its place and serves ",
                    ready.url)
              : absl::StrCat(
                    "the server was killed; the one that has taken "
                    "its place is not reachable by TCP: ",
                    problem);
    } else if (options_.origin == ServerLock::Origin::kServe) {
      // Without them only the flags are lost, if this server is killed.
      SaveFlags(folder_.fd.get(), flags).IgnoreError();
    }
    return ready;
  }

  // Once per server: what was mapped later is in use.
  void ReleaseMemory() {
    const absl::Duration quiet = clock_.Awake() - end_.needed_at;
    if (quiet < kStarted) return started_timer_->SetIn(kStarted - quiet);
    ReleaseStartupMemory();
  }

  // Answers what is under way and ends the loop.
  void Stop() {
    if (std::exchange(end_.stopping, true)) return;
    StopSignals::StartDeadline();
    // From now on commands don't find this server, and start the next one,
    // which waits for our end.
    unlinkat(folder_.fd.get(), kServerSocket, 0);
    http_.Drain([this] { loop_.Stop(); });
    drain_timer_->SetIn(kDrain);
  }

  // Stops if the folder is gone, or if nobody needs this server any more, and
  // keeps it reachable.
  void CheckNeeded() {
    struct stat ours = {};
    struct stat there = {};
    if (fstat(folder_.fd.get(), &ours) == 0 &&
        (stat(folder_.home.path().c_str(), &there) != 0 ||
         there.st_ino != ours.st_ino || there.st_dev != ours.st_dev)) {
      end_.status = absl::NotFoundError(
          absl::StrCat("the folder ", folder_.home.path(), " is gone"));
      return Stop();
    }
    CheckSocket();
    hooks_.CheckConfig([] {});
    if (options_.life == ServerOptions::Life::kUntilTold) return;
    const absl::Time now = clock_.Awake();
    if (!tasks_.idle() || http_.connections() > 0 || !hooks_.idle()) {
      end_.needed_at = now;
    }
    if (now - end_.needed_at >= options_.idle_exit) Stop();
  }

  void Retain() {
    pools_.work.Run([this] { uploads_.RemoveExpired(absl::Now()); }, [] {});
    if (options_.keep_for == absl::InfiniteDuration() &&
        options_.keep_bytes == 0) {
      return;
    }
    clock_.FollowRealTime();
    tasks_.Retain({.ended_before = clock_.Now() - options_.keep_for,
                   .max_bytes = options_.keep_bytes});
  }

  const ServerOptions options_;
  SystemClock clock_;
  StateFolder folder_;
  EventLoop& loop_;
  PageSessions page_sessions_;
  Access access_;
  std::map<std::string, int64_t> requests_;  // By route.
  Changes changes_;
  SpareRelays spare_relays_;
  SpareFolders spare_folders_;
  DayBudget day_budget_;
  Hooks hooks_;
  Tasks tasks_;
  const CallerPolicy policy_;
  SessionIndex sessions_;
  const Uploads uploads_;
  WatchStreams watch_;
  McpService mcp_;
  const ApiTools api_tools_;
  Api api_;
  http::Server http_;
  std::string tcp_url_;             // Empty if we don't listen there.
  std::pair<dev_t, ino_t> socket_;  // SocketThere() when we began to listen.
  std::string socket_outcome_;  // Of the last CheckSocket() that found it gone.
  // Destroyed first, because its threads use the members above.
  Pools pools_{&loop_};
  const std::unique_ptr<EventLoop::Timer> drain_timer_ =
      loop_.NewTimer([this] { loop_.Stop(); });
  const std::unique_ptr<EventLoop::Timer> started_timer_ =
      loop_.NewTimer([this] { ReleaseMemory(); });
  // When and why the server ends.
  struct End {
    absl::Time needed_at;
    bool stopping = false;
    absl::Status status;
  } end_;
};

}  // namespace

absl::Status Serve(const ServerOptions& options, const Environment& environment,
                   absl::FunctionRef<void(const ServerReady&)> on_ready) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // A file size limit is handled like a full disk.
  RaiseDescriptors();
  ASSIGN_OR_RETURN(std::string relay_program, relay::FindRelayProgram());
  ASSIGN_OR_RETURN(Home home, Home::Open(environment));
  UniqueFd home_fd(
      open(home.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!home_fd.ok()) {
    return absl::ErrnoToStatus(errno, absl::StrCat("open ", home.path()));
  }
  RETURN_IF_ERROR(CheckNotBelowAgent(home.path(), environment,
                                     ReadAncestry(getpid()).processes));
  ASSIGN_OR_RETURN(ServerLock lock,
                   TakeServerLock(home.path(), home_fd.get(), options.origin));
  ServerOptions used = options;
  if (used.origin == ServerLock::Origin::kAutomatic) {
    TakeUpSavedFlags(home_fd.get(), &used);
  }
  if (used.demo == ServerOptions::Demo::kOn) EnableDemoHarness();
  EventLoop loop;
  ASSIGN_OR_RETURN(std::unique_ptr<TaskIndex> index,
                   TaskIndex::Open(&loop, home.path() + "/index.sqlite"));
  ASSIGN_OR_RETURN(Token token, Token::Open(home.path() + "/token"));
  Server server(used, environment,
                {.home = std::move(home),
                 .fd = std::move(home_fd),
                 .lock = std::move(lock),
                 .token = std::move(token),
                 .index = std::move(index)},
                &loop, relay_program);
  return server.Run(on_ready);
}

}  // namespace troika
