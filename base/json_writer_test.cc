#include "base/json_writer.h"

#include "gtest/gtest.h"

namespace troika::json {
namespace {

TEST(ObjectWriterTest, WritesMembersInOrder) {
  Parser parser;
  const auto doc = parser.Parse(R"({"a":[1, 2],"b":null})");
  EXPECT_EQ(ObjectWriter()
                .String("s", "a\"b")
                .Value("v", doc->Get("a"))
                .Value("gone", doc->Get("nope"))
                .Json("j", "[]")
                .Members(*doc)
                .Take(),
            R"({"s":"a\"b","v":[1, 2],"j":[],"a":[1, 2],"b":null})");
  EXPECT_EQ(ObjectWriter().Take(), "{}");
}

}  // namespace
}  // namespace troika::json
