#include "server/event_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "dto/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/testing.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class EventWriterTest : public ::testing::Test {
 protected:
  std::unique_ptr<EventFile> Open() {
    auto file = EventFile::Open(folder_.fd(), "t1");
    EXPECT_TRUE(file.ok()) << file.status();
    return *std::move(file);
  }
  // Passes all messages through a writer, as when the task is opened.
  void Write(const std::vector<Message>& messages,
             const EventWriter::Limits& limits = {},
             const std::vector<std::string>& secrets = {}) {
    const auto file = Open();
    const Redactor redactor(secrets);
    EventWriter writer("t1", file.get(), limits);
    for (const Message& message : messages) writer.Add(message, redactor);
    EXPECT_TRUE(file->Flush().ok());
  }
  std::string Contents(const std::string& name) {
    return ReadWhole(folder_.path() + "/" + name);
  }
  void Remove(const char* name) { unlinkat(folder_.fd(), name, 0); }
  std::string WholeText(const EventId& id) {
    const auto json = EventFile::ReadEvent(folder_.fd(), "t1", id);
    if (!json) return "none";
    json::Parser parser;
    const auto message = ReadEvent(*parser.Parse(*json));
    EXPECT_TRUE(message.ok());
    const auto* text = std::get_if<Text>(&message->payload);
    return text == nullptr ? "another" : text->text;
  }

  TempFolder folder_;
};

Message Said(int64_t record, std::string text) {
  return {.id = {record, 0}, .payload = Text{std::move(text)}};
}

// Ids and first words of the events in a file.
std::vector<std::string> EventsIn(const std::string& text) {
  std::vector<std::string> events;
  for (size_t at = text.find("\nid: "); at != std::string::npos;
       at = text.find("\nid: ", at + 1)) {
    const std::string id =
        text.substr(at + 5, text.find('\n', at + 1) - at - 5);
    const std::string data = text.substr(at, text.find("\n\n", at + 1) - at);
    const char* kind = "other";
    for (const char* name : {"text", "notice", "result", "lifecycle"}) {
      if (data.find(absl::StrCat("\"", name, "\":{")) != std::string::npos) {
        kind = name;
      }
    }
    events.push_back(absl::StrCat(id, " ", kind));
  }
  return events;
}

TEST_F(EventWriterTest, CutEventsCanBeHadWholeInAnyOrder) {
  std::vector<Message> messages;
  for (int64_t i = 1; i <= 40; ++i) {
    messages.push_back(
        Said(i, i % 2 == 0 ? std::string(static_cast<size_t>(i) * 500, 'x')
                           : absl::StrCat("short ", i)));
  }
  Write(messages, {.text = 1000});
  EXPECT_THAT(Contents("events.v1"), HasSubstr("\"cut\":[{"));
  for (const int64_t i : {40, 2, 17, 39, 1, 20, 4}) {
    EXPECT_EQ(WholeText({i, 0}),
              std::get<Text>(messages[static_cast<size_t>(i) - 1].payload).text)
        << i;
  }
  EXPECT_EQ(WholeText({41, 0}), "none");
  EXPECT_EQ(WholeText({40, 1}), "none");
}

TEST_F(EventWriterTest, NothingIsCutNoFileIsMade) {
  Write({Said(1, "a"), Said(2, "b")});
  EXPECT_NE(faccessat(folder_.fd(), "whole.v1", F_OK, 0), 0);
}

TEST_F(EventWriterTest, WhatIsMissingIsMadeAgain) {
  std::vector<Message> messages;
  for (int64_t i = 1; i <= 20; ++i) {
    messages.push_back(Said(i, std::string(2000, 'x')));
  }
  Write(messages, {.text = 1000});
  const std::string events = Contents("events.v1");
  const std::string whole = Contents("whole.v1");
  // Opened again, nothing changes.
  Write(messages, {.text = 1000});
  EXPECT_EQ(Contents("events.v1"), events);
  EXPECT_EQ(Contents("whole.v1"), whole);
  Remove("whole.v1");
  Write(messages, {.text = 1000});
  EXPECT_EQ(Contents("whole.v1"), whole);
  // Torn anywhere, as by a server that was killed.
  for (size_t size = 0; size < whole.size(); size += 997) {
    ASSERT_EQ(truncate((folder_.path() + "/whole.v1").c_str(),
                       static_cast<off_t>(size)),
              0);
    Write(messages, {.text = 1000});
    EXPECT_EQ(Contents("whole.v1"), whole) << size;
  }
}

TEST_F(EventWriterTest, SecretsAreInNeitherFile) {
  const std::string secret = "very-secret-value";
  // In the middle, at the cut, and after it.
  Write({Said(1, absl::StrCat("a ", secret)),
         Said(2, absl::StrCat(std::string(995, 'x'), secret, " end")),
         Said(3, absl::StrCat(std::string(5000, 'x'), secret))},
        {.text = 1000}, {secret});
  EXPECT_THAT(Contents("events.v1"), Not(HasSubstr("very-")));
  EXPECT_THAT(Contents("whole.v1"), Not(HasSubstr("very-")));
  EXPECT_THAT(WholeText({2, 0}), HasSubstr("[redacted] end"));
  EXPECT_THAT(WholeText({3, 0}), HasSubstr("[redacted]"));
}

TEST_F(EventWriterTest, HugeEventsAreLeftToTheLog) {
  Write({Said(1, std::string(5000, 'x')), Said(2, std::string(2000, 'y'))},
        {.text = 1000, .whole = 3000});
  const auto json = EventFile::ReadEvent(folder_.fd(), "t1", {1, 0});
  ASSERT_TRUE(json.has_value());
  EXPECT_THAT(*json, HasSubstr("\"cut\":"));
  EXPECT_EQ(WholeText({2, 0}), std::string(2000, 'y'));
}

std::vector<Message> Flood() {
  std::vector<Message> messages;
  int64_t record = 0;
  const auto add = [&](Payload payload) {
    messages.push_back({.id = {++record, 0}, .payload = std::move(payload)});
  };
  add(Lifecycle{});
  for (int i = 0; i < 100; ++i) add(Text{std::string(200, 't')});
  add(Result{.text = "one"});
  for (int i = 0; i < 50; ++i) add(Raw{.line = std::string(200, 'r')});
  add(Lifecycle{.kind = Lifecycle::Kind::kExited});
  return messages;
}

TEST_F(EventWriterTest, BeyondTheLimitOnlyTheCourseIsKept) {
  const EventWriter::Limits limits = {.bytes = 1000};
  Write(Flood(), limits);
  const std::string events = Contents("events.v1");
  EXPECT_THAT(EventsIn(events),
              ElementsAre("1.0 lifecycle", "2.0 text", "3.0 text", "4.0 text",
                          "5.0 notice", "101.0 notice", "102.0 result",
                          "152.0 notice", "153.0 lifecycle"));
  EXPECT_THAT(events, HasSubstr("have reached their limit"));
  EXPECT_THAT(events, HasSubstr("`troika log t1` prints"));
  EXPECT_THAT(events, HasSubstr("97 events were left out here"));
  EXPECT_THAT(events, HasSubstr("50 events were left out here"));
}

TEST_F(EventWriterTest, TheSameIsLeftOutHoweverOftenATaskIsOpened) {
  const EventWriter::Limits limits = {.bytes = 1000};
  const std::vector<Message> messages = Flood();
  Write(messages, limits);
  const std::string events = Contents("events.v1");
  Remove("events.v1");
  for (size_t count = 0; count <= messages.size(); count += 7) {
    Write({messages.begin(), messages.begin() + static_cast<ptrdiff_t>(count)},
          limits);
  }
  Write(messages, limits);
  EXPECT_EQ(Contents("events.v1"), events);
}

TEST_F(EventWriterTest, AFloodOfResultsIsBoundedToo) {
  std::vector<Message> messages;
  for (int64_t i = 1; i <= 1000; ++i) {
    messages.push_back({.id = {i, 0}, .payload = Result{.text = "r"}});
  }
  messages.push_back({.id = {1001, 0}, .payload = Lifecycle{}});
  Write(messages, {.bytes = 10000, .reserve = 10000});
  EXPECT_LT(Contents("events.v1").size(), 60000);
  EXPECT_THAT(Contents("events.v1"), HasSubstr("id: 1001.0"));
}

}  // namespace
}  // namespace troika
