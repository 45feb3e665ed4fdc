#include "task/fork.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika {
namespace {

using ::testing::HasSubstr;

// A task of Codex that has had three turns.
TaskState ThreeTurns() {
  TaskState state;
  state.task = "t1";
  state.session_id = "s";
  state.asked_model = "";
  state.model = "gpt-1";
  state.turns = 3;
  state.fork_points = {{1, "a"}, {3, "c"}};
  return state;
}

const notes::Request kRequest = {.task = "t1",
                                 .harness = "codex",
                                 .cwd = "/w",
                                 .labels = {{"team", "web"}},
                                 .options = {.skip_git_check = true}};

std::string Error(const TaskState& state, int turn) {
  return std::string(ForkOf(kRequest, state, turn).status().message());
}

TEST(ForkTest, CopiesTheTaskAtItsEnd) {
  TaskState state = ThreeTurns();
  state.edit_mode = EditMode::kAutoEdit;
  const auto fork = ForkOf(kRequest, state, 0);
  ASSERT_TRUE(fork.ok()) << fork.status();
  EXPECT_EQ(fork->harness, Harness::kCodex);
  EXPECT_EQ(fork->cwd, "/w");
  EXPECT_EQ(fork->resume_session, "s");
  EXPECT_TRUE(fork->fork_session);
  EXPECT_EQ(fork->fork, (notes::ForkSource{.task = "t1", .turn = 3}));
  EXPECT_EQ(fork->options.edit_mode, EditMode::kAutoEdit);
  EXPECT_TRUE(fork->options.skip_git_check);
  EXPECT_EQ(fork->labels.at("team"), "web");
  // Codex would take its default.
  EXPECT_EQ(fork->options.model, "gpt-1");
}

TEST(ForkTest, CopiesTheTaskAtATurn) {
  TaskState state = ThreeTurns();
  EXPECT_EQ(ForkOf(kRequest, state, 1)->fork.point, "a");
  EXPECT_THAT(Error(state, 2), HasSubstr("gave turn 2 no name"));
  // The last turn needs none.
  EXPECT_EQ(ForkOf(kRequest, state, 3)->fork.point, "");
  EXPECT_THAT(Error(state, 4), HasSubstr("the last one is 3"));
  EXPECT_THAT(Error(state, -1), HasSubstr("has no turn -1"));
}

TEST(ForkTest, LeavesOutATurnThatRuns) {
  TaskState state = ThreeTurns();
  state.turns = 5;
  state.turns_waiting = 1;
  state.turn_open = true;
  state.process_alive = true;
  EXPECT_EQ(ForkOf(kRequest, state, 0)->fork,
            (notes::ForkSource{.task = "t1", .turn = 3, .point = "c"}));
  EXPECT_THAT(Error(state, 4), HasSubstr("the last one is 3"));
  state.fork_points.erase(3);
  EXPECT_THAT(Error(state, 0), HasSubstr("wait until its turn has ended"));
  // A turn that waits for its process is open, too.
  state = ThreeTurns();
  state.turns = 4;
  state.turns_waiting = 1;
  state.turn_open = true;
  EXPECT_EQ(ForkOf(kRequest, state, 0)->fork.turn, 3);
}

TEST(ForkTest, NeedsATurn) {
  TaskState state = ThreeTurns();
  state.turns = 1;
  state.turn_open = true;
  state.process_alive = true;
  EXPECT_THAT(Error(state, 0), HasSubstr("wait for its first turn"));
  state = ThreeTurns();
  state.session_id.clear();
  EXPECT_THAT(Error(state, 0), HasSubstr("nothing to fork"));
}

}  // namespace
}  // namespace troika
