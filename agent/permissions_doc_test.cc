// Checks that docs/permissions.md shows the table that is in the code.
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "agent/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

std::vector<std::string> RowsOfCode() {
  std::vector<std::string> rows;
  for (const Backend* backend : AllBackends()) {
    for (const EditModeRow& row : backend->edit_modes) {
      rows.push_back(absl::StrCat(
          "| ", HarnessId(backend->harness), " | ", EditModeId(row.mode), " | ",
          VersionText(row.first), " | ",
          row.args.empty() ? "–" : absl::StrCat("`", row.args, "`"), " | ",
          AbilityIds(row.abilities), " | ",
          row.notice.empty() ? "–" : row.notice, " |"));
    }
    for (const NativeModeRow& row : backend->native_modes) {
      rows.push_back(absl::StrCat(
          "| ", HarnessId(backend->harness), " | `", row.option, "=", row.value,
          "` | ",
          row.abilities ? AbilityIds(*row.abilities) : "as the edit mode",
          " |"));
    }
  }
  return rows;
}

TEST(PermissionsDocTest, ShowsTheTableOfTheCode) {
  std::ifstream file("docs/permissions.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> rows;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    for (const Backend* backend : AllBackends()) {
      if (absl::StartsWith(
              line, absl::StrCat("| ", HarnessId(backend->harness), " | "))) {
        rows.emplace_back(line);
      }
    }
  }
  // The document lists all edit modes before all native settings.
  EXPECT_THAT(rows, testing::UnorderedElementsAreArray(RowsOfCode()));
  for (const AbilityName& name : AbilityNames()) {
    EXPECT_THAT(text, testing::HasSubstr(
                          absl::StrCat("| ", name.id, " | ", name.text, " |")));
  }
}

TEST(PermissionsDocTest, EveryModeHasARowForTheOldestVersion) {
  for (const Backend* backend : AllBackends()) {
    for (const EditMode mode : {EditMode::kResearch, EditMode::kAutoEdit,
                                EditMode::kFullAuto, EditMode::kDangerous}) {
      EXPECT_NE(FindEditMode(backend->edit_modes, mode,
                             backend->edit_modes.front().first),
                nullptr)
          << HarnessId(backend->harness) << " " << EditModeId(mode);
    }
  }
}

// Every bypass flag contains "dangerously" or "yolo".
TEST(PermissionsDocTest, OnlyDangerousBypasses) {
  for (const Backend* backend : AllBackends()) {
    for (const EditModeRow& row : backend->edit_modes) {
      EXPECT_EQ(row.mode == EditMode::kDangerous,
                absl::StrContains(row.args, "dangerously") ||
                    absl::StrContains(row.args, "yolo"))
          << row.args;
    }
  }
}

}  // namespace
}  // namespace troika
