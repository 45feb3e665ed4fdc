// The defaults that clients rely on, in the table and in the schemas.
#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "mcp/tool.h"
#include "server/mcp/defaults.h"
#include "server/mcp/job_view.h"
#include "server/mcp/session_lookup.h"
#include "server/mcp/session_view.h"
#include "server/mcp/tool.h"

namespace troika {
namespace {

const Tool* FindTool(absl::string_view name) {
  for (const Tool& tool : AllTools()) {
    if (tool.info.name == name) return &tool;
  }
  ADD_FAILURE() << "no tool " << name;
  return nullptr;
}

const mcp::Field* FindField(absl::string_view tool, absl::string_view name) {
  const Tool* const found = FindTool(tool);
  if (found == nullptr) return nullptr;
  for (const mcp::Field& field : found->info.input) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

TEST(JobToolsTest, DefaultsAreThoseOfTheTable) {
  const struct {
    const char* tool;
    const char* field;
    const char* value;  // Null: it has none.
  } kRows[] = {
      {"call_codex", "task_name", "\"call_codex\""},
      {"call_claude", "task_name", "\"call_claude\""},
      {"call_gemini", "task_name", "\"call_gemini\""},
      {"call_codex", "model", "\"gpt-5.2-codex\""},
      {"call_claude", "model", nullptr},
      {"call_gemini", "model", nullptr},
      {"call_codex", "edit_mode", "\"full_auto\""},
      {"call_claude", "edit_mode", "\"auto_edit\""},
      {"call_gemini", "edit_mode", "\"auto_edit\""},
      {"call_codex", "timeout_ms", "60000"},
      {"call_codex", "tool_timeout_ms", "300000"},
      {"call_codex", "continue_latest", "false"},
      {"call_codex", "expose_stream", "false"},
      {"call_codex", "fire_and_forget", "false"},
      {"call_codex", "resume_session_id", nullptr},
      {"call_jobs", "limit", "50"},
      {"call_status", "wait", "0"},
      {"gpt5_codex", "model", "\"gpt-5\""},
      {"gpt5_codex", "reasoning_effort", "\"medium\""},
      {"gpt5_codex", "edit_mode", "\"research\""},
      {"gpt5_codex", "allow_edits", "false"},
      {"gpt5_codex", "bypass_sandbox", "false"},
      {"gpt5_codex", "enable_web_search", "false"},
      {"gpt5_codex", "save_to_file", "true"},
      {"gpt5_codex", "display_in_chat", "true"},
      {"gpt5_codex", "timeout_sec", "900"},
      {"gpt5_codex", "wait_sec", "45"},
      {"gpt5_codex", "verbosity", nullptr},
  };
  for (const auto& row : kRows) {
    const mcp::Field* const field = FindField(row.tool, row.field);
    ASSERT_NE(field, nullptr) << row.tool << " " << row.field;
    EXPECT_EQ(field->default_json, row.value == nullptr ? "" : row.value)
        << row.tool << " " << row.field;
    json::Parser parser;
    const std::string json = ToolJson(FindTool(row.tool)->info);
    const auto tool = parser.Parse(json);
    ASSERT_TRUE(tool.ok()) << tool.status() << json;
    const json::Value shown =
        tool->Get("inputSchema").Get("properties").Get(row.field);
    EXPECT_EQ(shown.Get("default").exists(), row.value != nullptr);
    if (row.value != nullptr) {
      EXPECT_EQ(shown.Get("default").ToJson(), row.value);
    }
  }
}

TEST(JobToolsTest, WhatAHarnessLacksIsNotInItsSchema) {
  EXPECT_EQ(FindField("call_gemini", "outputSchema"), nullptr);
  EXPECT_NE(FindField("call_claude", "outputSchema"), nullptr);
  EXPECT_EQ(FindField("call_claude", "skip_git_repo_check"), nullptr);
}

TEST(JobToolsTest, AnnotationsAreHonest) {
  for (const char* const name :
       {"call_codex", "call_claude", "call_gemini", "gpt5_codex"}) {
    EXPECT_TRUE(FindTool(name)->info.annotations.destructive);
    EXPECT_TRUE(FindTool(name)->info.annotations.open_world);
  }
  for (const char* const name : {"call_status", "call_jobs"}) {
    EXPECT_TRUE(FindTool(name)->info.annotations.read_only);
  }
  const mcp::Annotations& cancel = FindTool("call_cancel")->info.annotations;
  EXPECT_FALSE(cancel.read_only || cancel.destructive || cancel.open_world);
}

TEST(JobToolsTest, OutputSchemasAreJson) {
  for (const Tool& tool : AllTools()) {
    json::Parser parser;
    const auto schema = parser.Parse(tool.info.output_schema);
    ASSERT_TRUE(schema.ok()) << tool.info.name;
    EXPECT_EQ(schema->Get("type").StringOr(""), "object") << tool.info.name;
    for (const json::Value name : schema->Get("required").items()) {
      EXPECT_TRUE(schema->Get("properties").Get(name.StringOr("?")).IsObject())
          << tool.info.name << " " << name.StringOr("");
    }
  }
}

TEST(JobViewTest, StatusFollowsTheTask) {
  const struct {
    v1::Task::State state;
    std::optional<v1::Outcome> outcome;
    const char* status;
  } kRows[] = {
      {v1::Task::queued, std::nullopt, "queued"},
      {v1::Task::starting, std::nullopt, "running"},
      {v1::Task::running, std::nullopt, "running"},
      {v1::Task::awaiting_approval, std::nullopt, "running"},
      {v1::Task::awaiting_answer, std::nullopt, "running"},
      {v1::Task::idle, v1::done, "completed"},
      {v1::Task::idle, v1::denied, "completed"},
      {v1::Task::idle, v1::failed, "failed"},
      {v1::Task::idle, v1::interrupted, "cancelled"},
      {v1::Task::done, v1::done, "completed"},
      {v1::Task::failed, v1::failed, "failed"},
      {v1::Task::interrupted, v1::interrupted, "cancelled"},
      {v1::Task::cancelled, std::nullopt, "cancelled"},
  };
  for (const auto& row : kRows) {
    v1::Task task;
    task.set_state(row.state);
    if (row.outcome) task.set_outcome(*row.outcome);
    EXPECT_EQ(JobStatusOf(task), row.status) << v1::Task::State_Name(row.state);
  }
}

TEST(JobViewTest, WhatWasDeniedIsShown) {
  v1::Result result;
  v1::Denial& denial = *result.add_denials();
  denial.set_tool_name("Bash");
  denial.set_reason("not \"now\"");
  EXPECT_EQ(DenialsJson(result), R"([{"tool":"Bash","reason":"not \"now\""}])");
}

TEST(JobViewTest, OnlyTasksOfTheFamilyAreJobs) {
  v1::Task task;
  EXPECT_FALSE(IsJob(task));
  (*task.mutable_labels())[kFamilyLabel] = "sessions";
  EXPECT_FALSE(IsJob(task));
  (*task.mutable_labels())[kFamilyLabel] = kJobFamily;
  EXPECT_TRUE(IsJob(task));
}

}  // namespace
}  // namespace troika
