#include "testing/fake/script.h"

#include <csignal>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::fake {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Instruction Only(absl::string_view line) {
  absl::StatusOr<Script> script = ParseScript(line);
  EXPECT_TRUE(script.ok()) << script.status();
  if (!script.ok() || script->any_turn->size() != 1) return {};
  return script->any_turn->front();
}

TEST(ScriptTest, ReadsTextsWithEscapes) {
  EXPECT_EQ(Only("say a\\nb\\t\\\\").text, "a\nb\t\\");
  EXPECT_EQ(Only("print {\"raw\":\"\\n\"}").text, "{\"raw\":\"\\n\"}");
  EXPECT_EQ(Only("  say indented").text, "indented");
}

TEST(ScriptTest, ReadsCommandsAndTheirOutcomes) {
  const Instruction run = Only("run make -j2 => no rule\\nto make exit 2");
  EXPECT_EQ(run.text, "make -j2");
  EXPECT_EQ(run.outcome.output, "no rule\nto make");
  EXPECT_EQ(run.outcome.exit_code, 2);
  EXPECT_EQ(Only("run true").outcome.output, "");
  EXPECT_EQ(Only("run false => exit 1").outcome.exit_code, 1);
  EXPECT_EQ(Only("run false => exit 1").outcome.output, "");
  EXPECT_EQ(Only("end-run => done").outcome.output, "done");
  EXPECT_EQ(Only("run x => the exit 3 is left").outcome.exit_code, 0);
}

TEST(ScriptTest, ReadsTodosFilesAndSleepers) {
  const Instruction todo = Only("todo [x] a | [>] b | [ ] c d");
  ASSERT_THAT(todo.todos, SizeIs(3));
  EXPECT_EQ(todo.todos[0].status, TodoEntry::Status::kCompleted);
  EXPECT_EQ(todo.todos[1].status, TodoEntry::Status::kInProgress);
  EXPECT_EQ(todo.todos[2].text, "c d");
  EXPECT_EQ(Only("write a/b.txt one\\ntwo").rest, "one\ntwo");
  const Instruction sleeper = Only("fork-sleeper setsid double 30");
  EXPECT_THAT(sleeper.options, ElementsAre("setsid", "double"));
  EXPECT_THAT(sleeper.numbers, ElementsAre(30));
}

TEST(ScriptTest, ReadsSignalsInOneLineAndInBlocks) {
  const Instruction exits = Only("on SIGTERM exit 3");
  EXPECT_EQ(exits.signal, SIGTERM);
  EXPECT_THAT(exits.block, SizeIs(1));
  const Instruction block = Only("on INT\n  say Stop?\n  exit 1\nend");
  EXPECT_EQ(block.signal, SIGINT);
  ASSERT_THAT(block.block, SizeIs(2));
  EXPECT_EQ(block.block[1].line, 3);
}

TEST(ScriptTest, ChoosesTheSectionOfATurn) {
  const absl::StatusOr<Script> script = ParseScript(
      "# a comment\nversion 0.63.0\nsession s-1\nwrapper\nsay any\n"
      "== start\nstderr up\n== turn 2\nsay second\n== resume\nsay again\n");
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_EQ(script->version, "0.63.0");
  EXPECT_EQ(script->session, "s-1");
  EXPECT_TRUE(script->wrapper);
  EXPECT_THAT(script->start, SizeIs(1));
  EXPECT_EQ(script->Turn(1, Begun::kNew, "do it")->front().text, "any");
  EXPECT_EQ(script->Turn(2, Begun::kResumed, "do it")->front().text, "second");
  EXPECT_EQ(script->Turn(3, Begun::kResumed, "do it")->front().text, "again");
  EXPECT_EQ(script->Turn(3, Begun::kNew, "do it")->front().text, "any");
}

TEST(ScriptTest, HasNoTurnThatIsNotSaid) {
  const absl::StatusOr<Script> script = ParseScript("== turn 1\nok");
  ASSERT_TRUE(script.ok());
  EXPECT_EQ(script->Turn(2, Begun::kNew, "do it"), nullptr);
  EXPECT_NE(ParseScript("")->Turn(2, Begun::kNew, "do it"), nullptr);
}

struct BadScript {
  const char* text;
  const char* why;
};

TEST(ScriptTest, SaysWhatIsWrongAndWhere) {
  constexpr BadScript kBad[] = {
      {"ok\nsing a song", "line 2: there is no instruction `sing`"},
      {"say a\\q", "line 1: `say`: a backslash"},
      {"ok now", "line 1: `ok`: it takes nothing; write `ok`"},
      {"sleep long", "`long` is no number; write `sleep MILLISECONDS`"},
      {"sleep -1", "no number"},
      {"flood 10", "it takes numbers: 2"},
      {"ignore SIGFOO", "`SIGFOO` is no signal"},
      {"ignore KILL", "no process can catch it"},
      {"on INT\nsay x", "line 1: this block has no `end`"},
      {"on INT\non TERM exit 1\nend", "line 2: `on` within"},
      {"on INT on TERM exit 1", "`on` within `on`"},
      {"end", "there is no instruction `end`"},
      {"== turn x", "no such section"},
      {"== turn 1\n== turn 1", "line 2: there is such a section already"},
      {"on INT\n== turn 1", "line 2: a section within a block"},
      {"ok\nversion 1.0.0", "line 2: `version` stands before all"},
      {"version new", "`new` is no version"},
      {"todo a", "an entry begins with"},
      {"run", "it takes a command"},
      {"end-run output", "the output follows `=>`"},
      {"write", "it takes a file's name"},
      {"fork-sleeper quickly 3", "there is no option `quickly`"},
      {"expect /(/", "/(/ is no expression"},
  };
  for (const BadScript& bad : kBad) {
    SCOPED_TRACE(bad.text);
    const absl::StatusOr<Script> script = ParseScript(bad.text);
    ASSERT_FALSE(script.ok());
    EXPECT_EQ(script.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(script.status().message()), HasSubstr(bad.why));
  }
}

TEST(ScriptTest, MatchesTextsAndExpressions) {
  EXPECT_TRUE(script::Matches("b.c", "ab.cd"));
  EXPECT_FALSE(script::Matches("b.c", "abxcd"));
  EXPECT_TRUE(script::Matches("/b.c/", "abxcd"));
  EXPECT_TRUE(script::Matches("/^\\{.*\"allow\"/", R"({"behavior":"allow"})"));
  EXPECT_FALSE(script::Matches("/^b/", "ab"));
}

TEST(ScriptTest, PromptsChooseTheirSectionByWholeWords) {
  const auto script = ParseScript("say any\n== prompt Ask\nsay asked\n");
  ASSERT_TRUE(script.ok()) << script.status();
  const auto text = [&](absl::string_view prompt) {
    return script->Turn(1, Begun::kNew, prompt)->front().text;
  };
  EXPECT_EQ(text("please ASK me"), "asked");
  EXPECT_EQ(text("ask"), "asked");
  EXPECT_EQ(text("a task, asked"), "any");
}

TEST(ScriptTest, WhatIsAskedIsChecked) {
  EXPECT_TRUE(ParseScript("ask Bash {\"command\":\"ls\"}").ok());
  EXPECT_FALSE(ParseScript("ask Bash ls").ok());
  EXPECT_TRUE(ParseScript("question Which? | A | B").ok());
  EXPECT_FALSE(ParseScript("question Which?").ok());
}

TEST(ScriptTest, DeafNamesALine) {
  EXPECT_EQ(ParseScript("deaf 3\nok")->deaf, 3);
  EXPECT_FALSE(ParseScript("deaf 0\nok").ok());
  EXPECT_FALSE(ParseScript("deaf x\nok").ok());
  EXPECT_FALSE(ParseScript("ok\ndeaf 3").ok());
}

}  // namespace
}  // namespace troika::fake
