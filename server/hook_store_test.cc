#include "server/hook_store.h"

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

absl::Time At(int seconds) { return absl::FromUnixSeconds(1000 + seconds); }

class HookStoreTest : public testing::Test {
 protected:
  HookStore Open() {
    return HookStore(Path(),
                     [](const std::string& task) { return task != "gone"; });
  }
  std::string Path() { return folder_.Path("hooks.v1"); }
  static NoticedHookEvent Event(std::string task, int64_t record,
                                std::vector<std::string> hooks = {"a"}) {
    return {.id = absl::StrCat(task, "-", record),
            .task = task,
            .at = {record, 0},
            .event = "done",
            .hooks = std::move(hooks),
            .body = "{\"text\":\"x\\n\"}"};
  }
  static std::vector<std::string> Pending(const HookStore& store) {
    std::vector<std::string> all;
    for (const auto& [key, delivery] : store.pending()) {
      all.push_back(absl::StrCat(key.first, " ", key.second, " ",
                                 delivery.attempts, " ", delivery.error));
    }
    return all;
  }

  TempFolder folder_;
};

TEST_F(HookStoreTest, RemembersWhatWasToldAndWhatWasNot) {
  {
    HookStore store = Open();
    store.SetHooks({{"a", "done"}, {"b", "done"}}, At(0));
    store.Notice({Event("t", 3, {"a", "b"}), Event("t", 5)}, At(1));
    store.RecordDelivery({"t-3", "a"});
    store.RecordFailure({"t-3", "b"}, "down", At(9));
    store.GiveUp({"t-5", "a"}, "too late");
  }
  HookStore store = Open();
  EXPECT_THAT(Pending(store), ElementsAre("t-3 b 1 down"));
  const HookDelivery& delivery = store.pending().begin()->second;
  EXPECT_EQ(*delivery.body, "{\"text\":\"x\\n\"}");
  EXPECT_EQ(delivery.next, At(9));
  EXPECT_EQ(delivery.noticed, At(1));
  ASSERT_THAT(store.given_up(), SizeIs(1));
  EXPECT_EQ(store.given_up()[0].error, "too late");
  EXPECT_TRUE(store.IsNoticed("t", {5, 0}));
  EXPECT_TRUE(store.IsNoticed("t", {4, 0}));
  EXPECT_FALSE(store.IsNoticed("t", {5, 1}));
  EXPECT_FALSE(store.IsNoticed("u", {1, 0}));
  EXPECT_EQ(store.Since("a"), At(0));
  EXPECT_EQ(store.problem(), "");
}

TEST_F(HookStoreTest, AHookCountsFromWhenItWasConfigured) {
  HookStore store = Open();
  store.SetHooks({{"a", "done"}}, At(0));
  store.SetHooks({{"a", "done"}, {"b", "done"}}, At(10));
  EXPECT_EQ(store.Since("a"), At(0));
  EXPECT_EQ(store.Since("b"), At(10));
  store.SetHooks({{"a", "done,failed"}, {"b", "done"}}, At(20));
  EXPECT_EQ(store.Since("a"), At(20)) << "it is to be told of other events";
  store.SetHooks({{"a", "done,failed"}}, At(30));
  store.ForgetGone(At(30) + kGoneHookPatience);
  EXPECT_EQ(store.Since("b"), absl::InfiniteFuture());
  store.SetHooks({{"a", "done,failed"}}, At(5));
  EXPECT_EQ(store.Since("a"), At(5)) << "the clock was set back";
}

TEST_F(HookStoreTest, DeliveriesToAHookThatIsGoneAreGivenUp) {
  HookStore store = Open();
  store.SetHooks({{"a", "x"}, {"b", "x"}}, At(0));
  store.Notice({Event("t", 1, {"a", "b"})}, At(1));
  store.SetHooks({{"b", "x"}}, At(2));
  store.ForgetGone(At(3));
  EXPECT_THAT(store.given_up(), SizeIs(0)) << "it may come back";
  store.ForgetGone(At(2) + kGoneHookPatience);
  EXPECT_THAT(Pending(store), ElementsAre("t-1 b 0 "));
  ASSERT_THAT(store.given_up(), SizeIs(1));
  EXPECT_EQ(store.given_up()[0].hook, "a");
}

TEST_F(HookStoreTest, OneTaskDoesNotPushOutOthers) {
  HookStore store = Open();
  store.SetHooks({{"a", "x"}}, At(0));
  store.Notice({Event("quiet", 1)}, At(1));
  for (int i = 1; i <= 3; ++i) {
    std::vector<NoticedHookEvent> events;
    for (int j = 0; j < 3000; ++j) {
      events.push_back(Event("loud", i * 10000 + j));
    }
    store.Notice(events, At(1 + i));
  }
  EXPECT_EQ(store.pending().size(), kMaxPendingOfTask + 1);
  EXPECT_EQ(store.pending().count({"quiet-1", "a"}), 1);
}

TEST_F(HookStoreTest, ATornEndLosesNothingElse) {
  {
    HookStore store = Open();
    store.SetHooks({{"a", "x"}}, At(0));
    store.Notice({Event("t", 1)}, At(1));
  }
  std::string whole = folder_.Read("hooks.v1");
  for (size_t cut = 0; cut <= 20; ++cut) {
    folder_.Write("hooks.v1",
                  absl::StrCat(whole, std::string("{\"kind\":\"delivered\",\"id"
                                                  "\":\"t-1\",\"hook\":\"a\"}")
                                          .substr(0, cut)));
    {
      HookStore store = Open();
      EXPECT_THAT(Pending(store), ElementsAre("t-1 a 0 ")) << cut;
      store.Notice({Event("u", 2)}, At(2));
    }
    HookStore store = Open();
    EXPECT_THAT(Pending(store), ElementsAre("t-1 a 0 ", "u-2 a 0 ")) << cut;
  }
}

TEST_F(HookStoreTest, GarbageIsLeftOut) {
  folder_.Write(
      "hooks.v1",
      absl::StrCat("\xff\xfe nonsense\n[1,2]\n{}\n{\"kind\":\"event\"}\n"
                   "{\"kind\":\"seen\",\"task\":7,\"at\":\"x\"}\n"
                   "{\"kind\":\"tried\",\"attempts\":-5}\n",
                   std::string(100, '\0'),
                   "\n{\"kind\":\"given_up\",\"time\":[]}\n"
                   "{\"kind\":\"hook\",\"hook\":\"a\",\"filter\":\"x\","
                   "\"time\":\"1970-01-01T00:16:40Z\"}\n"));
  HookStore store = Open();
  EXPECT_EQ(store.Since("a"), At(0));
  EXPECT_THAT(Pending(store), IsEmpty());
  EXPECT_EQ(store.problem(), "");
}

TEST_F(HookStoreTest, TasksThatAreGoneAreForgotten) {
  {
    HookStore store = Open();
    store.Notice({Event("gone", 1)}, At(0));
    store.Notice({Event("t", 1)}, At(0));
  }
  HookStore store = Open();
  EXPECT_FALSE(store.IsNoticed("gone", {1, 0}));
  EXPECT_TRUE(store.IsNoticed("t", {1, 0}));
  EXPECT_THAT(Pending(store), SizeIs(2)) << "they are still to be told";
}

TEST_F(HookStoreTest, TheFileAndTheQueueAreBounded) {
  HookStore store = Open();
  store.SetHooks({{"a", "x"}}, At(0));
  for (int i = 0; i < 6000; ++i) {
    const std::string task = absl::StrCat("t", 1 + i);
    store.Notice({Event(task, 1)}, At(i));
    if (i < 1000) store.RecordDelivery({absl::StrCat(task, "-1"), "a"});
  }
  EXPECT_EQ(store.pending().size(), 5000);
  for (int i = 0; i < 10000; ++i) {
    store.RecordFailure({"t6000-1", "a"}, "down", At(i));
  }
  EXPECT_LT(folder_.Read("hooks.v1").size(), size_t{6} << 20);
  store.Notice({Event("u", 1)}, At(7000));
  EXPECT_EQ(store.pending().size(), kMaxPendingHooks);
  ASSERT_EQ(store.given_up().size(), 1);
  EXPECT_EQ(store.given_up()[0].id, "t1001-1");
  EXPECT_EQ(store.counts().at("a").given_up, 1);
  EXPECT_EQ(store.counts().at("a").delivered, 1000);
}

TEST_F(HookStoreTest, AFolderThatCantBeWrittenIsAProblemThatPasses) {
  HookStore store(folder_.Path("missing/hooks.v1"),
                  [](const std::string&) { return true; });
  EXPECT_EQ(store.problem(), "") << "there are no hooks";
  store.SetHooks({{"a", "x"}}, At(0));
  EXPECT_NE(store.problem(), "");
  store.Notice({Event("t", 1)}, At(1));
  EXPECT_THAT(Pending(store), SizeIs(1));
  folder_.Write("missing/other", "");
  store.Retry();
  EXPECT_EQ(store.problem(), "");
  HookStore again(folder_.Path("missing/hooks.v1"),
                  [](const std::string&) { return true; });
  EXPECT_THAT(Pending(again), SizeIs(1));
}

}  // namespace
}  // namespace troika
