#include "agent/launch/builder.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

constexpr FlagRow kFlags[] = {
    {"--mode"}, {"--list"}, {"--old", {0, 1, 0}, {1, 5, 0}}};
constexpr EditModeRow kEditModes[] = {
    {EditMode::kResearch, {1, 0, 0}, "--mode read", {}},
    {EditMode::kResearch, {2, 0, 0}, "--mode read --list a", {}, "not all"},
    {EditMode::kDangerous, {1, 0, 0}, "--mode all", {}},
};
constexpr LaunchRules kRules = {.name = "Some CLI",
                                .install = "make install",
                                .oldest = {1, 0, 0},
                                .flags = {.rows = kFlags, .newest = {3, 0, 0}},
                                .edit_modes = kEditModes};

std::string Error(const LaunchRequest& request) {
  const Cli cli = {.path = "cli", .version = "2.0.0"};
  LaunchBuilder b(kRules, request, cli);
  return std::string(
      std::move(b).Finish(Launch::Stdin::kPrompt).status().message());
}

TEST(LaunchBuilderTest, ValuesThatNoCommandLineCarries) {
  EXPECT_EQ(Error({}), "");
  EXPECT_EQ(Error({.options = {.model = std::string("a\0b", 3)}}),
            "model: holds a NUL byte, which no command line can carry");
  EXPECT_EQ(Error({.options = {.images = {"a", "--yolo"}}}),
            "images: \"--yolo\" begins with a dash and would be taken for a "
            "flag; write it as ./--yolo");
  EXPECT_EQ(Error({.resume_session = "--last"}),
            "resume_session: \"--last\" begins with a dash and would be taken "
            "for a flag; give another one, or leave it out");
  EXPECT_EQ(Error({.options = {.extra_dirs = {""}}}),
            "extra_dirs: one of them is empty");
  EXPECT_EQ(Error({.options = {.config = {"key"}}}),
            "config: \"key\" is not key=value");
  EXPECT_EQ(Error({.options = {.config = {"=1"}}}),
            "config: \"=1\" is not key=value");
}

TEST(LaunchBuilderTest, ArgumentsHaveAnEnd) {
  const LaunchRequest request;
  const Cli cli = {.path = "cli", .version = "2.0.0"};
  LaunchBuilder b(kRules, request, cli);
  b.Arg(std::string(200000, 'x'));
  EXPECT_EQ(std::move(b).Finish(Launch::Stdin::kNull).status().message(),
            "options: the one that begins "
            "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" is longer than a "
            "command line takes");
}

TEST(LaunchBuilderTest, EditModesFollowTheVersion) {
  const LaunchRequest request;
  const struct {
    absl::string_view version;
    std::vector<std::string> argv;
    std::vector<std::string> notices;
  } kCases[] = {
      {"1.0.0", {"cli", "--mode", "read"}, {}},
      {"1.9.9", {"cli", "--mode", "read"}, {}},
      {"2.0.0-beta", {"cli", "--mode", "read", "--list", "a"}, {"not all"}},
      {"", {"cli", "--mode", "read", "--list", "a"}, {"not all"}},
  };
  for (const auto& c : kCases) {
    const Cli cli = {.path = "cli", .version = std::string(c.version)};
    LaunchBuilder b(kRules, request, cli);
    b.Permissions({});
    const absl::StatusOr<Launch> launch =
        std::move(b).Finish(Launch::Stdin::kNull);
    ASSERT_TRUE(launch.ok()) << launch.status();
    EXPECT_EQ(launch->argv, c.argv) << c.version;
    EXPECT_EQ(launch->notices, c.notices) << c.version;
  }
}

TEST(LaunchBuilderTest, FlagsHaveAFirstAndALastVersion) {
  const struct {
    absl::string_view version;
    absl::string_view help;
    bool has;
  } kCases[] = {
      {"0.0.9", "", false},
      {"0.1.0", "", true},
      {"1.5.0", "", true},
      {"1.5.1", "", false},
      {"4.0.0", "", false},
      {"4.0.0", "use --old, or", true},
      {"4.0.0", "--older", false},
      {"4.0.0", "x--old", false},
      {"4.0.0", "--older --old", true},
      {"1.5.1", "--old", false},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(kRules.flags.Has({.version = std::string(c.version),
                                .help = std::string(c.help)},
                               "--old"),
              c.has)
        << c.version << " " << c.help;
  }
}

TEST(LaunchBuilderTest, ListsGrow) {
  const LaunchRequest request;
  const Cli cli = {.path = "cli", .version = "2.0.0"};
  LaunchBuilder b(kRules, request, cli);
  b.AddToList("--list", "a");
  b.AddToList("--list", "b,c");
  const absl::StatusOr<Launch> launch =
      std::move(b).Finish(Launch::Stdin::kNull);
  ASSERT_TRUE(launch.ok());
  EXPECT_THAT(launch->argv, testing::ElementsAre("cli", "--list", "a,b,c"));
}

}  // namespace
}  // namespace troika
