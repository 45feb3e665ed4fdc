// Tests the stream of everything that a page shows.
#include "server/watch_stream.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "relay/testing.h"
#include "testing/clocks.h"

namespace troika {
namespace {

using State = http::BodySource::State;

class WatchStreamTest : public testing::Test {
 protected:
  WatchStreamTest() {
    for (const char* id : {"t1", "t2"}) {
      folders_[id] = std::make_unique<TempFolder>();
      tasks_[id] = std::make_shared<TaskStream>(
          id, *EventFile::Open(folders_[id]->fd(), id));
      tasks_[id]->set_caught_up();
    }
  }
  void Write(const std::string& task, int64_t record,
             const std::string& json = "{}") {
    tasks_[task]->file().Add({.record = record}, [&](std::string* out) {
      absl::StrAppend(out, json);
    });
    tasks_[task]->Notify();
  }
  std::unique_ptr<http::BodySource> New(std::vector<WatchedFrom> watched = {},
                                        absl::string_view list = "") {
    return watch_.New(list, std::move(watched), http::Waker());
  }
  // What the stream sends until it has nothing more.
  static std::string Pull(http::BodySource& stream, size_t room = 100) {
    std::string all;
    for (int i = 0; i < 1000; ++i) {
      std::string out;
      const State state = stream.Fill(room, &out);
      all += out;
      if (state == State::kWait) return all;
      EXPECT_EQ(state, State::kMore);
      // Frames of different tasks alternate, so each must be whole.
      EXPECT_TRUE(absl::EndsWith(out, "\n\n")) << out;
    }
    ADD_FAILURE() << "no end";
    return all;
  }
  // The id that the first frame names.
  static std::string IdOf(const std::string& hello) {
    const std::string key = "\"stream\":\"";
    const size_t at = hello.find(key) + key.size();
    return hello.substr(at, hello.find('"', at) - at);
  }
  static int Count(const std::string& text, const std::string& part) {
    int count = 0;
    for (size_t at = text.find(part); at != std::string::npos;
         at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  std::map<std::string, std::unique_ptr<TempFolder>> folders_;
  std::map<std::string, std::shared_ptr<TaskStream>> tasks_;
  std::vector<std::pair<std::string, WatchStreams::StreamCallback>> slow_;
  bool is_slow_ = false;
  FakeClock clock_;
  Changes changes_{7};
  WatchStreams watch_{
      &changes_, &clock_, "page1",
      [this](const std::string& id, WatchStreams::StreamCallback opened) {
        if (is_slow_) {
          slow_.emplace_back(id, std::move(opened));
          return;
        }
        const auto task = tasks_.find(id);
        if (task == tasks_.end()) return opened(absl::NotFoundError("no task"));
        opened(task->second);
      }};
};

TEST_F(WatchStreamTest, GreetsThenTellsTheListAndTheTasks) {
  Write("t1", 1, "{\"taskId\":\"t1\"}");
  tasks_["t1"]->SetTask("{\"id\":\"t1\"}");
  const auto stream = New({{.task_id = "t1"}});
  const std::string text = Pull(*stream);
  EXPECT_TRUE(absl::StartsWith(text, "event: hello\ndata: {\"stream\":\""));
  EXPECT_TRUE(absl::StrContains(text, "\"page\":\"page1\"")) << text;
  EXPECT_TRUE(absl::EndsWith(text,
                             "event: ready\nid: 7.0\ndata: {}\n\n"
                             "id: 1.0\ndata: {\"taskId\":\"t1\"}\n\n"
                             "event: watch_ready\ndata: "
                             "{\"taskId\":\"t1\",\"lastEventId\":\"1.0\"}\n\n"
                             "event: watch_task\ndata: {\"id\":\"t1\"}\n\n"))
      << text;
  changes_.Add("t2", "{\"new\":1}");
  Write("t1", 2);
  EXPECT_EQ(Pull(*stream),
            "event: task\nid: 7.1\ndata: {\"new\":1}\n\n"
            "id: 2.0\ndata: {}\n\n");
  EXPECT_EQ(Pull(*stream), "");
}

TEST_F(WatchStreamTest, GoesOnWhereTheClientWas) {
  for (int i = 1; i <= 3; ++i) Write("t1", i);
  changes_.Add("a", "{}");
  changes_.Add("b", "{}");
  const auto stream =
      New({{.task_id = "t1", .from = {.after = {.record = 2}}}}, "7.1");
  const std::string text = Pull(*stream);
  EXPECT_FALSE(absl::StrContains(text, "id: 2.0\n")) << text;
  EXPECT_TRUE(absl::StrContains(text, "id: 3.0\n")) << text;
  EXPECT_EQ(Count(text, "event: task\n"), 1) << text;
  EXPECT_FALSE(absl::StrContains(text, "reset")) << text;
}

TEST_F(WatchStreamTest, APositionThatIsUnknownEndsTheWatch) {
  Write("t1", 1);
  const auto stream =
      New({{.task_id = "t1", .from = {.after = {.record = 9}}},
           {.task_id = "t2", .from = {.reset = ViewFrom::Reset::kYes}}},
          "6.1");
  const std::string text = Pull(*stream);
  EXPECT_TRUE(absl::StrContains(text, "event: reset\nid: 7.0\n")) << text;
  EXPECT_EQ(Count(text, "event: watch_reset\n"), 2) << text;
  EXPECT_FALSE(absl::StrContains(text, "id: 1.0\n")) << text;
  Write("t1", 2);
  EXPECT_EQ(Pull(*stream), "");
}

TEST_F(WatchStreamTest, WatchedTasksChangeWhileItIsOpen) {
  Write("t1", 1);
  Write("t2", 1);
  const auto stream = New({{.task_id = "t1"}});
  const std::string id = IdOf(Pull(*stream));
  ASSERT_TRUE(watch_.Change(id, {{.task_id = "t2"}}, {"t1"}).ok());
  EXPECT_TRUE(absl::StrContains(Pull(*stream), "\"taskId\":\"t2\""));
  Write("t1", 2);
  EXPECT_EQ(Pull(*stream), "");
  Write("t2", 2);
  EXPECT_EQ(Pull(*stream), "id: 2.0\ndata: {}\n\n");
  // Once more, from another position.
  ASSERT_TRUE(
      watch_
          .Change(id, {{.task_id = "t2", .from = {.after = {.record = 1}}}}, {})
          .ok());
  EXPECT_TRUE(absl::StartsWith(Pull(*stream), "id: 2.0\n"));
  EXPECT_EQ(watch_.Change("x", {}, {}).code(), absl::StatusCode::kNotFound);
}

TEST_F(WatchStreamTest, ATaskThatCantBeWatchedIsTold) {
  const auto stream = New({{.task_id = "none"}});
  EXPECT_TRUE(absl::StrContains(
      Pull(*stream),
      "event: watch_error\ndata: {\"taskId\":\"none\",\"code\":\"not_found\","
      "\"message\":\"no task\"}\n\n"));
}

TEST_F(WatchStreamTest, ATaskThatIsRemovedIsTold) {
  const auto stream = New({{.task_id = "t1"}});
  Pull(*stream);
  tasks_["t1"]->SetGone();
  EXPECT_EQ(Pull(*stream), "event: watch_gone\ndata: {\"taskId\":\"t1\"}\n\n");
  EXPECT_EQ(tasks_["t1"]->viewers().size(), 0u);
}

TEST_F(WatchStreamTest, OpeningLateDoesNotUndoWhatCameSince) {
  is_slow_ = true;
  auto stream = New({{.task_id = "t1"}});
  const std::string id = IdOf(Pull(*stream));
  ASSERT_TRUE(watch_.Change(id, {{.task_id = "t2"}}, {"t1"}).ok());
  ASSERT_EQ(slow_.size(), 2u);
  slow_[0].second(tasks_["t1"]);
  EXPECT_EQ(tasks_["t1"]->viewers().size(), 0u);
  stream.reset();
  slow_[1].second(tasks_["t2"]);
  EXPECT_EQ(tasks_["t2"]->viewers().size(), 0u);
  EXPECT_EQ(watch_.size(), 0u);
}

TEST_F(WatchStreamTest, TasksTakeTurns) {
  for (int i = 1; i <= 50; ++i) {
    Write("t1", i, std::string(60, '1'));
    Write("t2", i, std::string(60, '2'));
  }
  const auto stream = New({{.task_id = "t1"}, {.task_id = "t2"}});
  std::string out;
  for (int i = 0; i < 20; ++i) {
    std::string some;
    stream->Fill(100, &some);
    out += some;
  }
  EXPECT_GT(Count(out, "data: 1"), 3) << out;
  EXPECT_GT(Count(out, "data: 2"), 3) << out;
  out += Pull(*stream);
  EXPECT_EQ(Count(out, "data: 1"), 50);
  EXPECT_EQ(Count(out, "data: 2"), 50);
}

TEST_F(WatchStreamTest, AFrameLargerThanTheRoomIsSentWhole) {
  Write("t1", 1, std::string(1000, 'x'));
  Write("t1", 2);
  const auto stream = New({{.task_id = "t1"}});
  EXPECT_TRUE(absl::StrContains(Pull(*stream), std::string(1000, 'x')));
}

TEST_F(WatchStreamTest, HeartbeatsAreEvents) {
  const auto stream = New({{.task_id = "t1"}});
  Pull(*stream);
  const auto beat = [&] {
    // As the server does.
    tasks_["t1"]->viewers().SendHeartbeats();
    changes_.viewers().SendHeartbeats();
    return Pull(*stream);
  };
  EXPECT_EQ(beat(), "");  // Something was sent before.
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(absl::StartsWith(beat(), "event: heartbeat\ndata: {\"time\":"));
  }
}

TEST_F(WatchStreamTest, WatchesABoundedNumber) {
  const auto stream = New();
  const std::string id = IdOf(Pull(*stream));
  std::vector<WatchedFrom> many(WatchStreams::kMaxWatched + 1);
  for (size_t i = 0; i < many.size(); ++i) many[i].task_id = absl::StrCat(i);
  EXPECT_EQ(watch_.Change(id, many, {}).code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace troika
