#include "server/mcp/form_state.h"

#include "gtest/gtest.h"

namespace troika {
namespace {

const absl::Time kNow = absl::FromUnixMillis(1'800'000'000'000);
constexpr char kTask[] = "mwl9gso852nb";

TEST(FormStateTest, IsReadAsItWasWritten) {
  const std::string text =
      WriteFormState({.task = kTask, .question = "a.b", .opened = kNow});
  const auto state = ReadFormState(text, kNow);
  ASSERT_TRUE(state) << text;
  EXPECT_EQ(state->task, kTask);
  EXPECT_EQ(state->question, "a.b");
  EXPECT_EQ(state->opened, kNow);
}

TEST(FormStateTest, WhatClientsMakeUpIsNone) {
  const std::string good =
      WriteFormState({.task = kTask, .question = "q", .opened = kNow});
  EXPECT_FALSE(ReadFormState(good, kNow - absl::Seconds(1)));
  for (const std::string& text :
       {std::string(), std::string("form"), std::string("form.1"),
        std::string("form.x.") + kTask + ".q", std::string("form.-1.") + kTask,
        std::string("form.1.") + kTask + ".", std::string("form.1.../x.q"),
        std::string("form.99999999999999999999.") + kTask + ".q",
        std::string("\xff\0.1.2.3", 8)}) {
    EXPECT_FALSE(ReadFormState(text, kNow)) << text;
  }
}

}  // namespace
}  // namespace troika
