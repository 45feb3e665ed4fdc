// Work that blocks, done elsewhere, whose result its owner picks up.
//
//   Later<absl::StatusOr<LogWriter>> log;
//   log.Start(executor, [dir = ...] { return LogWriter::Open(...); });
//   ...
//   if (auto opened = log.Take()) Use(*std::move(opened));
#ifndef TROIKA_TASK_LATER_H_
#define TROIKA_TASK_LATER_H_

#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"

namespace troika {

// Runs `work` on a thread that may block, and then `done` on the thread of the
// caller. If it is not set, both run at once.
using BlockingExecutor = absl::AnyInvocable<void(
    absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done)>;

// Not thread-safe. It may be destroyed while the work runs, which must own all
// that it uses; its result is then dropped.
template <typename T>
class Later {
 public:
  // Nothing may be running, and the last result must have been taken.
  void Start(BlockingExecutor* /*nullable*/ executor,
             absl::AnyInvocable<T()> work) {
    shared_ = std::make_shared<Shared>();
    auto run = [shared = shared_, work = std::move(work)]() mutable {
      shared->result.emplace(work());
    };
    auto done = [shared = shared_] { shared->done = true; };
    if (executor != nullptr && *executor) {
      (*executor)(std::move(run), std::move(done));
    } else {
      run();
      done();
    }
  }

  // The work has not ended.
  bool running() const { return shared_ != nullptr && !shared_->done; }
  // Started, and not taken yet.
  bool busy() const { return shared_ != nullptr; }
  // The result, once, when the work has ended.
  std::optional<T> Take() {
    if (shared_ == nullptr || !shared_->done) return std::nullopt;
    return std::move(std::exchange(shared_, nullptr)->result);
  }

 private:
  struct Shared {
    // Written by the work, and read only when it is done.
    std::optional<T> result;
    bool done = false;
  };

  // Shared with the work, which may outlive us.
  std::shared_ptr<Shared> shared_;
};

}  // namespace troika

#endif  // TROIKA_TASK_LATER_H_
