#include "agent/line_head.h"

#include "gtest/gtest.h"

namespace troika {
namespace {

TEST(LineHeadTest, KeepsWholeScalarsBeforeTheFirstContainer) {
  struct Case {
    absl::string_view start, head;
  };
  for (const Case& test : {
           Case{R"({"id":7,"method":"ask","params":{"a":1,"b":)",
                R"({"id":7,"method":"ask"})"},
           Case{R"( { "jsonrpc" : "2.0" , "id" : "a\",\"b" , "x":[)",
                R"({"jsonrpc":"2.0","id":"a\",\"b"})"},
           Case{R"({"a":null,"b":true,"c":-1.5e3,"d":"cut)",
                R"({"a":null,"b":true,"c":-1.5e3})"},
           Case{R"({"id":7)", "{}"},
           Case{R"({"id":7})", "{}"},
           Case{R"({"id":12,"n":3)", R"({"id":12})"},
           Case{R"({"a":"x\)", "{}"},
           Case{R"({"a" 1,)", "{}"},
           Case{R"({"a":,"b":1,)", "{}"},
           Case{R"([1,2,)", "{}"},
           Case{"", "{}"},
           Case{"{", "{}"},
           Case{"\xff\xfe", "{}"},
       }) {
    EXPECT_EQ(LineHead(test.start), test.head) << test.start;
  }
}

}  // namespace
}  // namespace troika
