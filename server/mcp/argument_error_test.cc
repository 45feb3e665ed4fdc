#include "server/mcp/argument_error.h"

#include "base/json.h"
#include "gtest/gtest.h"
#include "mcp/schema.h"

namespace troika {
namespace {

TEST(ArgumentErrorTest, NamesTheArgumentThatTheCallHas) {
  const mcp::Field fields[] = {{.name = "cwd"}, {.name = "cursor"}};
  json::Parser parser;
  const auto args = mcp::Arguments::Read(
      fields, *parser.Parse(R"({"cwd":"/x","cursor":"c"})"));
  ASSERT_TRUE(args.ok()) << args.status();
  EXPECT_EQ(NameArgument("the folder /x does not exist", *args),
            "cwd: the folder /x does not exist");
  EXPECT_EQ(NameArgument("page_token: is none", *args), "cursor: is none");
  EXPECT_EQ(NameArgument("the image x", *args), "the image x");
}

}  // namespace
}  // namespace troika
