#include "dto/json.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "dto/redact.h"
#include "dto/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testdata/streams.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

std::string JsonOf(const Message& message) {
  std::string json;
  AppendEventJson(message, "task", &json);
  return json;
}

Message Read(absl::string_view json) {
  json::Parser parser;
  const auto value = parser.Parse(json);
  EXPECT_TRUE(value.ok()) << value.status() << json;
  auto message = ReadEvent(*value);
  EXPECT_TRUE(message.ok()) << message.status();
  return *std::move(message);
}

TEST(EventJsonTest, ReadsEverySampleBack) {
  for (const Message& message : SampleMessages()) {
    const std::string json = JsonOf(message);
    const Message read = Read(json);
    // A value that is a string loses escapes that it does not need.
    EXPECT_EQ(JsonOf(read),
              absl::StrReplaceAll(json, {{"\\u00e9", "\u00e9"},
                                         {"\\ud83d\\ude80", "\U0001F680"}}));
    EXPECT_EQ(read.payload.index(), message.payload.index());
    EXPECT_EQ(read.id, message.id);
  }
}

TEST(EventJsonTest, ReadsEveryStreamBack) {
  int events = 0;
  for (const Stream& stream : AllStreams()) {
    const std::unique_ptr<Protocol> protocol =
        BackendOf(stream.harness).NewProtocol({});
    for (const Message& message :
         RunStream(*protocol, ReadFileOrDie(stream.path))) {
      const std::string json = JsonOf(message);
      ASSERT_EQ(JsonOf(Read(json)), json) << stream.path;
      ++events;
    }
  }
  EXPECT_GT(events, 1000);
}

// The event as a client would cut it, who has it redacted.
std::string CutAfterRedacting(const Message& message, const Redactor& redactor,
                              size_t max_text) {
  std::string json = JsonOf(message);
  redactor.Redact(&json, 0);
  std::string cut;
  AppendEventJson(Read(json), "task", {.max_text = max_text}, &cut);
  redactor.Redact(&cut, 0);
  return cut;
}

TEST(EventJsonTest, SecretsAreTakenOutBeforeTheCut) {
  std::vector<Message> messages;
  for (const Stream& stream : AllStreams()) {
    const std::unique_ptr<Protocol> protocol =
        BackendOf(stream.harness).NewProtocol({});
    for (Message& message : RunStream(*protocol, ReadFileOrDie(stream.path))) {
      messages.push_back(std::move(message));
    }
  }
  const std::string key = "sk-abcdefghijklmnop1234567890ABCDEF";
  messages.push_back({.payload = Text{"the \"key\" is " + key + "\n"}});
  messages.push_back(
      {.payload =
           ToolUse{.input_json = R"({"a":["x","\"pass\\\\word\""],"b":")" +
                                 key + R"("})"}});
  messages.push_back({.payload = Init{.tools = {"Bash", key, "pass\\word"}}});
  messages.push_back({.payload = Raw{.type = "t", .line = "1234567890"}});
  const Redactor redactors[] = {
      Redactor(
          std::vector<std::string>{"pass\\word", "workspace", "1234567890"}),
      Redactor(KnownSecrets{.problem = "no environment"})};
  int redacted = 0;
  for (const Message& message : messages) {
    for (const Redactor& redactor : redactors) {
      for (const size_t max_text : {1, 40}) {
        std::string cut;
        AppendEventJson(message, "task",
                        {.max_text = max_text, .redactor = &redactor}, &cut);
        ASSERT_EQ(cut, CutAfterRedacting(message, redactor, max_text));
        redacted += absl::StrContains(cut, "[redacted]") ? 1 : 0;
      }
    }
  }
  EXPECT_GT(redacted, 100);
}

// A secret of `secret` bytes at `at`, in a text of 1 MiB of which 1000 bytes
// are shown.
std::string VeryLongText(size_t at, const std::string& secret) {
  std::string text(size_t{1} << 20, 'x');
  return text.replace(at, secret.size(), secret);
}

TEST(EventJsonTest, VeryLongTextsAreRedactedAsFarAsTheyAreShown) {
  constexpr size_t kShown = 1000;
  std::string secret = "very secret ";
  secret += std::string(100000, 's');
  const Redactor redactor(std::vector<std::string>{secret});
  // The last two reach beyond what is shown, and beyond what is redacted.
  for (const size_t at :
       {size_t{0}, size_t{500}, kShown - 5, kShown + 2 * kMaxSecretBytes - 5}) {
    const std::string text = VeryLongText(at, secret);
    std::string input_json;
    json::AppendQuoted(text, &input_json);
    for (const Message& message :
         {Message{.payload = Text{text}},
          Message{.payload = ToolUse{.input_json = input_json}}}) {
      std::string cut;
      AppendEventJson(message, "task",
                      {.max_text = kShown, .redactor = &redactor}, &cut);
      EXPECT_FALSE(absl::StrContains(cut, "very")) << at;
      EXPECT_TRUE(absl::StrContains(cut, "xxx")) << at;
      EXPECT_LT(cut.size(), 2 * kShown) << at;
      EXPECT_EQ(absl::StrContains(cut, "[redacted]"), at <= 500) << at;
      EXPECT_TRUE(absl::StrContains(cut, "\"cut\":[{")) << at;
    }
  }
  const Redactor none(KnownSecrets{.problem = "no environment"});
  std::string withheld;
  AppendEventJson({.payload = Text{VeryLongText(0, secret)}}, "task",
                  {.max_text = kShown, .redactor = &none}, &withheld);
  EXPECT_TRUE(absl::StrContains(withheld, "[withheld]"));
}

TEST(EventJsonTest, WhatIsNewIsRaw) {
  for (const absl::string_view json :
       {R"({"id":"3.1","taskId":"t","hologram":{"x":1}})",
        R"({"id":"3.1","notice":{"kind":"prophecy","text":"x"}})",
        R"({"id":"3.1","todo":{"items":[{"text":"a","status":"lazy"}]}})",
        R"({"id":"3.1","result":{"usage":{"costSource":"guessed"}}})",
        R"({"id":"3.1","text":"flat"})", R"({"id":"3.1"})"}) {
    const Message message = Read(json);
    EXPECT_EQ(message.id, (EventId{3, 1}));
    const Raw* const raw = std::get_if<Raw>(&message.payload);
    ASSERT_NE(raw, nullptr) << json;
    EXPECT_EQ(raw->line, json);
  }
  EXPECT_EQ(std::get<Raw>(Read(R"({"id":"1.0","hologram":{}})").payload).type,
            "hologram");
}

TEST(EventJsonTest, MissingAndStrangeFieldsKeepTheirDefaults) {
  const Message bare = Read(R"({"toolResult":{}})");
  EXPECT_EQ(JsonOf(bare), JsonOf({.payload = ToolResult{}}));
  const Message strange =
      Read(R"({"id":7,"time":"noon","blockId":[],"toolResult":{"toolUseId":1,)"
           R"("output":null,"isError":"yes","exitCode":null,"duration":"1h!",)"
           R"("more":true}})");
  EXPECT_THAT(JsonOf(strange), HasSubstr(R"("output":"","isError":false)"));
  EXPECT_EQ(strange.id, EventId());
  EXPECT_EQ(std::get<UserInput>(
                Read(R"({"userInput":{"images":99999999999}})").payload)
                .images,
            0);
  EXPECT_EQ(std::get<ParseError>(
                Read(R"({"parseError":{"offset":7,"size":"8"}})").payload)
                .offset,
            7);
}

TEST(EventJsonTest, RefusesWhatIsNoObject) {
  json::Parser parser;
  EXPECT_TRUE(absl::IsInvalidArgument(ReadEvent(*parser.Parse("[]")).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadEvent(json::Value()).status()));
}

}  // namespace
}  // namespace troika
