#include "base/event_loop.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/blocking.h"
#include "base/fd.h"
#include "base/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;

struct SocketPair {
  SocketPair() {
    int fds[2];
    EXPECT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds));
    near = UniqueFd(fds[0]);
    far = UniqueFd(fds[1]);
  }
  UniqueFd near, far;
};

TEST(EventLoopTest, RunsPostedTasksInOrderInLaterRounds) {
  EventLoop loop;
  std::vector<int> ran;
  loop.Post([&] {
    ran.push_back(1);
    loop.Post([&] {
      ran.push_back(3);
      loop.Stop();
    });
  });
  loop.Post([&] { ran.push_back(2); });
  EXPECT_THAT(ran, ElementsAre());
  loop.Run();
  EXPECT_THAT(ran, ElementsAre(1, 2, 3));
}

TEST(EventLoopTest, StopBeforeRunEndsIt) {
  EventLoop loop;
  bool ran = false;
  loop.Post([&] { ran = true; });
  loop.Stop();
  loop.Run();
  EXPECT_TRUE(ran);
}

TEST(EventLoopTest, PostsOfAllThreadsArrive) {
  EventLoop loop;
  const std::thread::id loop_thread = std::this_thread::get_id();
  constexpr int kThreads = 4, kPosts = 500;
  int count = 0;
  std::vector<int> last(kThreads, -1);
  bool in_order = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPosts; ++i) {
        loop.Post([&, t, i] {
          in_order = in_order && last[t] == i - 1 &&
                     std::this_thread::get_id() == loop_thread;
          last[t] = i;
          if (++count == kThreads * kPosts) loop.Stop();
        });
      }
    });
  }
  loop.Run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, kThreads * kPosts);
  EXPECT_TRUE(in_order);
}

TEST(EventLoopTest, MayEndWhileAThreadStillPosts) {
  for (int i = 0; i < 500; ++i) {
    auto loop = std::make_unique<EventLoop>();
    std::thread thread([&loop = *loop] { loop.Post([&] { loop.Stop(); }); });
    loop->Run();
    loop.reset();
    thread.join();
  }
}

TEST(EventLoopTest, TimersComeInTheirOrderAndMayBeReplacedOrCancelled) {
  EventLoop loop;
  std::vector<std::string> ran;
  auto late = loop.NewTimer([&] {
    ran.push_back("late");
    loop.Stop();
  });
  auto early = loop.NewTimer([&] { ran.push_back("early"); });
  auto replaced = loop.NewTimer([&] { ran.push_back("replaced"); });
  auto cancelled = loop.NewTimer([&] { ran.push_back("cancelled"); });
  late->SetIn(absl::Milliseconds(60));
  early->SetIn(absl::Milliseconds(20));
  replaced->SetIn(absl::Hours(1));
  replaced->SetIn(absl::ZeroDuration());
  cancelled->SetIn(-absl::Seconds(1));
  cancelled->Cancel();
  const absl::Time start = absl::Now();
  loop.Run();
  // The loop's clock has a resolution of some milliseconds.
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(50));
  EXPECT_THAT(ran, ElementsAre("replaced", "early", "late"));
}

TEST(EventLoopTest, TimerMaySetItselfAgainWithoutStarvingOthers) {
  EventLoop loop;
  int rounds = 0;
  std::unique_ptr<EventLoop::Timer> timer;
  timer = loop.NewTimer([&] {
    if (++rounds == 3) loop.Post([&] { loop.Stop(); });
    timer->SetIn(absl::ZeroDuration());
  });
  timer->SetIn(absl::InfiniteDuration());
  timer->SetIn(absl::ZeroDuration());
  loop.Run();
  EXPECT_GE(rounds, 3);
}

TEST(EventLoopTest, CallsForWhatIsWatchedOnly) {
  EventLoop loop;
  SocketPair sockets;
  std::vector<short> got;
  std::unique_ptr<EventLoop::Watch> watch;
  watch = loop.WatchFd(sockets.near.get(), 0, [&](short events) {
    got.push_back(events);
    if (events == POLLOUT) {
      watch->SetEvents(POLLIN);
      EXPECT_EQ(1, write(sockets.far.get(), "x", 1));
    } else if (got.size() == 3) {
      watch->SetEvents(0);
      loop.Stop();
    }
  });
  watch->SetEvents(POLLOUT);
  loop.Run();
  // POLLIN comes twice because nobody has read the byte.
  EXPECT_THAT(got, ElementsAre(POLLOUT, POLLIN, POLLIN));
}

TEST(EventLoopTest, HangUpCountsAsWhatIsWatched) {
  for (const short events : {POLLIN, POLLOUT}) {
    EventLoop loop;
    SocketPair sockets;
    sockets.far.Reset();
    short got = 0;
    auto watch = loop.WatchFd(sockets.near.get(), events, [&](short what) {
      got = what;
      loop.Stop();
    });
    loop.Run();
    EXPECT_EQ(got, events);
  }
}

TEST(EventLoopTest, CallbackMayDestroyItselfAndOthersThatAreReady) {
  EventLoop loop;
  SocketPair sockets;
  EXPECT_EQ(1, write(sockets.near.get(), "x", 1));
  EXPECT_EQ(1, write(sockets.far.get(), "x", 1));
  std::unique_ptr<EventLoop::Watch> watches[2];
  std::unique_ptr<EventLoop::Timer> timer;
  int calls = 0;
  for (auto& watch : watches) {
    const int fd = &watch == watches ? sockets.near.get() : sockets.far.get();
    // The captures of a callback must live until it returns.
    watch = loop.WatchFd(fd, POLLIN | POLLOUT,
                         [&, text = std::string(100, 'x')](short) {
                           ++calls;
                           watches[0].reset();
                           watches[1].reset();
                           EXPECT_EQ(text.size(), 100u);
                           timer->SetIn(absl::ZeroDuration());
                         });
  }
  timer = loop.NewTimer([&, text = std::string(100, 'x')] {
    timer.reset();
    EXPECT_EQ(text.size(), 100u);
    loop.Stop();
  });
  loop.Run();
  EXPECT_EQ(calls, 1);
}

#ifndef NDEBUG
TEST(EventLoopDeathTest, CallThatBlocksIsNamed) {
  EventLoop loop;
  AssertMayBlock("before the loop runs");
  loop.Post([] { AssertMayBlock("fdatasync"); });
  EXPECT_DEATH(loop.Run(), "event_loop_test.cc.*fdatasync may block");
}
#endif

TEST(EventLoopTest, ThreadsBesideTheLoopMayBlock) {
  EventLoop loop;
  ThreadPool pool(&loop, 1);
  pool.Run([] { AssertMayBlock("fdatasync"); }, [&] { loop.Stop(); });
  loop.Run();
  AssertMayBlock("after the loop");
}

TEST(ThreadPoolTest, DoneComesInTheLoopWithWhatTheJobReturned) {
  EventLoop loop;
  const std::thread::id loop_thread = std::this_thread::get_id();
  ThreadPool pool(&loop, 2);
  std::vector<std::unique_ptr<int>> results;
  for (int i = 0; i < 20; ++i) {
    pool.RunFor<std::unique_ptr<int>>(
        [loop_thread, i] {
          EXPECT_NE(std::this_thread::get_id(), loop_thread);
          return std::make_unique<int>(i);
        },
        [&](std::unique_ptr<int> result) {
          EXPECT_EQ(std::this_thread::get_id(), loop_thread);
          results.push_back(std::move(result));
          if (results.size() == 20) loop.Stop();
        });
  }
  loop.Run();
  int sum = 0;
  for (const auto& result : results) sum += *result;
  EXPECT_EQ(sum, 190);
}

TEST(ThreadPoolTest, JobsMayGiveJobsToAnotherPool) {
  EventLoop loop;
  ThreadPool second(&loop, 2);
  ThreadPool first(&loop, 2);
  std::atomic<int> ran = 0;
  int done = 0;
  const auto on_done = [&] {
    if (++done == 20) loop.Stop();
  };
  for (int i = 0; i < 10; ++i) {
    first.Run([&] { second.Run([&] { ++ran; }, on_done); }, on_done);
  }
  loop.Run();
  EXPECT_EQ(ran, 10);
}

TEST(ThreadPoolTest, EndDropsWhatHasNotBegunAndWaitsForWhatHas) {
  EventLoop loop;
  std::atomic<bool> begun = false;
  std::atomic<bool> dropped = false;
  std::atomic<bool> ended = false;
  bool second_ran = false;
  bool done_ran = false;
  {
    ThreadPool pool(&loop, 1);
    pool.Run(
        [&] {
          begun = true;
          while (!dropped) std::this_thread::yield();
          ended = true;
        },
        [&] { done_ran = true; });
    auto held = std::shared_ptr<void>(nullptr, [&](void*) { dropped = true; });
    pool.Run([&, held = std::move(held)] { second_ran = true; },
             [&] { done_ran = true; });
    while (!begun) std::this_thread::yield();
  }
  EXPECT_TRUE(ended);
  EXPECT_FALSE(second_ran);
  loop.Stop();
  loop.Run();
  EXPECT_FALSE(done_ran);
}

TEST(EventLoopTest, MeasuresTheLongestRound) {
  EventLoop loop;
  const auto busy_for = [](absl::Duration duration) {
    const absl::Time end = absl::Now() + duration;
    while (absl::Now() < end) {
    }
  };
  auto first = loop.NewTimer([&] { busy_for(absl::Milliseconds(3)); });
  auto second = loop.NewTimer([&] { loop.Stop(); });
  first->SetIn(absl::ZeroDuration());
  second->SetIn(absl::Milliseconds(1));
  loop.Run();
  EXPECT_GE(loop.TakeLongestHold(), absl::Milliseconds(3));
  // The longest hold is forgotten once it is taken, and waiting is not a hold.
  second->SetIn(absl::Milliseconds(20));
  loop.Run();
  EXPECT_LT(loop.TakeLongestHold(), absl::Milliseconds(20));
}

}  // namespace
}  // namespace troika
