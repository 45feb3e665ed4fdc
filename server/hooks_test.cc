#include "server/hooks.h"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kPhone[] =
    "[hook.phone]\non = [\"done\", \"asking\"]\nurl = \"http://h\"\n";

class FakeClock : public Clock {
 public:
  absl::Time Now() override { return now; }
  absl::Time now = absl::FromUnixSeconds(1700000000);
};

class HooksTest : public testing::Test {
 protected:
  HooksTest()
      : environment_({{"XDG_CONFIG_HOME", folder_.Path("config")},
                      {"TROIKA_HOME", folder_.Path("home")}}),
        home_(*Home::Open(environment_)) {
    std::filesystem::create_directories(home_.TaskPath("t"));
  }

  void Configure(std::string text) {
    folder_.Write("config/troika/config.toml", text, ++written_);
  }
  void Open() {
    hooks_.reset();
    hooks_ = std::make_unique<Hooks>(
        HookTools{.loop = &loop_,
                  .pools = &pools_,
                  .clock = &clock_,
                  .home = &home_,
                  .environment = &environment_,
                  .try_hook = [this](const HookAttempt& attempt) {
                    return Try(attempt);
                  }});
  }
  HookOutcome Try(const HookAttempt& attempt) {
    MutexLock lock(&mutex_);
    tried_.push_back(absl::StrCat(attempt.name, " ", attempt.id));
    return outcomes_[attempt.name];
  }
  void SetOutcome(const std::string& hook, HookOutcome outcome) {
    MutexLock lock(&mutex_);
    outcomes_[hook] = std::move(outcome);
  }
  std::vector<std::string> TakeTried() {
    MutexLock lock(&mutex_);
    return std::exchange(tried_, {});
  }
  void Notice(int64_t record, std::string event = "done",
              std::string harness = "codex") {
    const absl::Time at = clock_.now;
    FoundHookEvent found = {.at = {record, 0}, .time = at, .cwd = "/src/app"};
    found.told.set_id(absl::StrCat("t-", record));
    found.told.set_event(event);
    found.told.mutable_task()->set_harness(harness);
    hooks_->Notice("t", {found});
  }
  // Lets the loop run until the condition holds.
  void Until(std::function<bool()> condition) {
    std::unique_ptr<EventLoop::Timer> poll;
    int left = 4000;
    poll = loop_.NewTimer([&] {
      if (condition() || --left == 0) return loop_.Stop();
      poll->SetIn(absl::Milliseconds(5));
    });
    poll->SetIn(absl::ZeroDuration());
    loop_.Run();
    EXPECT_GT(left, 0) << "waited too long";
  }
  int attempts() const {
    int sum = 0;
    for (const auto& [key, delivery] : hooks_->store().pending()) {
      sum += delivery.attempts;
    }
    return sum;
  }

  TempFolder folder_;
  const Environment environment_;
  Home home_;
  FakeClock clock_;
  EventLoop loop_;
  int64_t written_ = 1000000000;
  Mutex mutex_;
  std::vector<std::string> tried_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, HookOutcome> outcomes_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Hooks> hooks_;
  Pools pools_{&loop_};
};

TEST_F(HooksTest, TellsWhatIsWantedOnce) {
  Configure(absl::StrCat(kPhone,
                         "[hook.codex]\ncommand = [\"x\"]\non = [\"done\"]\n"
                         "harness = \"codex\"\nfolder = \"/src\"\n"
                         "[hook.other]\ncommand = [\"x\"]\n"
                         "folder = \"/src/ap\"\n"));
  Open();
  Notice(1, "failed");
  Notice(2);
  Notice(2);
  Notice(3, "done", "claude");
  Until([&] { return hooks_->idle(); });
  std::vector<std::string> tried = TakeTried();
  std::sort(tried.begin(), tried.end());
  EXPECT_THAT(tried, ElementsAre("codex t-2", "phone t-2", "phone t-3"));
  Open();
  Notice(2);
  EXPECT_TRUE(hooks_->idle()) << "it is remembered";
}

TEST_F(HooksTest, RetriesWithTheSameIdAndGivesUpAfterADay) {
  Configure(kPhone);
  Open();
  SetOutcome("phone", {.status = absl::UnavailableError("down")});
  Notice(7);
  const absl::Time noticed = clock_.now;
  Until([&] { return attempts() == 1; });
  for (int i = 2; clock_.now < noticed + absl::Hours(23); ++i) {
    // Another server may have taken over.
    if (i == 5) Open();
    const HookDelivery& delivery = hooks_->store().pending().begin()->second;
    EXPECT_GE(delivery.next - clock_.now, HookBackoff(i - 1, 0));
    EXPECT_LE(delivery.next - clock_.now, HookBackoff(i - 1, 1));
    clock_.now = std::max(delivery.next, clock_.now + absl::Minutes(1));
    hooks_->Begin();
    Until([&] { return attempts() == i; });
  }
  for (const std::string& tried : TakeTried()) EXPECT_EQ(tried, "phone t-7");
  clock_.now = noticed + absl::Hours(25);
  hooks_->Begin();
  Until([&] { return hooks_->idle(); });
  const v1::ListHooksResponse list = hooks_->List();
  ASSERT_EQ(list.deliveries_size(), 1);
  EXPECT_TRUE(list.deliveries(0).given_up());
  EXPECT_EQ(list.deliveries(0).error(), "down");
  EXPECT_EQ(list.hooks(0).given_up(), 1);
  EXPECT_EQ(list.hooks(0).target(), "http://h/…");
}

TEST_F(HooksTest, TheReceiverMayAskForMoreTime) {
  Configure(kPhone);
  Open();
  SetOutcome("phone", {.status = absl::UnavailableError("busy"),
                       .retry_after = absl::Minutes(20)});
  Notice(1);
  Until([&] { return attempts() == 1; });
  EXPECT_EQ(hooks_->store().pending().begin()->second.next - clock_.now,
            absl::Minutes(20));
}

TEST_F(HooksTest, AHookThatFailsIsTriedWithOneEventAtATime) {
  Configure(kPhone);
  Open();
  SetOutcome("phone", {.status = absl::UnavailableError("down")});
  Notice(1);
  Until([&] { return attempts() == 1; });
  for (int i = 2; i <= 50; ++i) Notice(i);
  clock_.now += absl::Minutes(2);
  hooks_->Begin();
  Until([&] { return attempts() == 2; });
  EXPECT_THAT(TakeTried(), SizeIs(2));
  SetOutcome("phone", {});
  clock_.now += absl::Minutes(2);
  hooks_->Begin();
  Until([&] { return hooks_->idle(); });
  EXPECT_THAT(TakeTried(), SizeIs(50));
}

TEST_F(HooksTest, WhatHappenedBeforeIsNotTold) {
  Open();
  EXPECT_EQ(hooks_->news_after(), absl::InfiniteFuture());
  Configure(kPhone);
  Until([&] {
    hooks_->CheckConfig([] {});
    return hooks_->List().hooks_size() == 1;
  });
  EXPECT_EQ(hooks_->news_after(), clock_.now);
  clock_.now -= absl::Seconds(1);
  Notice(1);
  EXPECT_TRUE(hooks_->idle());
  clock_.now += absl::Seconds(1);
  Notice(2);
  EXPECT_FALSE(hooks_->idle());
  Until([&] { return hooks_->idle(); });
}

TEST_F(HooksTest, ABrokenConfigurationChangesNothing) {
  Configure(kPhone);
  Open();
  Configure("[hook.phone]\n");
  bool checked = false;
  hooks_->CheckConfig([&] { checked = true; });
  Until([&] { return checked; });
  const v1::ListHooksResponse list = hooks_->List();
  EXPECT_THAT(list.config_error(), HasSubstr("config.toml:1: [hook.phone]"));
  EXPECT_EQ(list.hooks_size(), 1);
  Notice(1);
  Until([&] { return hooks_->idle(); });
  EXPECT_THAT(TakeTried(), ElementsAre("phone t-1"));
}

TEST_F(HooksTest, AServerThatStartsWithABrokenOneKeepsWhatIsToBeTold) {
  Configure(kPhone);
  Open();
  SetOutcome("phone", {.status = absl::UnavailableError("down")});
  Notice(1);
  Until([&] { return attempts() == 1; });
  Configure("[hook");
  Open();
  hooks_->Begin();
  EXPECT_FALSE(hooks_->idle());
  Configure(kPhone);
  SetOutcome("phone", {});
  clock_.now += absl::Minutes(1);
  hooks_->CheckConfig([] {});
  Until([&] { return hooks_->idle(); });
}

TEST_F(HooksTest, EventsWaitForABrokenConfigurationToBeMended) {
  Configure(kPhone);
  Open();
  Configure("[hook");
  Open();
  clock_.now += absl::Seconds(1);
  Notice(1);
  Notice(2, "failed");
  hooks_->Test("phone", [](const absl::StatusOr<v1::TestHookResponse>& said) {
    EXPECT_EQ(said.status().code(), absl::StatusCode::kFailedPrecondition);
  });
  EXPECT_THAT(TakeTried(), IsEmpty());
  Configure(kPhone);
  hooks_->CheckConfig([] {});
  Until([&] { return hooks_->idle(); });
  EXPECT_THAT(TakeTried(), ElementsAre("phone t-1"));
}

TEST_F(HooksTest, AConfigurationThatIsGoneForAMomentLosesNothing) {
  Configure(kPhone);
  Open();
  const absl::Time since = hooks_->news_after();
  SetOutcome("phone", {.status = absl::UnavailableError("down")});
  Notice(1);
  Until([&] { return attempts() == 1; });
  Configure("");
  clock_.now += absl::Seconds(30);
  Until([&] {
    hooks_->CheckConfig([] {});
    return hooks_->List().hooks_size() == 0;
  });
  EXPECT_FALSE(hooks_->idle());
  Configure(kPhone);
  SetOutcome("phone", {});
  hooks_->CheckConfig([] {});
  Until([&] { return hooks_->idle(); });
  EXPECT_EQ(hooks_->news_after(), since);
  EXPECT_THAT(hooks_->store().given_up(), IsEmpty());
}

TEST_F(HooksTest, AHookThatIsMendedIsTriedAtOnce) {
  Configure(kPhone);
  Open();
  SetOutcome("phone", {.status = absl::UnavailableError("busy"),
                       .retry_after = absl::Minutes(10)});
  Notice(1);
  Until([&] { return attempts() == 1; });
  SetOutcome("phone", {});
  Configure(absl::StrCat(kPhone, "timeout = \"5s\"\n"));
  hooks_->CheckConfig([] {});
  Until([&] { return hooks_->idle(); });
}

TEST_F(HooksTest, TheNewestConfigurationWins) {
  Configure(kPhone);
  Open();
  std::string large(200'000, '\n');
  Configure(absl::StrCat(large, "[hook.old]\ncommand = [\"x\"]\n"));
  int told = 0;
  hooks_->CheckConfig([&] { ++told; });
  Configure("[hook.new]\ncommand = [\"x\"]\n");
  for (int i = 0; i < 5; ++i) {
    hooks_->CheckConfig([&] {
      ++told;
      EXPECT_EQ(hooks_->List().hooks(0).name(), "new");
    });
  }
  Until([&] { return told == 6; });
}

TEST_F(HooksTest, AHookThatHangsHoldsNoOther) {
  Configure("[hook.a]\ncommand = [\"x\"]\n[hook.b]\ncommand = [\"x\"]\n");
  absl::Notification release;
  hooks_ = std::make_unique<Hooks>(
      HookTools{.loop = &loop_,
                .pools = &pools_,
                .clock = &clock_,
                .home = &home_,
                .environment = &environment_,
                .try_hook = [&](const HookAttempt& attempt) {
                  if (attempt.name == "a") release.WaitForNotification();
                  return Try(attempt);
                }});
  for (int i = 1; i <= 20; ++i) Notice(i);
  Until([&] { return hooks_->store().pending().size() == 20; });
  EXPECT_THAT(TakeTried(), SizeIs(20));
  release.Notify();
  Until([&] { return hooks_->idle(); });
}

TEST_F(HooksTest, ATestSaysWhatCameOfIt) {
  Configure(kPhone);
  Open();
  v1::TestHookResponse told;
  const auto test = [&] {
    bool done = false;
    hooks_->Test("phone", [&](absl::StatusOr<v1::TestHookResponse> response) {
      told = *response;
      done = true;
    });
    Until([&] { return done; });
  };
  test();
  EXPECT_TRUE(told.delivered());
  SetOutcome("phone", {.status = absl::UnavailableError("down")});
  test();
  EXPECT_FALSE(told.delivered());
  EXPECT_EQ(told.error(), "down");
  EXPECT_TRUE(hooks_->idle()) << "it is not tried again";
  hooks_->Test("x", [](const absl::StatusOr<v1::TestHookResponse>& response) {
    EXPECT_THAT(std::string(response.status().message()),
                HasSubstr("there are: phone"));
  });
}

}  // namespace
}  // namespace troika
