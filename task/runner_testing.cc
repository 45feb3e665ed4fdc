#include "task/runner_testing.h"

#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "agent/registry.h"
#include "base/blocking.h"
#include "base/check.h"
#include "task/make.h"
#include "task/policy_judge.h"

namespace troika {
namespace {

namespace fs = std::filesystem;

constexpr absl::Duration kPatience = absl::Seconds(30);

}  // namespace

std::string FakeProgram(Harness harness) {
  return fs::absolute(absl::StrCat("testing/fake/fake_", HarnessId(harness)))
      .string();
}

std::string RelayProgram() {
  return fs::absolute("relay/troika-relay").string();
}

TestHome::TestHome() {
  fs::create_directories(path() + "/home");
  fs::create_directories(cwd());
  auto home = Home::Open(Environment({{"TROIKA_HOME", path() + "/troika"}}));
  CHECK(home.ok());
  home_ = std::make_unique<Home>(*std::move(home));
}

Environment TestHome::EnvironmentFor(Harness harness,
                                     absl::string_view script) const {
  const std::string file = path() + "/script";
  std::ofstream(file) << script;
  const std::string id = absl::AsciiStrToUpper(HarnessId(harness));
  return Environment(
      {{"PATH", "/usr/bin:/bin"},
       {"HOME", path() + "/home"},
       {absl::StrCat("TROIKA_", id, "_BIN"), FakeProgram(harness)},
       {"TROIKA_FAKE_SCRIPT", file},
       {"TROIKA_FAKE_STATE", path() + "/fake_state"},
       {"TROIKA_FAKE_TAG", absl::StrCat("tag:", path())}});
}

TestExecutor::~TestExecutor() {
  for (std::thread& thread : threads_) thread.join();
}

void TestExecutor::Run(absl::AnyInvocable<void()> work,
                       absl::AnyInvocable<void()> done) {
  {
    MutexLock lock(&mutex_);
    ++running_;
  }
  threads_.emplace_back(
      [this, work = std::move(work), done = std::move(done)]() mutable {
        work();
        work = nullptr;
        MutexLock lock(&mutex_);
        --running_;
        done_.push_back(std::move(done));
      });
}

bool TestExecutor::RunDone() {
  std::vector<absl::AnyInvocable<void()>> done;
  bool running = false;
  {
    MutexLock lock(&mutex_);
    done.swap(done_);
    running = running_ > 0;
  }
  for (auto& call : done) call();
  return running;
}

RunnerTools TestTask::Tools(const Options& options) {
  may_start_ = options.may_start;
  RunnerTools tools = {.clock = &clock_,
                       .relay_program = RelayProgram(),
                       .version_cache = home_->home().version_cache(),
                       .executor =
                           [this](absl::AnyInvocable<void()> work,
                                  absl::AnyInvocable<void()> done) {
                             executor_.Run(std::move(work), std::move(done));
                           },
                       .judge =
                           [home = &home_->home()](const PolicyCase& asked) {
                             return JudgeApproval(*home, asked);
                           },
                       .grace = options.grace,
                       .max_read = options.max_read,
                       .on_step =
                           [this] {
                             if (runner_)
                               states_[state().last_record] = state();
                           }};
  if (options.shared_budgets) tools.shared_budgets = options.shared_budgets;
  return tools;
}

absl::StatusOr<Cli> TestTask::FindCli(Harness harness,
                                      const Environment& environment) const {
  return FindCliOf(BackendOf(harness), ForAgents(environment),
                   home_->home().version_cache());
}

TestTask::TestTask(const TestHome* home, Options options) : home_(home) {
  TaskRequest request = std::move(options.request);
  request.harness = options.harness;
  if (request.prompt.empty()) request.prompt = "do it";
  if (request.cwd.empty()) request.cwd = home->cwd();
  Environment::Map env =
      home->EnvironmentFor(options.harness, options.script).variables();
  for (auto& [name, value] : options.env) env[name] = value;
  MakePathsAbsolute(&request);
  const Environment environment(std::move(env));
  auto made = MakeTask(home->home(), std::move(request), environment,
                       FindCli(options.harness, environment), &clock_);
  created_ = made.status();
  if (!made.ok()) return;
  absl::StatusOr<std::unique_ptr<Runner>> runner;
  if (options.may_start) {
    // Frees the log's lock, as for a task that waits.
    TaskFolder folder = MadeTask(*std::move(made)).folder;
    runner = Runner::Open(std::move(folder), Tools(options));
  } else {
    runner = Runner::Open(*std::move(made), Tools(options));
  }
  created_ = runner.status();
  if (runner.ok()) runner_ = *std::move(runner);
}

TestTask::TestTask(const TestHome* home, absl::string_view id) : home_(home) {
  auto folder = home->home().FindTask(id);
  CHECK(folder.ok());
  auto runner = Runner::Open(*std::move(folder), Tools(Options()));
  created_ = runner.status();
  if (runner.ok()) runner_ = *std::move(runner);
}

bool TestTask::Until(const std::function<bool()>& is_so) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (absl::Now() < deadline) {
    const bool works = executor_.RunDone();
    {
      const ScopedDisallowBlocking as_on_a_loop;
      advanced_ = runner_->Advance(
          [&](Message&& message) { messages_.push_back(std::move(message)); });
    }
    if (!advanced_.ok()) return false;
    if (runner_->waits_for_start() && (!may_start_ || may_start_())) {
      runner_->Start(FindCli(*state().harness, *runner_->environment()));
      continue;
    }
    if (is_so()) return true;
    std::vector<pollfd> fds = runner_->PollFds();
    const absl::Duration wait = absl::Milliseconds(works ? 1 : 50);
    poll(fds.data(), fds.size(),
         PollTimeout(std::min(runner_->wake_at() - clock_.Awake(), wait)));
  }
  return false;
}

bool TestTask::UntilRest() {
  return Until([&] { return runner_->at_rest(); });
}

bool TestTask::UntilStatus(TaskStatus status) {
  return Until([&] { return state().status == status; });
}

bool TestTask::UntilEnd() {
  return Until([&] {
    if (state().status == TaskStatus::kIdle) {
      runner_->CloseInput().IgnoreError();
    }
    return runner_->at_rest();
  });
}

}  // namespace troika
