// For tests of runners: tasks on fake CLIs, through the real relay.
#ifndef TROIKA_TASK_RUNNER_TESTING_H_
#define TROIKA_TASK_RUNNER_TESTING_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agent/discovery/environment.h"
#include "agent/harness.h"
#include "agent/message.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "relay/testing.h"
#include "task/home.h"
#include "task/runner.h"
#include "testing/clocks.h"

namespace troika {

// A state folder with a home folder and a working folder of its own.
class TestHome {
 public:
  TestHome();

  const Home& home() const { return *home_; }
  const std::string& path() const { return folder_.path(); }
  std::string cwd() const { return path() + "/work"; }
  // What an agent of that harness runs with: the fake in place of the CLI, and
  // the script that it plays.
  Environment EnvironmentFor(Harness harness, absl::string_view script) const;

 private:
  TempFolder folder_;
  std::unique_ptr<Home> home_;
};

// Runs what blocks on threads of its own, as a server does.
class TestExecutor {
 public:
  ~TestExecutor();
  void Run(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done);
  // Calls `done` of all work that has ended. Whether some is still running.
  bool RunDone();

 private:
  Mutex mutex_;
  std::vector<absl::AnyInvocable<void()>> done_ ABSL_GUARDED_BY(mutex_);
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::thread> threads_;
};

// A task, driven by the test's own thread, which never blocks.
class TestTask {
 public:
  struct Options {
    Harness harness = Harness::kCodex;
    std::string script;
    TaskRequest request;   // Prompt and cwd are filled in where they are empty.
    Environment::Map env;  // More variables.
    absl::Duration grace = absl::Milliseconds(300);
    int64_t max_read = int64_t{1} << 20;
    std::function<bool()> may_start;  // Unset: always.
    std::function<std::vector<notes::BudgetAmount>()> shared_budgets;
  };
  // `home` is borrowed.
  TestTask(const TestHome* home, Options options);
  // Takes up a task that is there.
  TestTask(const TestHome* home, absl::string_view id);

  const absl::Status& created() const { return created_; }
  Runner& runner() { return *runner_; }
  const TaskState& state() const { return runner_->state(); }
  // The text of the last turn's result.
  std::string Answer() const {
    return state().result ? state().result->text : "";
  }
  AdvancingClock& clock() { return clock_; }
  const std::vector<Message>& messages() const { return messages_; }

  // Status of the last Advance().
  const absl::Status& advanced() const { return advanced_; }
  // The state after each record that the runner has read.
  const std::map<int64_t, TaskState>& states() const { return states_; }

  // Drives it until `is_so`, or for 30 s: then false.
  bool Until(const std::function<bool()>& is_so);
  bool UntilRest();
  bool UntilStatus(TaskStatus status);
  // As UntilRest, but a process that waits for input is told that none comes.
  bool UntilEnd();

  template <typename P>
  std::vector<P> All() const {
    std::vector<P> found;
    for (const Message& message : messages_) {
      if (const P* p = std::get_if<P>(&message.payload)) found.push_back(*p);
    }
    return found;
  }

 private:
  RunnerTools Tools(const Options& options);
  absl::StatusOr<Cli> FindCli(Harness harness,
                              const Environment& environment) const;

  const TestHome* const home_;
  AdvancingClock clock_;
  TestExecutor executor_;
  absl::Status created_;
  std::unique_ptr<Runner> runner_;
  std::function<bool()> may_start_;
  std::vector<Message> messages_;
  std::map<int64_t, TaskState> states_;
  absl::Status advanced_;
};

std::string FakeProgram(Harness harness);
std::string RelayProgram();

}  // namespace troika

#endif  // TROIKA_TASK_RUNNER_TESTING_H_
