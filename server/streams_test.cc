#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/clock.h"
#include "gtest/gtest.h"
#include "relay/log_writer.h"
#include "relay/testing.h"
#include "server/changes.h"
#include "server/event_file.h"
#include "server/task_stream.h"

namespace troika {
namespace {

const std::string kHello =
    absl::StrCat("event: hello\ndata: {\"parser\":", kParserVersion, "}\n\n");

using State = http::BodySource::State;

std::unique_ptr<EventFile> OpenFile(const TempFolder& folder,
                                    absl::string_view task = "t1") {
  auto file = EventFile::Open(folder.fd(), task);
  EXPECT_TRUE(file.ok()) << file.status();
  return *std::move(file);
}

void Add(EventFile& file, int64_t record, absl::string_view data = "{}") {
  file.Add({.record = record, .index = 0},
           [&](std::string* out) { absl::StrAppend(out, data); });
}

std::string All(const EventFile& file, int64_t from) {
  std::string text;
  while (true) {
    const auto n = file.Read(from, 1000, &text);
    EXPECT_TRUE(n.ok()) << n.status();
    if (!n.ok() || *n == 0) return text;
    from += static_cast<int64_t>(*n);
  }
}

TEST(EventIdTest, OnlyTwoNumbersAreAnId) {
  EXPECT_EQ(ParseEventId("12.3"), (EventId{.record = 12, .index = 3}));
  for (const char* bad :
       {"", ".", "1", "1.", ".1", "1.-1", "-1.1", "1.1.1", "a.b", "1.1 ",
        "99999999999999999999.0", "1.99999999999", " 1.1"}) {
    EXPECT_FALSE(ParseEventId(bad)) << bad;
  }
}

TEST(EventFileTest, KeepsEventsInOrderAndOnce) {
  const TempFolder folder;
  const auto file = OpenFile(folder);
  EXPECT_EQ(file->last(), kBeforeAll);
  Add(*file, 1);
  Add(*file, 3, "{\"a\":1}");
  Add(*file, 2, "late");
  Add(*file, 3, "again");
  // Written or not.
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(All(*file, file->begin()),
              "id: 1.0\ndata: {}\n\nid: 3.0\ndata: {\"a\":1}\n\n");
    EXPECT_EQ(file->After({.record = 3}), file->size());
    ASSERT_TRUE(file->Flush().ok());
  }
}

TEST(EventFileTest, GoesOnWhereItStood) {
  const TempFolder folder;
  int64_t size = 0;
  {
    const auto file = OpenFile(folder);
    for (int i = 1; i <= 5; ++i) Add(*file, i);
    file->AddLogBytes(77);
    ASSERT_TRUE(file->Flush().ok());
    size = file->size();
  }
  const auto file = OpenFile(folder);
  EXPECT_EQ(file->size(), size);
  EXPECT_EQ(file->last().record, 5);
  EXPECT_EQ(file->log_bytes(), 77);
  Add(*file, 5, "again");
  EXPECT_EQ(file->log_bytes(), 77);
  Add(*file, 6);
  EXPECT_EQ(file->log_bytes(), -1);
}

// However a server that was killed left the end of its file.
TEST(EventFileTest, CutsATornEndAtEveryByte) {
  const TempFolder folder;
  const std::string path = folder.path() + "/events.v1";
  const auto write = [&](EventFile& file, int from) {
    for (int i = from; i <= 4; ++i)
      Add(file, i, absl::StrCat("{\"n\":", i, "}"));
    ASSERT_TRUE(file.Flush().ok());
  };
  write(*OpenFile(folder), 1);
  const std::string whole = ReadWhole(path);
  for (size_t cut = 0; cut <= whole.size(); ++cut) {
    ASSERT_EQ(truncate(path.c_str(), static_cast<off_t>(cut)), 0);
    const auto file = OpenFile(folder);
    write(*file, 1);
    EXPECT_EQ(ReadWhole(path), whole) << cut;
  }
}

// As a file system leaves it that lost power.
TEST(EventFileTest, BeginsAgainIfItHasNuls) {
  const TempFolder folder;
  const std::string path = folder.path() + "/events.v1";
  for (const bool hole : {false, true}) {
    int64_t begin = 0;
    {
      const auto file = OpenFile(folder);
      for (int i = 1; i <= 5000; ++i) Add(*file, i);
      ASSERT_TRUE(file->Flush().ok());
      begin = file->begin();
      ASSERT_GT(file->size(), 60000);
    }
    const int fd = open(path.c_str(), O_WRONLY);
    if (hole) {
      // At the end, and the file goes on after it.
      ASSERT_EQ(lseek(fd, 1 << 20, SEEK_END) > 0, true);
      ASSERT_EQ(write(fd, "\n\nid: 9999.0\ndata: {}\n\n", 24), 24);
    } else {
      ASSERT_EQ(pwrite(fd, std::string(10, '\0').data(), 10, begin + 100), 10);
    }
    close(fd);
    EXPECT_EQ(OpenFile(folder)->last(), kBeforeAll);
  }
}

TEST(EventFileTest, BeginsAgainIfTheLogWasCut) {
  for (const bool marked : {false, true}) {
    SCOPED_TRACE(marked);
    const TempFolder folder;
    const std::string path = folder.path() + "/log.v1";
    SystemClock clock;
    std::vector<int64_t> sizes;
    {
      auto log = relay::LogWriter::Open(folder.fd(), "t1", &clock);
      ASSERT_TRUE(log.ok()) << log.status();
      for (int i = 1; i <= 4; ++i) {
        log->Append({.key = absl::StrCat("k", i), .payload = "{}"});
        ASSERT_TRUE(log->Flush().ok());
        sizes.push_back(std::filesystem::file_size(path));
      }
    }
    {
      const auto file = OpenFile(folder);
      for (int i = 1; i <= 3; ++i) Add(*file, i);
      if (marked) file->AddLogBytes(sizes[2]);
      // A mark that is not the last thing counts, too.
      Add(*file, 4);
      ASSERT_TRUE(file->Flush().ok());
    }
    EXPECT_EQ(OpenFile(folder)->last().record, 4);
    std::filesystem::resize_file(path, marked ? sizes[2] - 1 : sizes[1]);
    EXPECT_EQ(OpenFile(folder)->last(), kBeforeAll);
  }
}

TEST(EventFileTest, BeginsAgainWhereItIsAnothers) {
  const TempFolder folder;
  const std::string path = folder.path() + "/events.v1";
  {
    const auto file = OpenFile(folder, "t1");
    Add(*file, 1);
    ASSERT_TRUE(file->Flush().ok());
  }
  EXPECT_EQ(OpenFile(folder, "t2")->last(), kBeforeAll);
  for (const char* bytes : {"", "\n\n", "garbage\n\nid: x\n\n", ": troika"}) {
    const int fd = open(path.c_str(), O_WRONLY | O_TRUNC);
    ASSERT_GE(write(fd, bytes, strlen(bytes)), 0);
    close(fd);
    const auto file = OpenFile(folder);
    EXPECT_EQ(file->last(), kBeforeAll) << bytes;
    EXPECT_EQ(file->size(), file->begin()) << bytes;
  }
}

TEST(EventFileTest, FindsEveryEventInAFileOfManySizes) {
  const TempFolder folder;
  const auto file = OpenFile(folder);
  // Small ones, some longer than any window, and gaps between ids.
  for (int i = 1; i <= 400; ++i) {
    const size_t size = i % 97 == 0 ? 200000 : i % 10 == 0 ? 5000 : 20;
    Add(*file, i * 2, absl::StrCat("\"", std::string(size, 'x'), "\""));
    if (i % 50 == 0) file->AddLogBytes(i);
  }
  ASSERT_TRUE(file->Flush().ok());
  EXPECT_EQ(file->After(kBeforeAll), file->begin());
  for (int i = 1; i <= 400; ++i) {
    const auto after = file->After({.record = i * 2});
    ASSERT_TRUE(after) << i;
    const std::string next = All(*file, *after).substr(0, 40);
    if (i == 400) {
      EXPECT_FALSE(absl::StrContains(next, "id: "));
    } else {
      EXPECT_TRUE(
          absl::StrContains(next, absl::StrCat("id: ", i * 2 + 2, ".0\n")))
          << i << next;
    }
    EXPECT_FALSE(file->After({.record = i * 2 + 1})) << i;
    EXPECT_FALSE(file->After({.record = i * 2, .index = 1})) << i;
  }
  EXPECT_FALSE(file->After({.record = 10000}));
}

std::string Pull(http::BodySource& view, State want = State::kWait) {
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    std::string out;
    const State state = view.Fill(100, &out);
    all += out;
    if (state != State::kMore) {
      EXPECT_EQ(state, want);
      return all;
    }
  }
  ADD_FAILURE() << "no end";
  return all;
}

class TaskViewTest : public testing::Test {
 protected:
  void Write(int64_t record) {
    Add(stream_->file(), record);
    ASSERT_TRUE(stream_->file().Flush().ok());
  }

  const TempFolder folder_;
  const std::shared_ptr<TaskStream> stream_ =
      std::make_shared<TaskStream>("t1", OpenFile(folder_));
};

TEST_F(TaskViewTest, HistoryThenReadyThenLive) {
  Write(1);
  stream_->SetTask("{\"state\":1}");
  const auto view = NewTaskView(stream_, {}, http::Waker());
  EXPECT_EQ(Pull(*view), kHello + "id: 1.0\ndata: {}\n\n");
  Write(2);
  stream_->set_caught_up();
  EXPECT_EQ(Pull(*view),
            "id: 2.0\ndata: {}\n\n"
            "event: ready\ndata: {\"lastEventId\":\"2.0\"}\n\n"
            "event: task\ndata: {\"state\":1}\n\n");
  EXPECT_EQ(Pull(*view), "");
  Write(3);
  stream_->SetTask("{\"state\":2}");
  EXPECT_EQ(Pull(*view),
            "id: 3.0\ndata: {}\n\nevent: task\ndata: {\"state\":2}\n\n");
}

TEST_F(TaskViewTest, ResumesAfterAnEvent) {
  Write(1);
  Write(2);
  stream_->set_caught_up();
  const auto view =
      NewTaskView(stream_, {.after = {.record = 1}}, http::Waker());
  const std::string text = Pull(*view);
  EXPECT_FALSE(absl::StrContains(text, "id: 1.0"));
  EXPECT_FALSE(absl::StrContains(text, "reset"));
  EXPECT_TRUE(absl::StrContains(text, "id: 2.0"));
}

TEST_F(TaskViewTest, AnEventThatIsStillReadIsWaitedFor) {
  Write(1);
  const auto view =
      NewTaskView(stream_, {.after = {.record = 2}}, http::Waker());
  EXPECT_EQ(Pull(*view), kHello);
  Write(2);
  Write(3);
  const std::string text = Pull(*view);
  EXPECT_FALSE(absl::StrContains(text, "reset"));
  EXPECT_EQ(text, "id: 3.0\ndata: {}\n\n");
}

TEST_F(TaskViewTest, SaysResetWhereTheEventIsUnknown) {
  Write(1);
  stream_->set_caught_up();
  for (const ViewFrom from :
       {ViewFrom{.after = {.record = 9}},
        ViewFrom{.after = {.record = 1}, .reset = ViewFrom::Reset::kYes}}) {
    const std::string text = Pull(*NewTaskView(stream_, from, http::Waker()));
    EXPECT_TRUE(absl::StrContains(
        text, "event: reset\ndata: {}\n\nid: 1.0\ndata: {}\n\n"))
        << text;
  }
}

TEST_F(TaskViewTest, EndsWithTheTask) {
  stream_->set_caught_up();
  const auto view = NewTaskView(stream_, {}, http::Waker());
  Pull(*view);
  stream_->SetGone();
  EXPECT_EQ(Pull(*view, State::kEnd), "event: gone\ndata: {}\n\n");
}

TEST_F(TaskViewTest, SendsHeartbeatsOnlyWhenSilent) {
  stream_->set_caught_up();
  const auto view = NewTaskView(stream_, {}, http::Waker());
  Pull(*view);
  stream_->viewers().SendHeartbeats();
  EXPECT_EQ(Pull(*view), "");
  stream_->viewers().SendHeartbeats();  // Nothing was sent since.
  stream_->viewers().SendHeartbeats();
  EXPECT_EQ(Pull(*view), ": beat\n\n");
}

TEST(ChangesTest, TellsWhatChangesFromNowOn) {
  Changes changes(7);
  changes.Add("a", "{\"old\":1}");
  const auto view = changes.NewView("", http::Waker());
  EXPECT_EQ(Pull(*view), "event: ready\nid: 7.1\ndata: {}\n\n");
  changes.Add("a", "{\"new\":1}");
  EXPECT_EQ(Pull(*view), "event: task\nid: 7.2\ndata: {\"new\":1}\n\n");
}

TEST(ChangesTest, GoesOnAfterAnId) {
  Changes changes(7);
  for (int i = 1; i <= 3; ++i) {
    changes.Add(absl::StrCat("t", i), absl::StrCat(i));
  }
  const std::string text = Pull(*changes.NewView("7.1", http::Waker()));
  EXPECT_FALSE(absl::StrContains(text, "data: 1\n"));
  EXPECT_TRUE(absl::StrContains(text, "id: 7.2\ndata: 2\n"));
  EXPECT_TRUE(absl::StrContains(text, "id: 7.3\ndata: 3\n"));
}

TEST(ChangesTest, SaysResetWhereTheIdIsLost) {
  Changes changes(7);
  const auto slow = changes.NewView("", http::Waker());
  Pull(*slow);
  for (int i = 0; i < 60; ++i) {
    changes.Add(absl::StrCat("t", i), std::string(100000, 'x'));
  }
  EXPECT_EQ(Pull(*slow), "event: reset\nid: 7.60\ndata: {}\n\n");
  for (const char* id : {"6.1", "7.1", "7.61", "7.-1", "x", "7", "7.x"}) {
    const std::string text = Pull(*changes.NewView(id, http::Waker()));
    EXPECT_TRUE(absl::StartsWith(text, "event: reset\n")) << id;
  }
}

TEST(ChangesTest, ALaterChangeOfATaskReplacesTheEarlier) {
  Changes changes(7);
  changes.Add("a", "1");
  // More than the history has room for, all of one task.
  for (int i = 0; i < 60; ++i) changes.Add("b", std::string(100000, 'x'));
  changes.Add("b", "2");
  changes.AddGone("a");
  EXPECT_EQ(Pull(*changes.NewView("7.0", http::Waker())),
            "event: ready\nid: 7.0\ndata: {}\n\n"
            "event: task\nid: 7.62\ndata: 2\n\n"
            "event: gone\nid: 7.63\ndata: {\"id\":\"a\"}\n\n");
}

TEST(ChangesTest, ViewersMayLeaveWhileTheyAreTold) {
  Changes changes(7);
  auto first = changes.NewView("", http::Waker());
  auto second = changes.NewView("", http::Waker());
  EXPECT_EQ(changes.viewers().size(), 2u);
  first.reset();
  changes.Add("a", "1");
  EXPECT_EQ(changes.viewers().size(), 1u);
  EXPECT_TRUE(absl::StrContains(Pull(*second), "data: 1\n"));
}

}  // namespace
}  // namespace troika
