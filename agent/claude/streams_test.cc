// Tests every stream in testdata/claude.

#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agent/claude/testing.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/files.h"

namespace troika::claude {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kTranscript = ".transcript.jsonl";
constexpr absl::string_view kWrittenLine = R"({"dir":"c2s","msg":)";
constexpr absl::string_view kReceivedLine = R"({"dir":"s2c","msg":)";

std::map<std::string, std::string> Files() {
  std::map<std::string, std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("testdata/claude")) {
    if (entry.path().extension() != ".jsonl") continue;
    files[entry.path().string()] = ReadWhole(entry.path());
  }
  return files;
}

// Facts about the wire, read without the parser under test.
struct Wire {
  int results = 0;
  bool turn_open = false;
  TokenCounts total;

  void Line(json::Value line) {
    const absl::string_view type = line.Get("type").StringOr("");
    if (type == "assistant") {
      const json::Value message = line.Get("message");
      turn_open |= line.Get("parent_tool_use_id").StringOr("").empty();
      of_messages_[std::string(message.Get("id").StringOr(""))] =
          Counts(message.Get("usage"));
    }
    turn_open |= type == "system" && line.Get("subtype").StringOr("") == "init";
    if (type != "result") return;
    ++results;
    turn_open = false;
    if (line.Get("usage").exists()) {
      total += Counts(line.Get("usage"));
    } else {
      for (const auto& [id, counts] : of_messages_) total += counts;
    }
    of_messages_.clear();
  }

 private:
  static TokenCounts Counts(json::Value usage) {
    return {
        .input = usage.Get("input_tokens").IntOr(0),
        .cached = usage.Get("cache_read_input_tokens").IntOr(0),
        .cache_write = usage.Get("cache_creation_input_tokens").IntOr(0),
        .output = usage.Get("output_tokens").IntOr(0),
        .reasoning =
            usage.Get("output_tokens_details").Get("thinking_tokens").IntOr(0)};
  }

  std::map<std::string, TokenCounts> of_messages_;
};

void ExpectAgrees(const Wire& wire, const Conversation& conversation) {
  EXPECT_EQ(BrokenRules(conversation.messages()), "");
  const auto results = conversation.All<Result>();
  EXPECT_EQ(results.size(), wire.results + (wire.turn_open ? 1 : 0));
  TokenCounts sum;
  for (const Result& result : results) {
    if (result.usage.turn) sum += *result.usage.turn;
    EXPECT_EQ(result.is_error, !result.error.empty());
  }
  EXPECT_EQ(sum, wire.total);
  if (!results.empty()) {
    EXPECT_EQ(results.back().usage.total, wire.total);
  }
  // Messages tell their tokens, too.
  EXPECT_GE(conversation.All<Usage>().size(), wire.results);
  EXPECT_THAT(conversation.All<ParseError>(), IsEmpty());
  EXPECT_THAT(conversation.DriftSeen(), IsEmpty());
}

TEST(ClaudeStreamsTest, OutputKeepsTheRules) {
  const auto files = Files();
  ASSERT_GT(files.size(), 100u);
  json::Parser parser;
  for (const auto& [name, text] : files) {
    if (absl::EndsWith(name, kTranscript)) continue;
    SCOPED_TRACE(name);
    Conversation conversation;
    Wire wire;
    for (const absl::string_view line :
         absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      wire.Line(*parser.Parse(line));
      conversation.Receive(line);
    }
    conversation.End();
    ExpectAgrees(wire, conversation);
  }
}

// Each request has one answer, in the order of the requests.
void ExpectAnswered(const Conversation& conversation, int asked) {
  std::map<std::string, std::vector<int>> states;
  for (const Approval& a : conversation.All<Approval>()) {
    states[a.id].push_back(static_cast<int>(a.state));
    EXPECT_EQ(a.input_json.empty(), a.state != Approval::State::kAsked);
  }
  for (const Question& q : conversation.All<Question>()) {
    states[q.id].push_back(static_cast<int>(q.state));
    EXPECT_THAT(q.items, SizeIs(1));
    if (q.state == Question::State::kAnswered) {
      EXPECT_THAT(q.items[0].answers, ElementsAre("Red"));
    }
  }
  EXPECT_THAT(states, SizeIs(asked));
  for (const auto& [id, of_one] : states) EXPECT_THAT(of_one, SizeIs(2)) << id;
}

TEST(ClaudeStreamsTest, TranscriptsKeepTheRules) {
  json::Parser parser;
  int transcripts = 0;
  for (const auto& [name, text] : Files()) {
    if (!absl::EndsWith(name, kTranscript)) continue;
    SCOPED_TRACE(name);
    ++transcripts;
    Conversation conversation;
    Wire wire;
    int asked = 0;
    size_t prompts = 0;
    for (absl::string_view line :
         absl::StrSplit(text, '\n', absl::SkipEmpty())) {
      ASSERT_TRUE(absl::ConsumeSuffix(&line, "}"));
      if (absl::ConsumePrefix(&line, kReceivedLine)) {
        const json::Value value = *parser.Parse(line);
        wire.Line(value);
        asked +=
            value.Get("request").Get("subtype").StringOr("") == "can_use_tool";
        conversation.Receive(line);
      } else {
        ASSERT_TRUE(absl::ConsumePrefix(&line, kWrittenLine));
        const json::Value value = *parser.Parse(line);
        const bool is_prompt = value.Get("type").StringOr("") == "user";
        wire.turn_open |= is_prompt;
        prompts += is_prompt;
        // Written bytes that are not JSON are stored in a string.
        conversation.Write(value.Get("_raw").StringOr(line));
      }
    }
    conversation.End();
    ExpectAgrees(wire, conversation);
    ExpectAnswered(conversation, asked);
    EXPECT_GE(conversation.All<UserInput>().size(), prompts);
  }
  EXPECT_GT(transcripts, 20);
}

TEST(ClaudeStreamsTest, EchoedPromptsAreSaidOnce) {
  const auto files = Files();
  Conversation conversation;
  for (absl::string_view line :
       absl::StrSplit(files.at("testdata/claude/stdin_followup.transcript"
                               ".jsonl"),
                      '\n', absl::SkipEmpty())) {
    ASSERT_TRUE(absl::ConsumeSuffix(&line, "}"));
    if (absl::ConsumePrefix(&line, kReceivedLine)) {
      conversation.Receive(line);
    } else if (absl::ConsumePrefix(&line, kWrittenLine)) {
      conversation.Write(line);
    }
  }
  EXPECT_THAT(conversation.All<UserInput>(), SizeIs(2));
}

}  // namespace
}  // namespace troika::claude
