#include "agent/tool_subject.h"

#include <string>

#include "gtest/gtest.h"

namespace troika {
namespace {

std::string Subject(const std::string& input_json) {
  return ToolSubject({.input_json = input_json}, "/w");
}

TEST(ToolSubjectTest, NamesWhatAToolWorksOn) {
  EXPECT_EQ(Subject(R"({"command":"bash -lc 'npm test'"})"), "npm test");
  EXPECT_EQ(Subject(R"({"file_path":"/w/a.cc"})"), "a.cc");
  EXPECT_EQ(Subject(R"({"path":"/x","pattern":"p"})"), "p in /x");
  EXPECT_EQ(Subject(R"({"title":"Set the plan"})"), "Set the plan");
  EXPECT_EQ(Subject("{}"), "");
  EXPECT_EQ(Subject("no JSON"), "no JSON");
}

TEST(ToolSubjectTest, NamesTheTodoInProgress) {
  EXPECT_EQ(Subject(R"({"todos":[{"content":"Read","status":"completed"},)"
                    R"({"content":"Edit","status":"in_progress"},)"
                    R"({"content":"Test","status":"pending"}]})"),
            "Edit (1 of 3 done)");
  EXPECT_EQ(Subject(R"({"todos":[{"description":"Read",)"
                    R"("status":"completed"}]})"),
            "1 of 1 done");
  EXPECT_EQ(Subject(R"({"todos":[]})"), "0 of 0 done");
  EXPECT_EQ(Subject(R"({"todos":[1,null,{"status":"in_progress"}]})"),
            "0 of 3 done");
}

}  // namespace
}  // namespace troika
