#include "cli/timeline/tool_label.h"

#include "gtest/gtest.h"

namespace troika::cli {
namespace {

std::string What(absl::string_view input_json) {
  return LabelOf(ToolUse{.name = "X", .input_json = std::string(input_json)},
                 "/home/me/demo")
      .what;
}

TEST(ToolLabelTest, SaysWhatIsRun) {
  EXPECT_EQ(What(R"({"command":"npm test","description":"run"})"), "npm test");
  EXPECT_EQ(What(R"({"command":"/bin/bash -lc 'a | b && c'"})"), "a | b && c");
  EXPECT_EQ(What(R"({"command":"bash -c true"})"), "true");
  EXPECT_EQ(What(R"({"command":"sh -c 'it'\\''s'"})"), "sh -c 'it'\\''s'");
  EXPECT_EQ(What(R"({"command":"bash -c \"x y\""})"), "bash -c \"x y\"");
  EXPECT_EQ(What(R"({"command":"bash script.sh"})"), "bash script.sh");
  EXPECT_EQ(What(R"({"command":["git","status",1]})"), "git status ?");
  EXPECT_EQ(What(R"({"command":"a\nb\u001b[2J"})"), "a b␛[2J");
}

TEST(ToolLabelTest, SaysWhichFiles) {
  EXPECT_EQ(What(R"({"file_path":"/home/me/demo/src/a.cc"})"), "src/a.cc");
  EXPECT_EQ(What(R"({"file_path":"/home/me/demos/a.cc"})"),
            "/home/me/demos/a.cc");
  EXPECT_EQ(What(R"({"path":"/home/me/demo","pattern":"x*"})"),
            "x* in /home/me/demo");
  EXPECT_EQ(What(R"({"changes":[{"path":"/home/me/demo/a","kind":"update"},)"
                 R"({"path":"b","kind":"delete"},{"path":"c","kind":"add"}]})"),
            "a, b (deleted), c (new)");
}

TEST(ToolLabelTest, ShowsOtherInputAsItIs) {
  EXPECT_EQ(What(R"({"query":"three horses"})"), "three horses");
  EXPECT_EQ(What(R"({"x":1})"), R"({"x":1})");
  EXPECT_EQ(What("[1,2]"), "[1,2]");
  EXPECT_EQ(What("{}"), "");
  EXPECT_EQ(What(""), "");
  EXPECT_EQ(What("{broken"), "{broken");
}

TEST(ToolLabelTest, NamesTheServer) {
  EXPECT_EQ(LabelOf(ToolUse{.name = "echo", .server = "mock"}, "").name,
            "mock/echo");
}

}  // namespace
}  // namespace troika::cli
