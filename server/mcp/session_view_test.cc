#include "server/mcp/session_view.h"

#include <string>
#include <vector>

#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mcp/tool.h"
#include "server/mcp/defaults.h"
#include "server/mcp/pending_question.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/tool.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::Task AskingTask() {
  v1::Task task;
  task.set_id("t1");
  task.set_harness("codex");
  task.set_cwd("/work");
  task.set_state(v1::Task::awaiting_approval);
  v1::Approval& approval = *task.add_approvals();
  approval.set_id("ask-1");
  approval.set_kind(v1::Approval::command_line);
  approval.set_command("make");
  approval.set_cwd("/work");
  for (const char* choice : {"approve", "deny"}) approval.add_choices(choice);
  return task;
}

TEST(SessionViewTest, StatesHaveTheWordsOfTheTools) {
  const struct {
    v1::Task::State state;
    absl::string_view status;
  } kCases[] = {
      {v1::Task::queued, "active"},
      {v1::Task::starting, "active"},
      {v1::Task::running, "active"},
      {v1::Task::awaiting_approval, "awaiting_approval"},
      {v1::Task::awaiting_answer, "awaiting_approval"},
      {v1::Task::idle, "done"},
      {v1::Task::done, "done"},
      {v1::Task::failed, "error"},
      {v1::Task::interrupted, "interrupted"},
      {v1::Task::cancelled, "interrupted"},
  };
  for (const auto& test : kCases) {
    v1::Task task = AskingTask();
    task.set_state(test.state);
    EXPECT_EQ(StatusOf(task), test.status) << test.state;
  }
  // While its answer is on its way, there is no question to answer.
  v1::Task answered = AskingTask();
  answered.mutable_approvals(0)->set_delivery(v1::Approval::accepted);
  EXPECT_EQ(StatusOf(answered), "active");
  v1::Task two = answered;
  *two.add_approvals() = AskingTask().approvals(0);
  EXPECT_EQ(StatusOf(two), "awaiting_approval");
  v1::Task idle;
  idle.set_state(v1::Task::idle);
  idle.set_outcome(v1::interrupted);
  EXPECT_EQ(StatusOf(idle), "interrupted");
  idle.set_outcome(v1::failed);
  EXPECT_EQ(StatusOf(idle), "error");
  idle.set_outcome(v1::denied);
  EXPECT_EQ(StatusOf(idle), "done");
}

TEST(SessionViewTest, AnAnswerIsSplitAtItsFirstColon) {
  const auto question = PendingQuestionOf(AskingTask());
  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(question->type, "command_approval");
  EXPECT_EQ(question->parts[0].question, "Codex wants to execute: make");
  const auto denied = ReadAnswers(*question, {" deny :  a: b "});
  ASSERT_TRUE(denied.ok()) << denied.status();
  EXPECT_EQ(denied->approval().choice(), "deny");
  EXPECT_EQ(denied->approval().reason(), "a: b");
  EXPECT_FALSE(denied->approval().allow());
  EXPECT_EQ(denied->via(), "mcp");
  EXPECT_TRUE(ReadAnswers(*question, {"approve"})->approval().allow());
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{},
                                                {"approve", "approve"},
                                                {"yes"},
                                                {""},
                                                {"approve_for_session"}}) {
    EXPECT_FALSE(ReadAnswers(*question, wrong).ok());
  }
}

TEST(SessionViewTest, AnsweredQuestionsAreNotPending) {
  v1::Task task = AskingTask();
  task.mutable_approvals(0)->set_delivery(v1::Approval::accepted);
  EXPECT_FALSE(PendingQuestionOf(task).has_value());
}

TEST(SessionViewTest, QuestionsBecomeFieldsOfAForm) {
  v1::Task task = AskingTask();
  task.clear_approvals();
  v1::Question& asked = *task.add_questions();
  asked.set_id("q");
  v1::Question::Item& one = *asked.add_items();
  one.set_text("Which?");
  one.add_options("a");
  one.add_options("b");
  v1::Question::Item& many = *asked.add_items();
  many.set_text("All of which?");
  many.set_multi_select(true);
  many.add_options("x");
  many.add_options("y");
  asked.add_items()->set_text("Why?");
  const auto question = PendingQuestionOf(task);
  ASSERT_TRUE(question.has_value());
  const mcp::Form form = FormOf(task, *question);
  std::vector<std::string> names;
  for (const mcp::FormField& field : form.fields) names.push_back(field.name);
  EXPECT_THAT(names, ElementsAre("q1", "q2_1", "q2_2", "q3"));
  const auto answer = ReadForm(
      *question, {.action = mcp::FormReply::Action::kAccept,
                  .values = {{"q1", "b"}, {"q2_2", "true"}, {"q3", "so"}}});
  ASSERT_TRUE(answer.ok() && answer->has_value());
  EXPECT_EQ((*answer)->question().items(0).answers(0), "b");
  EXPECT_EQ((*answer)->question().items(1).answers(0), "y");
  EXPECT_EQ((*answer)->question().items(2).answers(0), "so");
  const auto declined =
      ReadForm(*question, {.action = mcp::FormReply::Action::kDecline});
  EXPECT_TRUE(declined.ok() && !declined->has_value());
  const auto several = ReadAnswers(*question, {"a", "x, y", "why: not"});
  ASSERT_TRUE(several.ok());
  EXPECT_EQ(several->question().items(1).answers_size(), 2);
  EXPECT_EQ(several->question().items(2).answers(0), "why: not");
}

TEST(SessionViewTest, ALongResultGoesOnAtItsCursor) {
  v1::Task task;
  task.set_id("t1");
  task.set_state(v1::Task::done);
  std::string answer;
  for (int i = 0; i < 20000; ++i) absl::StrAppend(&answer, i, "\n\"");
  task.mutable_result()->set_text(answer);
  v1::Approval& approval = *task.add_approvals();
  approval.set_id("ask-1");
  approval.set_kind(v1::Approval::edit);
  approval.set_diff(std::string(100000, '\\'));
  const EventBuffer events(mcp::kEventBufferSize);
  std::string read;
  StatusOptions options = {.output_lines = 50, .max_items = 500};
  for (int calls = 0; calls < 100; ++calls) {
    const std::string status = StatusJson(task, events, options);
    EXPECT_LT(status.size(), mcp::kMaxResult);
    json::Parser parser;
    const auto value = parser.Parse(status);
    ASSERT_TRUE(value.ok()) << value.status();
    absl::StrAppend(&read, value->Get("result").StringOr(""));
    if (!value->Get("more").BoolOr(false)) break;
    const auto cursor = ReadCursor(value->Get("cursor").StringOr(""));
    ASSERT_TRUE(cursor.ok());
    options.cursor = *cursor;
  }
  EXPECT_EQ(read, answer);
}

TEST(SessionViewTest, OtherCursorsAreRefused) {
  for (const absl::string_view bad :
       {"", "x", "1", "1.0@x", "1.0@-1", "@5", "1.0@5@6"}) {
    EXPECT_FALSE(ReadCursor(bad).ok()) << bad;
  }
  EXPECT_EQ(ReadCursor("12.3@45")->result_offset, 45);
}

const Tool* Find(absl::string_view name) {
  for (const Tool& tool : AllTools()) {
    if (tool.info.name == name) return &tool;
  }
  return nullptr;
}

const mcp::Field* Find(const Tool& tool, absl::string_view name) {
  for (const mcp::Field& field : tool.info.input) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

TEST(ToolsTest, SchemasHaveTheDefaultsOfTheTable) {
  for (const absl::string_view harness : {"codex", "claude", "gemini"}) {
    const auto field = [&](absl::string_view tool, absl::string_view name) {
      const Tool* const found = Find(absl::StrCat(harness, "_", tool));
      const mcp::Field* const named =
          found == nullptr ? nullptr : Find(*found, name);
      return named == nullptr ? mcp::Field() : *named;
    };
    EXPECT_EQ(field("status", "outputLines").default_json,
              absl::StrCat(mcp::kOutputLines));
    EXPECT_EQ(field("status", "wait").default_json, "0");
    EXPECT_EQ(field("status", "wait").max, mcp::kMaxWaitSeconds);
    EXPECT_EQ(field("list", "limit").default_json,
              absl::StrCat(mcp::kListLimit));
    EXPECT_EQ(field("say", "steer").default_json, "false");
    EXPECT_EQ(field("start", "bound").default_json, "false");
  }
  EXPECT_EQ(mcp::kOutputLines, 50);
  EXPECT_EQ(mcp::kListLimit, 50);
  EXPECT_EQ(mcp::kMaxWaitSeconds, 45);
  EXPECT_EQ(mcp::kMaxSessions, 10);
  EXPECT_EQ(mcp::kEventBufferSize, 500);
  EXPECT_EQ(mcp::kApprovalTimeout, absl::Milliseconds(300000));
}

TEST(ToolsTest, AreDescribedHonestly) {
  for (const Tool& tool : AllTools()) {
    SCOPED_TRACE(tool.info.name);
    EXPECT_FALSE(tool.info.title.empty());
    EXPECT_FALSE(tool.info.description.empty());
    json::Parser parser;
    const std::string json = mcp::ToolJson(tool.info);
    const auto value = parser.Parse(json);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->Get("outputSchema").Get("type").StringOr(""), "object");
  }
  for (const absl::string_view name : {"codex_status", "codex_list"}) {
    EXPECT_TRUE(Find(name)->info.annotations.read_only);
  }
  for (const absl::string_view name : {"codex_respond", "codex_interrupt"}) {
    const mcp::Annotations& hints = Find(name)->info.annotations;
    EXPECT_FALSE(hints.read_only || hints.destructive || hints.open_world);
  }
  for (const absl::string_view name : {"codex_start", "codex_say"}) {
    const mcp::Annotations& hints = Find(name)->info.annotations;
    EXPECT_TRUE(hints.destructive && hints.open_world && !hints.read_only);
  }
}

TEST(ToolsTest, HaveNoFieldsThatTheCliLacks) {
  EXPECT_NE(Find(*Find("codex_start"), "sandbox"), nullptr);
  EXPECT_EQ(Find(*Find("claude_start"), "sandbox"), nullptr);
  EXPECT_EQ(Find(*Find("gemini_start"), "config"), nullptr);
  EXPECT_EQ(Find(*Find("gemini_start"), "outputSchema"), nullptr);
  EXPECT_EQ(Find("gemini_fork"), nullptr);
  EXPECT_THAT(Find(*Find("claude_start"), "approvalPolicy")->values,
              ::testing::Contains("acceptEdits"));
}

TEST(ToolsetTest, NamesHarnessesAndFamilies) {
  const auto names = [](absl::string_view toolset) {
    std::vector<std::string> found;
    const auto tools = ReadToolset(toolset);
    if (!tools.ok()) return std::vector<std::string>{"error"};
    for (const Tool* tool : *tools) found.push_back(tool->info.name);
    return found;
  };
  EXPECT_EQ(names("all").size(), AllTools().size());
  EXPECT_THAT(names("claude"), ::testing::Contains("claude_start"));
  EXPECT_THAT(names("claude:sessions, gemini"),
              ::testing::Contains("gemini_list"));
  EXPECT_THAT(names("claude"),
              ::testing::Not(::testing::Contains("codex_start")));
  for (const absl::string_view bad :
       {"", "vim", "claude:", "claude:x", "all:sessions", ",", ":sessions"}) {
    EXPECT_THAT(names(bad), ElementsAre("error")) << bad;
  }
  EXPECT_THAT(std::string(ReadToolset("vim").status().message()),
              HasSubstr("toolset: \"vim\""));
}

}  // namespace
}  // namespace troika
