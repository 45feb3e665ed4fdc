// Tests that our parsers know what fakes print, and that a script means the
// same on all wires.
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "agent/drift.h"
#include "agent/registry.h"
#include "agent/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "testing/fake/io.h"
#include "testing/fake/testing.h"

namespace troika::fake {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

struct Played {
  Harness harness;
  std::string version;
  std::vector<Message> messages;
  std::vector<std::string> unknown;
  Ended ended;
};

Played PlayOn(Harness harness, absl::string_view version,
              const std::string& script) {
  Played played = {.harness = harness, .version = std::string(version)};
  FakeOptions options = {.harness = harness, .script = script};
  options.version = std::string(version);
  // The first versions of Claude have no conversations.
  if (harness == Harness::kClaude) {
    options.args = {"-p", "--output-format", "stream-json", "--verbose"};
  }
  RunningFake fake(options);
  fake.Write("go");
  played.ended = fake.Finish();
  Drift drift;
  const std::unique_ptr<Protocol> protocol =
      BackendOf(harness).NewProtocol({.drift = &drift});
  played.messages = RunStream(*protocol, played.ended.out);
  for (const Drift::Entry& entry : drift.Entries()) {
    played.unknown.push_back(entry.what);
  }
  return played;
}

struct Wire {
  Harness harness;
  const char* version;  // Empty for the newest.
};

constexpr Wire kWires[] = {
    {Harness::kCodex, ""},         {Harness::kCodex, "0.124.0"},
    {Harness::kCodex, "0.63.0"},   {Harness::kCodex, "0.34.0"},
    {Harness::kClaude, ""},        {Harness::kClaude, "2.1.197"},
    {Harness::kClaude, "2.0.50"},  {Harness::kClaude, "1.0.60"},
    {Harness::kClaude, "0.2.126"}, {Harness::kGemini, ""},
    {Harness::kGemini, "0.35.0"},  {Harness::kGemini, "0.11.3"},
};

std::vector<Played> PlayOnAll(const std::string& script) {
  std::vector<Played> all;
  for (const Wire& wire : kWires) {
    all.push_back(PlayOn(wire.harness, wire.version, script));
  }
  return all;
}

std::string Name(const Played& played) {
  return absl::StrCat(HarnessId(played.harness), " ", played.version);
}

// 0.34 does not report the end of a turn; a clean exit of its process is one.
bool EndsWithoutResult(const Played& played) {
  return played.version == "0.34.0";
}

std::vector<std::string> TextsOf(const Played& played) {
  std::vector<std::string> texts;
  for (const Text& text : Payloads<Text>(played.messages)) {
    texts.push_back(text.text);
  }
  return texts;
}

void ExpectKnown(const Played& played) {
  EXPECT_THAT(played.unknown, IsEmpty());
  EXPECT_THAT(BrokenRules(played.messages), IsEmpty());
  EXPECT_THAT(Payloads<Raw>(played.messages), IsEmpty());
  EXPECT_THAT(Payloads<ParseError>(played.messages), IsEmpty());
  EXPECT_THAT(Payloads<Result>(played.messages), SizeIs(1));
  EXPECT_THAT(Payloads<Init>(played.messages), SizeIs(1));
}

TEST(WiresTest, SayTheSameText) {
  for (const Played& played : PlayOnAll(ReadyScript("hello"))) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    EXPECT_THAT(TextsOf(played), ElementsAre("Hello from the fake."));
    EXPECT_EQ(played.ended.exit_code, 0) << played.ended.err;
  }
}

TEST(WiresTest, CountTheSameTokens) {
  for (const Played& played : PlayOnAll("usage 1200 300 40\nsay Hi.\nok")) {
    SCOPED_TRACE(Name(played));
    const std::vector<Result> results = Payloads<Result>(played.messages);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_FALSE(results[0].is_error) << results[0].error;
    EXPECT_EQ(results[0].synthetic, EndsWithoutResult(played));
    EXPECT_EQ(results[0].text, "Hi.");
    const TokenCounts& total = results[0].usage.total;
    const bool no_cache = played.version == "0.11.3";
    EXPECT_EQ(total.input, no_cache ? 1500 : 1200);
    EXPECT_EQ(total.cached, no_cache ? 0 : 300);
    EXPECT_EQ(total.output, 40);
  }
}

TEST(WiresTest, RunTheSameCommands) {
  for (const Played& played : PlayOnAll(ReadyScript("commands"))) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    const auto uses = Payloads<ToolUse>(played.messages);
    const auto results = Payloads<ToolResult>(played.messages);
    ASSERT_THAT(uses, SizeIs(4));
    ASSERT_THAT(results, SizeIs(4));
    for (const ToolUse& use : uses) EXPECT_EQ(use.name, "Bash");
    EXPECT_THAT(uses[0].input_json, HasSubstr("ls -1"));
    EXPECT_EQ(absl::StripSuffix(results[0].output, "\n"),
              "README.md\nsrc\ndone");
    EXPECT_THAT(results[1].output, HasSubstr("No such file"));
    EXPECT_EQ(results[1].is_error, played.harness != Harness::kGemini);
    EXPECT_EQ(results[2].output, "");
    EXPECT_EQ(uses[3].id, results[3].tool_use_id);
  }
}

TEST(WiresTest, TellExitCodesWhereTheCliDoes) {
  const std::string script = "run false => no exit 3\nok";
  for (const Played& played : PlayOnAll(script)) {
    SCOPED_TRACE(Name(played));
    const auto results = Payloads<ToolResult>(played.messages);
    ASSERT_THAT(results, SizeIs(1));
    const bool tells =
        played.harness == Harness::kCodex ||
        (played.harness == Harness::kClaude && played.version != "1.0.60" &&
         played.version != "0.2.126");
    EXPECT_EQ(results[0].exit_code,
              tells ? std::optional<int>(3) : std::optional<int>());
  }
}

TEST(WiresTest, ThinkWhereTheCliShowsIt) {
  for (const Played& played : PlayOnAll("think Hm.\nsay Yes.\nok")) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    EXPECT_THAT(Payloads<Thinking>(played.messages),
                SizeIs(played.harness == Harness::kGemini ? 0 : 1));
  }
}

std::vector<std::string> LastTodo(const Played& played) {
  std::vector<std::string> list;
  const std::vector<Todo> todos = Payloads<Todo>(played.messages);
  if (todos.empty()) return list;
  for (const Todo::Item& item : todos.back().items) {
    const bool done = item.status == Todo::Status::kCompleted;
    list.push_back(absl::StrCat(done ? "[x] " : "[ ] ", item.text));
  }
  return list;
}

TEST(WiresTest, KeepTheSameTodoList) {
  for (const Played& played : PlayOnAll(ReadyScript("todo"))) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    EXPECT_THAT(LastTodo(played), ElementsAre("[x] Read the code",
                                              "[x] Change it", "[x] Test it"));
  }
  const std::string shrinks =
      "todo [ ] a | [ ] b\ntodo [x] b | [ ] c\nsay So.\nok";
  for (const Played& played : PlayOnAll(shrinks)) {
    SCOPED_TRACE(Name(played));
    EXPECT_THAT(LastTodo(played), ElementsAre("[x] b", "[ ] c"));
  }
}

TEST(WiresTest, WriteFilesThatAreThere) {
  for (const Wire& wire : kWires) {
    const std::string folder = NewPath("written");
    ASSERT_TRUE(WriteFile(folder + "/here", "").ok());
    FakeOptions options = {.harness = wire.harness,
                           .script = "write src/a.txt one\\ntwo\\n\nok",
                           .version = wire.version,
                           .folder = folder};
    if (wire.harness == Harness::kClaude) {
      options.args = {"-p", "--output-format", "stream-json", "--verbose"};
    }
    RunningFake fake(options);
    fake.Write("go");
    const Ended ended = fake.Finish();
    SCOPED_TRACE(absl::StrCat(HarnessId(wire.harness), " ", wire.version));
    EXPECT_EQ(*ReadFile(folder + "/src/a.txt"), "one\ntwo\n");
    const std::unique_ptr<Protocol> protocol =
        BackendOf(wire.harness).NewProtocol({});
    const std::vector<Message> messages = RunStream(*protocol, ended.out);
    const auto uses = Payloads<ToolUse>(messages);
    ASSERT_THAT(uses, SizeIs(1));
    EXPECT_EQ(uses[0].name, "Write");
    EXPECT_THAT(uses[0].input_json, HasSubstr("src/a.txt"));
    EXPECT_FALSE(Payloads<ToolResult>(messages)[0].is_error);
  }
}

TEST(WiresTest, FailInTheSameWords) {
  for (const Played& played : PlayOnAll(ReadyScript("fails"))) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    const std::vector<Result> results = Payloads<Result>(played.messages);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_TRUE(results[0].is_error);
    EXPECT_THAT(results[0].error, StartsWith("The model is overloaded."));
    EXPECT_EQ(played.ended.exit_code, 1);
    EXPECT_THAT(played.ended.err, HasSubstr("ERROR the model"));
  }
}

TEST(WiresTest, FloodWithTexts) {
  for (const Played& played : PlayOnAll("flood 50 700\nok")) {
    SCOPED_TRACE(Name(played));
    ExpectKnown(played);
    EXPECT_THAT(absl::StrJoin(TextsOf(played), ""), Each('x'));
    EXPECT_GT(played.ended.out.size(), 50 * 700);
  }
}

TEST(WiresTest, ReadyScriptsAreKnownThroughout) {
  for (const absl::string_view name :
       {"hello", "commands", "todo", "slow", "approval_free"}) {
    for (const Harness harness :
         {Harness::kCodex, Harness::kClaude, Harness::kGemini}) {
      SCOPED_TRACE(absl::StrCat(HarnessId(harness), " ", name));
      // Leaves out pauses, which are only for people who watch.
      std::string script;
      for (const absl::string_view line :
           absl::StrSplit(ReadyScript(name), '\n')) {
        if (!absl::StartsWith(line, "sleep ")) {
          absl::StrAppend(&script, line, "\n");
        }
      }
      const Played played = PlayOn(harness, "", script);
      ExpectKnown(played);
      EXPECT_EQ(played.ended.exit_code, 0) << played.ended.err;
    }
  }
}

}  // namespace
}  // namespace troika::fake
