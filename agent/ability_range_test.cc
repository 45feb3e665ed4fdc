#include "agent/ability_range.h"

#include "agent/registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

AbilityRange Of(Harness harness, const LaunchOptions& options,
                absl::string_view version = "") {
  return AbilitiesOf(BackendOf(harness), options, version);
}

TEST(AbilityRangeTest, SandboxesAreToldApart) {
  const LaunchOptions full = {.edit_mode = EditMode::kFullAuto};
  const Abilities codex = Of(Harness::kCodex, full, "0.166.0").most;
  EXPECT_TRUE(codex.Has(Ability::kRunSandboxed));
  EXPECT_FALSE(codex.Has(Ability::kRunUnsandboxed));
  EXPECT_FALSE(codex.Has(Ability::kNetwork));
  EXPECT_EQ(Of(Harness::kClaude, full, "2.1.325").least, kUnsandboxed);
  EXPECT_EQ(Of(Harness::kGemini, full, "0.61.0").least, kUnsandboxed);
}

TEST(AbilityRangeTest, WhatIsNotKnownMayBeAnything) {
  for (const LaunchOptions& options :
       {LaunchOptions{.edit_mode = EditMode::kFullAuto, .config = {"a=b"}},
        LaunchOptions{.edit_mode = EditMode::kFullAuto, .profile = "p"},
        LaunchOptions{.sandbox = "new"},
        LaunchOptions{.approval_policy = "new"}}) {
    for (const Harness harness : {Harness::kCodex, Harness::kClaude,
                                  Harness::kGemini, Harness::kDemo}) {
      const AbilityRange range = Of(harness, options);
      EXPECT_EQ(range.most, kEverything);
      EXPECT_TRUE(Of(harness, {}).least.Includes(range.least));
    }
  }
  // The user chooses among Gemini's sandboxes independently of the edit mode.
  const AbilityRange gemini =
      Of(Harness::kGemini,
         {.edit_mode = EditMode::kFullAuto, .sandbox = "docker"});
  EXPECT_EQ(gemini.most, kEverything);
  EXPECT_TRUE(gemini.least.empty());
}

TEST(AbilityRangeTest, UnknownVersionsCountAsAllOfThem) {
  for (const Backend* backend : AllBackends()) {
    for (const EditModeRow& row : backend->edit_modes) {
      const AbilityRange range =
          AbilitiesOf(*backend, {.edit_mode = row.mode}, "");
      EXPECT_TRUE(range.most.Includes(row.abilities)) << row.args;
      EXPECT_TRUE(row.abilities.Includes(range.least)) << row.args;
    }
  }
}

TEST(AbilityRangeTest, OnlyDangerousModesCanDoEverything) {
  for (const Backend* backend : AllBackends()) {
    for (const EditModeRow& row : backend->edit_modes) {
      EXPECT_EQ(
          row.abilities == kEverything,
          row.mode == EditMode::kDangerous || row.mode == EditMode::kNative)
          << row.args;
    }
    EXPECT_EQ(AbilitiesOf(*backend, {.dangerously_bypass = true}, "").least,
              kEverything);
  }
}

// Each mode includes the abilities of the mode before it.
TEST(AbilityRangeTest, FreerModesCanDoMore) {
  for (const Backend* backend : AllBackends()) {
    Abilities before;
    for (const EditMode mode : {EditMode::kResearch, EditMode::kAutoEdit,
                                EditMode::kFullAuto, EditMode::kDangerous}) {
      const Abilities now =
          AbilitiesOf(*backend, {.edit_mode = mode}, "").least;
      EXPECT_TRUE(now.Includes(before)) << EditModeId(mode);
      before = now;
    }
  }
}

// A task in native mode may do everything, and is known to do no more than
// research.
TEST(AbilityRangeTest, NativeIsDangerousToStartAndNoReasonToStartMore) {
  for (const Backend* backend : AllBackends()) {
    const AbilityRange range =
        AbilitiesOf(*backend, {.edit_mode = EditMode::kNative}, "");
    EXPECT_EQ(range.most, kEverything);
    EXPECT_EQ(range.least, AbilitiesOf(*backend, {}, "").least);
  }
  const AbilityRange codex =
      Of(Harness::kCodex,
         {.edit_mode = EditMode::kNative, .sandbox = "read-only"});
  EXPECT_EQ(codex.most, Of(Harness::kCodex, {}).most);
}

TEST(AbilityRangeTest, ReportedBypassesAreKnown) {
  const auto reports = [](Harness harness, absl::string_view mode) {
    return ReportsBypass(BackendOf(harness), mode);
  };
  EXPECT_TRUE(reports(Harness::kClaude, "bypassPermissions"));
  EXPECT_FALSE(reports(Harness::kClaude, "acceptEdits"));
  EXPECT_FALSE(reports(Harness::kClaude, ""));
  EXPECT_TRUE(reports(Harness::kGemini, "yolo"));
  EXPECT_TRUE(reports(Harness::kCodex, "never, danger-full-access"));
  EXPECT_FALSE(reports(Harness::kCodex, "on-request, workspace-write"));
}

TEST(AbilityRangeTest, TextsNameAll) {
  EXPECT_EQ(AbilitiesText({Ability::kEdit, Ability::kNetwork}),
            "edit files in its folder and reach the network");
  EXPECT_EQ(AbilitiesText({Ability::kNetwork}), "reach the network");
  EXPECT_EQ(AbilityIds({Ability::kEdit, Ability::kNetwork}), "edit, network");
  EXPECT_EQ(AbilityIds({}), "–");
  EXPECT_EQ(AbilityNames().size(), 7u);
}

}  // namespace
}  // namespace troika
