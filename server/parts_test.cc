// The parts that need neither a task nor a request: order and options.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "server/open_tasks.h"
#include "server/options.h"
#include "server/start_queue.h"

namespace troika {
namespace {

absl::Time At(int seconds) { return absl::FromUnixSeconds(seconds); }

TEST(OpenTasksTest, OneProcessMayWaitForLong) {
  const absl::Time now = At(1000);
  const auto closed = [&](std::vector<int> waited, size_t max_idle) {
    std::vector<absl::Time> since;
    for (const int seconds : waited) since.push_back(At(1000 - seconds));
    return IdleToClose(since, max_idle, now);
  };
  EXPECT_EQ(closed({}, 10), 0);
  EXPECT_EQ(closed({5000}, 10), 0);
  EXPECT_EQ(closed({119, 5}, 10), 0);
  EXPECT_EQ(closed({120, 5}, 10), 1);
  EXPECT_EQ(closed({500, 400, 300}, 10), 2);
  EXPECT_EQ(closed({500, 40, 30}, 10), 1);
  EXPECT_EQ(closed({50, 40, 30}, 1), 2);
}

TEST(StartQueueTest, StartsInTheOrderOfAsking) {
  StartQueue queue({.running = 2});
  queue.Add("c", "codex", At(30));
  queue.Add("a", "codex", At(10));
  queue.Add("b", "codex", At(20));
  EXPECT_EQ(queue.Position("b"), 2);
  EXPECT_EQ(queue.Next(), "a");
  EXPECT_EQ(queue.Next(), "b");
  EXPECT_EQ(queue.Next(), std::nullopt);
  EXPECT_EQ(queue.Position("c"), 1);
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), "c");
  EXPECT_EQ(queue.waiting(), 0);
  EXPECT_EQ(queue.running(), 2);
}

TEST(StartQueueTest, AHarnessThatIsFullKeepsNobodyElseWaiting) {
  StartQueue queue({.running = 3, .running_of = {{"codex", 1}}});
  queue.Add("a", "codex", At(1));
  queue.Add("b", "codex", At(2));
  queue.Add("c", "claude", At(3));
  EXPECT_EQ(queue.Next(), "a");
  EXPECT_EQ(queue.Next(), "c");
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), "b");
}

TEST(StartQueueTest, WhatLivesCountsWhateverTheLimit) {
  StartQueue queue({.running = 1});
  queue.SetRunning("a", "codex");
  queue.SetRunning("b", "codex");
  queue.SetRunning("b", "codex");
  EXPECT_EQ(queue.running(), 2);
  queue.Add("c", "codex", At(1));
  queue.Add("a", "codex", At(1));
  EXPECT_FALSE(queue.IsWaiting("a"));
  queue.Remove("a");
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Remove("b");
  EXPECT_EQ(queue.Next(), "c");
}

TEST(StartQueueTest, PlacesAreKeptForTasksThatMustNotWait) {
  StartQueue queue({.running = 2, .running_of = {{"codex", 1}}});
  EXPECT_TRUE(queue.Reserve("p", "codex").ok());
  EXPECT_EQ(queue.Reserve("q", "codex").message(),
            "1 tasks of codex run already, the limit is 1: wait until one has "
            "ended, raise --max-running-per, or leave no_queue out");
  EXPECT_TRUE(queue.Reserve("q", "claude").ok());
  EXPECT_EQ(queue.Reserve("r", "claude"),
            absl::ResourceExhaustedError(
                "2 tasks run already, the limit is 2: wait until one has "
                "ended, raise --max-running, or leave no_queue out"));
  queue.Add("a", "codex", At(1));
  EXPECT_EQ(queue.Next(), std::nullopt);
  EXPECT_TRUE(queue.TakePlace("p", "b"));
  EXPECT_FALSE(queue.TakePlace("p", "c"));
  EXPECT_TRUE(queue.IsRunning("b"));
  EXPECT_EQ(queue.running(), 2);
  queue.Remove("q");
  EXPECT_EQ(queue.Next(), std::nullopt);
  queue.Remove("b");
  EXPECT_EQ(queue.Next(), "a");
}

TEST(StartQueueTest, PositionsAreRanksInALongQueue) {
  StartQueue queue({.running = 1, .running_of = {{"codex", 0}}});
  for (int i = 9999; i >= 0; --i) {
    queue.Add(absl::StrCat("t", i), i % 2 == 0 ? "codex" : "claude", At(i));
  }
  EXPECT_EQ(queue.Position("t0"), 1);
  EXPECT_EQ(queue.Position("t9999"), 10000);
  EXPECT_EQ(queue.Next(), "t1");
  EXPECT_EQ(queue.Position("t9999"), 9999);
  queue.Remove("t1");
  EXPECT_EQ(queue.Next(), "t3");
}

TEST(ServerOptionsTest, ReadsWhatIsGiven) {
  const auto options =
      ReadServerOptions({"--listen", "[::1]:0", "--demo", "--max-running", "3",
                         "--max-running-per", "codex=2", "--keep-bytes", "20G",
                         "--keep-for", "720h", "--host", "box"});
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->host, "::1");
  EXPECT_EQ(options->port, 0);
  EXPECT_EQ(options->demo, ServerOptions::Demo::kOn);
  EXPECT_EQ(options->limits.running, 3);
  EXPECT_EQ(options->limits.running_of.at("codex"), 2);
  EXPECT_EQ(options->keep_bytes, int64_t{20} << 30);
  EXPECT_EQ(options->keep_for, absl::Hours(720));
  EXPECT_TRUE(ReadServerOptions({"--listen", "none"})->host.empty());
  EXPECT_TRUE(
      ReadServerOptions({"--listen", "0.0.0.0:1", "--allow-remote"}).ok());
}

TEST(ServerOptionsTest, RefusesNonsense) {
  const std::vector<std::string> kBad[] = {{"--listen", "localhost"},
                                           {"--listen", "localhost:x"},
                                           {"--listen", "localhost:70000"},
                                           {"--listen", "0.0.0.0:1"},
                                           {"--max-running", "0"},
                                           {"--max-running", "x"},
                                           {"--max-running-per", "codex"},
                                           {"--max-running-per", "nobody=1"},
                                           {"--keep-bytes", "20X"},
                                           {"--keep-bytes", "99999999999T"},
                                           {"word"},
                                           {"--nothing"}};
  for (const std::vector<std::string>& args : kBad) {
    EXPECT_FALSE(ReadServerOptions(args).ok()) << args[0] << " " << args.back();
  }
}

}  // namespace
}  // namespace troika
