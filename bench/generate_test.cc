#include "bench/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/drift.h"
#include "agent/registry.h"
#include "agent/testing.h"

namespace troika::bench {
namespace {

using ::testing::IsEmpty;

class GenerateTest : public ::testing::TestWithParam<const Backend*> {};

// A stream that the parser does not know would measure nothing.
TEST_P(GenerateTest, ParserKnowsEverything) {
  const std::string stream = GenerateStream(GetParam()->harness, 500'000);
  Drift drift;
  const auto protocol = GetParam()->NewProtocol({.drift = &drift});
  const std::vector<Message> messages = RunStream(*protocol, stream);
  EXPECT_THAT(Payloads<ParseError>(messages), IsEmpty());
  EXPECT_EQ(BrokenRules(messages), "");
  for (const Drift::Entry& entry : drift.Entries()) {
    ADD_FAILURE() << entry.count << " x " << entry.what;
  }
  for (const ToolResult& result : Payloads<ToolResult>(messages)) {
    EXPECT_FALSE(result.synthetic) << result.output;
  }
}

TEST_P(GenerateTest, IsTheSameEachTime) {
  EXPECT_EQ(GenerateStream(GetParam()->harness, 100'000),
            GenerateStream(GetParam()->harness, 100'000));
}

INSTANTIATE_TEST_SUITE_P(All, GenerateTest, ::testing::ValuesIn(AllBackends()),
                         [](const auto& info) {
                           return std::string(HarnessId(info.param->harness));
                         });

}  // namespace
}  // namespace troika::bench
