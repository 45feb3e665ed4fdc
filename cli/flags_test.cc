#include "cli/flags.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FlagsTest : public ::testing::Test {
 protected:
  FlagsTest() {
    flags_.Add("harness", &harness_);
    flags_.Add("text", &text_);
  }

  std::string Error(const std::vector<std::string>& args) {
    const auto others = flags_.Parse(args);
    return others.ok() ? "" : std::string(others.status().message());
  }

  std::string harness_ = "default";
  bool text_ = false;
  Flags flags_;
};

TEST_F(FlagsTest, NothingGivenChangesNothing) {
  EXPECT_THAT(*flags_.Parse({}), IsEmpty());
  EXPECT_EQ(harness_, "default");
  EXPECT_FALSE(text_);
}

TEST_F(FlagsTest, BothWaysOfGivingAValue) {
  EXPECT_THAT(*flags_.Parse({"a", "--harness", "codex", "-", "--text"}),
              ElementsAre("a", "-"));
  EXPECT_EQ(harness_, "codex");
  EXPECT_TRUE(text_);
  EXPECT_THAT(*flags_.Parse({"--harness=a=b"}), IsEmpty());
  EXPECT_EQ(harness_, "a=b");
  EXPECT_THAT(*flags_.Parse({"--harness", "--text"}), IsEmpty());
  EXPECT_EQ(harness_, "--text");
  EXPECT_THAT(*flags_.Parse({"--harness="}), IsEmpty());
  EXPECT_EQ(harness_, "");
}

TEST_F(FlagsTest, NothingIsAFlagAfterTwoDashes) {
  EXPECT_THAT(*flags_.Parse({"--", "--text", "--"}),
              ElementsAre("--text", "--"));
  EXPECT_FALSE(text_);
}

TEST_F(FlagsTest, ErrorsSayWhatMayHaveBeenMeant) {
  EXPECT_EQ(Error({"--harnes", "codex"}),
            "unknown flag --harnes; did you mean --harness?");
  EXPECT_EQ(Error({"--txet=1"}), "unknown flag --txet; did you mean --text?");
  EXPECT_EQ(Error({"-t"}), "unknown flag -t");
  EXPECT_EQ(Error({"--something-else"}), "unknown flag --something-else");
  EXPECT_EQ(Error({"--harness"}), "--harness needs a value");
  EXPECT_EQ(Error({"--text=yes"}), "--text takes no value");
}

}  // namespace
}  // namespace troika::cli
