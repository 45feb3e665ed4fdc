#include "base/flags.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
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

TEST(FlagKindsTest, CollectsValues) {
  std::vector<std::string> images = {"first"};
  Flags flags;
  flags.Add("image", &images);
  EXPECT_THAT(*flags.Parse({"--image", "a", "x", "--image=b", "--image="}),
              ElementsAre("x"));
  EXPECT_THAT(images, ElementsAre("first", "a", "b", ""));
}

TEST(FlagKindsTest, SwitchesBothWays) {
  std::optional<bool> search;
  Flags flags;
  flags.Add("search", &search);
  EXPECT_TRUE(flags.Parse({}).ok());
  EXPECT_EQ(search, std::nullopt);
  EXPECT_TRUE(flags.Parse({"--search"}).ok());
  EXPECT_EQ(search, true);
  EXPECT_TRUE(flags.Parse({"--search", "--no-search"}).ok());
  EXPECT_EQ(search, false);
  EXPECT_EQ(flags.Parse({"--no-search=1"}).status().message(),
            "--no-search takes no value");
}

TEST(FlagKindsTest, ReadsDurations) {
  std::optional<absl::Duration> timeout;
  Flags flags;
  flags.Add("timeout", &timeout);
  EXPECT_TRUE(flags.Parse({"--timeout", "1h30m"}).ok());
  EXPECT_EQ(timeout, absl::Minutes(90));
  for (const std::string text : {"10", "", "soon", "5 m", "1d"}) {
    EXPECT_THAT(
        std::string(flags.Parse({"--timeout", text}).status().message()),
        HasSubstr("is not a duration: write it as 90s, 10m or 1h30m"))
        << text;
  }
  for (const std::string text : {"0", "-5s", "inf", "1us", "9000h"}) {
    EXPECT_EQ(
        flags.Parse({"--timeout", text}).status().message(),
        absl::StrCat("--timeout ", text, " is out of range: 1ms to 8760h"));
  }
  EXPECT_EQ(timeout, absl::Minutes(90));
}

TEST(FlagKindsTest, Numbers) {
  std::optional<int> limit;
  Flags flags;
  flags.Add("limit", &limit);
  EXPECT_TRUE(flags.Parse({"--limit", "20"}).ok());
  EXPECT_EQ(limit, 20);
  for (const std::string text : {"", "-1", "2x", "99999999999"}) {
    EXPECT_EQ(flags.Parse({"--limit", text}).status().message(),
              absl::StrCat("--limit ", text,
                           " is not a number: write one of 0 or more"));
  }
}

TEST(FlagKindsTest, LettersStandForNames) {
  bool follow = false;
  Flags flags;
  flags.Add("follow", &follow);
  flags.AddShort('f', "follow");
  EXPECT_THAT(*flags.Parse({"x", "-f"}), ElementsAre("x"));
  EXPECT_TRUE(follow);
}

}  // namespace
}  // namespace troika
