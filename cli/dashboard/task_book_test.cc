#include "cli/dashboard/task_book.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/dashboard/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace troika::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Change = TaskBook::Change;

std::vector<std::string> Ids(TaskBook& book) {
  std::vector<std::string> ids;
  for (const TaskBook::Entry& entry : book.Entries(kNoon)) {
    ids.push_back(entry.task->id());
  }
  return ids;
}

TEST(TaskBookTest, WhatNeedsTheUserComesFirst) {
  TaskBook book;
  book.TakeList(
      {MakeTask("t1", v1::Task::done), MakeTask("t7", v1::Task::queued),
       MakeTask("t6", v1::Task::queued), MakeTask("t2", v1::Task::failed),
       MakeTask("t3", v1::Task::running),
       MakeTask("t4", v1::Task::awaiting_approval, absl::Minutes(1)),
       MakeTask("t5", v1::Task::awaiting_answer, absl::Minutes(9)),
       MakeTask("t8", v1::Task::failed, absl::Hours(30))},
      TaskBook::More::kNo, kNoon);
  // The one that has waited longest is the first; an old failure is no news.
  EXPECT_THAT(Ids(book),
              ElementsAre("t5", "t4", "t2", "t3", "t6", "t7", "t8", "t1"));
  EXPECT_THAT(book.Counts(kNoon), ElementsAre(2, 1, 1, 2, 2));
}

TEST(TaskBookTest, AChangeIsNewerThanTheListThatWasAskedBefore) {
  TaskBook book;
  book.BeginList();
  book.Put(MakeTask("t1", v1::Task::running), kNoon);
  book.Put(MakeTask("t2", v1::Task::running), kNoon);
  book.Remove("t2");
  book.TakeList(
      {MakeTask("t1", v1::Task::queued), MakeTask("t2", v1::Task::running),
       MakeTask("t3", v1::Task::running)},
      TaskBook::More::kNo, kNoon);
  EXPECT_THAT(Ids(book), ElementsAre("t3", "t1"));
  EXPECT_EQ(book.Find("t1")->state(), v1::Task::running);
  // The next list has them all.
  book.BeginList();
  book.TakeList({MakeTask("t3", v1::Task::done)}, TaskBook::More::kNo, kNoon);
  EXPECT_THAT(Ids(book), ElementsAre("t3"));
}

TEST(TaskBookTest, TellsWhatTheUserShouldHear) {
  TaskBook book;
  // What was there before is no news.
  EXPECT_EQ(book.Put(MakeTask("t0", v1::Task::awaiting_answer), kNoon),
            Change::kNothing);
  book.TakeList({MakeTask("t1", v1::Task::running)}, TaskBook::More::kNo,
                kNoon);
  EXPECT_EQ(book.Put(MakeTask("t1", v1::Task::running), kNoon),
            Change::kNothing);
  EXPECT_EQ(book.Put(MakeTask("t1", v1::Task::awaiting_approval), kNoon),
            Change::kBeganToAsk);
  EXPECT_EQ(book.Put(MakeTask("t1", v1::Task::awaiting_approval), kNoon),
            Change::kNothing);
  EXPECT_EQ(book.Put(MakeTask("t1", v1::Task::done), kNoon + absl::Seconds(11)),
            Change::kEnded);
  // The turn ran already when it was listed.
  book.BeginList();
  book.TakeList({MakeTask("t9", v1::Task::running)}, TaskBook::More::kNo,
                kNoon);
  EXPECT_EQ(book.Put(MakeTask("t9", v1::Task::done), kNoon + absl::Seconds(11)),
            Change::kEnded);
  // A short turn is not worth a bell.
  book.Put(MakeTask("t1", v1::Task::running), kNoon);
  EXPECT_EQ(book.Put(MakeTask("t1", v1::Task::idle), kNoon + absl::Seconds(9)),
            Change::kNothing);
}

TEST(TaskBookTest, FiltersByAllWords) {
  TaskBook book;
  v1::Task login = MakeTask("t1", v1::Task::running);
  login.set_title("Fix the LOGIN test");
  book.TakeList({login, MakeTask("t2", v1::Task::awaiting_approval)},
                TaskBook::More::kYes, kNoon);
  book.SetFilter("login fix");
  EXPECT_THAT(Ids(book), ElementsAre("t1"));
  EXPECT_THAT(book.Counts(kNoon), ElementsAre(1, 0, 1, 0, 0));
  book.SetFilter("awaiting app");
  EXPECT_THAT(Ids(book), ElementsAre("t2"));
  book.SetFilter("Alpha beta DONE");
  EXPECT_THAT(Ids(book), IsEmpty());
  // What the server finds for all words is shown, if the filter is still that.
  const v1::Task both = MakeTask("t0", v1::Task::done);
  book.AddFound("Alpha beta DONE",
                {{"alpha", {both, MakeTask("t8", v1::Task::done)}},
                 {"beta", {both, MakeTask("t9", v1::Task::done)}},
                 {"done", {}}},
                kNoon);
  book.AddFound("another", {{"alpha", {login}}, {"beta", {login}}}, kNoon);
  EXPECT_THAT(Ids(book), ElementsAre("t0"));
  book.SetFilter("");
  EXPECT_THAT(Ids(book), ElementsAre("t2", "t1", "t0"));
}

TEST(TaskBookTest, KeepsABoundedNumber) {
  TaskBook book;
  book.TakeList({}, TaskBook::More::kNo, kNoon);
  book.Put(MakeTask("a", v1::Task::running), kNoon);
  for (size_t i = 0; i < TaskBook::kMostTasks; ++i) {
    book.Put(MakeTask(absl::StrCat("b", 10000 + i), v1::Task::done), kNoon);
  }
  EXPECT_EQ(book.Entries(kNoon).size(), TaskBook::kMostTasks);
  EXPECT_NE(book.Find("a"), nullptr);
  EXPECT_EQ(book.Find("b10000"), nullptr);
  EXPECT_TRUE(book.has_more());
}

}  // namespace
}  // namespace troika::cli
