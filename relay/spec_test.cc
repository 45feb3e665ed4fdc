#include "relay/spec.h"

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "relay/frozen_bytes_testing.h"
#include "relay/start.h"
#include "relay/testing.h"

namespace troika::relay {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr absl::string_view kHead = "TRKS\x01";

std::map<std::string, std::string> FrozenSpecs() {
  return FrozenBytes("relay/testdata/specs.txt");
}

RelaySpec FrozenSpec() {
  return {.argv = {"/bin/sh", "-c", "echo \"$WORD\""},
          .env = {"PATH=/usr/bin:/bin", "WORD=kept"},
          .cwd = "/",
          .stdin_mode = StdinMode::kNull,
          .spawned_note = R"({"note":"spawned","generation":1})",
          .spawned_key = "spawn-1",
          .max_log_bytes = 1 << 30,
          .grace = absl::Milliseconds(700),
          .disk_full_wait = absl::Seconds(61),
          .undriven = absl::Minutes(10)};
}

std::string Field(int tag, absl::string_view value) {
  std::string field(1, static_cast<char>(tag));
  for (size_t rest = value.size(), i = 0; i < 4; ++i, rest >>= 8) {
    field += static_cast<char>(rest & 0xff);
  }
  return absl::StrCat(field, value);
}

TEST(SpecTest, EveryFormThatWasEverWrittenIsRead) {
  const auto frozen = FrozenSpecs();
  EXPECT_THAT(frozen, SizeIs(2));
  for (const auto& [name, bytes] : frozen) {
    const auto spec = DecodeSpec(bytes);
    ASSERT_TRUE(spec.ok()) << name << ": " << spec.status();
    EXPECT_TRUE(*spec == FrozenSpec()) << name;
  }
  EXPECT_EQ(Encode(FrozenSpec()), frozen.at("version_1"));
}

TEST(SpecTest, RelayStartsFromEveryForm) {
  for (const auto& [name, bytes] : FrozenSpecs()) {
    TempFolder folder;
    SystemClock clock;
    auto log = LogWriter::Open(folder.fd(), "task1", &clock);
    ASSERT_TRUE(log.ok());
    const auto ready = StartRelayFromBytes(*FindRelayProgram(), bytes,
                                           *std::move(log), folder.fd());
    ASSERT_TRUE(ready.ok()) << name << ": " << ready.status();
    EXPECT_TRUE(RelayStarted(*ready).ok()) << name;
    ASSERT_TRUE(WaitForLogEnd(folder.fd())) << name;
    EXPECT_EQ(Joined(ReadLog(folder.fd()), Stream::kStdout), "kept\n") << name;
  }
}

TEST(SpecTest, FirstCommandsKeepTheirOrder) {
  RelaySpec spec = FrozenSpec();
  spec.first_commands = {"b", std::string("\0", 1), "a"};
  EXPECT_TRUE(*DecodeSpec(Encode(spec)) == spec);
}

TEST(SpecTest, FieldsOfANewerServerArePassedOver) {
  const auto spec =
      DecodeSpec(absl::StrCat(Encode(FrozenSpec()), Field(127, "newer")));
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_TRUE(*spec == FrozenSpec());
}

TEST(SpecTest, WhatMustBeUnderstoodIsNamed) {
  const auto field =
      DecodeSpec(absl::StrCat(Encode(FrozenSpec()), Field(128, "newer")));
  EXPECT_TRUE(absl::IsFailedPrecondition(field.status()));
  EXPECT_THAT(std::string(field.status().message()), HasSubstr("field 128"));
  std::string bytes = Encode(FrozenSpec());
  bytes[4] = 2;
  const auto version = DecodeSpec(bytes);
  EXPECT_TRUE(absl::IsFailedPrecondition(version.status()));
  EXPECT_THAT(std::string(version.status().message()),
              HasSubstr("the relay program is older than the server"));
  EXPECT_THAT(std::string(version.status().message()),
              HasSubstr("restart the server"));
}

TEST(SpecTest, RelayTellsItsStarterThatItIsTooOld) {
  std::string bytes = Encode(FrozenSpec());
  bytes[4] = 2;
  TempFolder folder;
  SystemClock clock;
  auto log = LogWriter::Open(folder.fd(), "task1", &clock);
  ASSERT_TRUE(log.ok());
  const auto ready = StartRelayFromBytes(*FindRelayProgram(), bytes,
                                         *std::move(log), folder.fd());
  ASSERT_TRUE(ready.ok()) << ready.status();
  EXPECT_THAT(std::string(RelayStarted(*ready).message()),
              HasSubstr("restart the server"));
}

TEST(SpecTest, DamageIsRefused) {
  for (const auto& [name, bytes] : FrozenSpecs()) {
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto spec = DecodeSpec(bytes.substr(0, size));
      // If the bytes end after a field, the other fields keep their defaults.
      EXPECT_TRUE(!spec.ok() || name == "version_1") << name << " " << size;
    }
  }
  for (const std::string& fields :
       {Field(4, "\x02"), Field(4, ""), Field(7, "short"), Field(8, "")}) {
    EXPECT_TRUE(absl::IsInvalidArgument(
        DecodeSpec(absl::StrCat(kHead, Field(1, "/bin/true"), fields))
            .status()))
        << fields;
  }
  EXPECT_FALSE(DecodeSpec(kHead).ok());
  EXPECT_FALSE(DecodeSpec("").ok());
}

}  // namespace
}  // namespace troika::relay
