#include "cli/dashboard/task_book.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/commands/task_text.h"

namespace troika::cli {
namespace {

// Older failures are no news.
constexpr absl::Duration kRecent = absl::Hours(24);
// How soon a task may leave the group of failures late.
constexpr absl::Duration kSortAgain = absl::Minutes(1);

absl::Time LastActivity(const v1::Task& task) {
  return ToTime(task.has_last_activity_at() ? task.last_activity_at()
                                            : task.created_at());
}

bool IsWorking(const v1::Task& task) {
  return task.state() == v1::Task::starting ||
         task.state() == v1::Task::running;
}

bool Asks(const v1::Task& task) {
  return task.state() == v1::Task::awaiting_approval ||
         task.state() == v1::Task::awaiting_answer;
}

}  // namespace

absl::string_view GroupTitle(TaskGroup group) {
  switch (group) {
    case TaskGroup::kNeedsYou:
      return "needs you";
    case TaskGroup::kFailed:
      return "failed";
    case TaskGroup::kRunning:
      return "running";
    case TaskGroup::kQueued:
      return "queued";
    case TaskGroup::kEnded:
      return "ended";
  }
  return "";
}

TaskGroup GroupOf(const v1::Task& task, absl::Time now) {
  if (Asks(task)) return TaskGroup::kNeedsYou;
  if (IsWorking(task)) return TaskGroup::kRunning;
  if (task.state() == v1::Task::queued) return TaskGroup::kQueued;
  const bool failed = StateWord(task) == "failed";
  return failed && now - LastActivity(task) < kRecent ? TaskGroup::kFailed
                                                      : TaskGroup::kEnded;
}

void TaskBook::BeginList() { changed_.emplace(); }

void TaskBook::TakeList(std::vector<v1::Task> tasks, More more,
                        absl::Time now) {
  const std::set<std::string> newer =
      std::exchange(changed_, std::nullopt).value_or(std::set<std::string>());
  for (auto it = tasks_.begin(); it != tasks_.end();) {
    it = newer.contains(it->first) ? std::next(it) : tasks_.erase(it);
  }
  for (v1::Task& task : tasks) {
    std::string id = task.id();
    if (newer.contains(id)) continue;
    if (IsWorking(task)) working_since_.emplace(id, now);
    tasks_[std::move(id)] = std::move(task);
  }
  listed_ = true;
  more_ = more;
  sorted_at_ = absl::InfinitePast();
}

TaskBook::Change TaskBook::Put(v1::Task task, absl::Time now) {
  const std::string id = task.id();
  if (changed_) changed_->insert(id);
  v1::Task& known = tasks_[id];
  const bool asked = Asks(known);
  known = std::move(task);
  sorted_at_ = absl::InfinitePast();
  Change change = Change::kNothing;
  if (IsWorking(known)) {
    working_since_.emplace(id, now);
  } else if (Asks(known)) {
    if (!asked && listed_) change = Change::kBeganToAsk;
  } else if (const auto since = working_since_.find(id);
             since != working_since_.end()) {
    if (now - since->second > kLongTurn) change = Change::kEnded;
    working_since_.erase(since);
  }
  if (tasks_.size() > kMostTasks) DropOldest(now);
  return change;
}

void TaskBook::DropOldest(absl::Time now) {
  // Ids of later tasks are greater.
  const auto ended =
      std::find_if(tasks_.begin(), tasks_.end(), [&](const auto& one) {
        return GroupOf(one.second, now) == TaskGroup::kEnded;
      });
  if (ended == tasks_.end()) return;
  tasks_.erase(ended);
  more_ = More::kYes;
}

void TaskBook::Remove(const std::string& id) {
  if (changed_) changed_->insert(id);
  tasks_.erase(id);
  working_since_.erase(id);
  sorted_at_ = absl::InfinitePast();
}

void TaskBook::SetFilter(std::string filter) {
  if (filter == filter_) return;
  filter_ = std::move(filter);
  found_.clear();
  sorted_at_ = absl::InfinitePast();
}

std::set<std::string> TaskBook::WordsOf(const std::string& filter) {
  return absl::StrSplit(absl::AsciiStrToLower(filter), ' ', absl::SkipEmpty());
}

void TaskBook::AddFound(const std::string& filter, const Found& found,
                        absl::Time now) {
  if (filter != filter_) return;
  for (const auto& [word, tasks] : found) {
    for (const v1::Task& task : tasks) found_[word].insert(task.id());
  }
  for (const auto& [word, tasks] : found) {
    for (const v1::Task& task : tasks) {
      if (!tasks_.contains(task.id()) && Matches(task)) Put(task, now);
    }
  }
  sorted_at_ = absl::InfinitePast();
}

const v1::Task* TaskBook::Find(const std::string& id) const {
  const auto it = tasks_.find(id);
  return it == tasks_.end() ? nullptr : &it->second;
}

bool TaskBook::Matches(const v1::Task& task) const {
  if (filter_.empty()) return true;
  const std::string text = absl::AsciiStrToLower(
      absl::StrCat(task.title(), "\n", task.id(), "\n", task.harness(), "\n",
                   task.cwd(), "\n", StateText(task)));
  for (const std::string& word : WordsOf(filter_)) {
    const auto found = found_.find(word);
    const bool in_prompt =
        found != found_.end() && found->second.contains(task.id());
    if (!in_prompt && !absl::StrContains(text, word)) return false;
  }
  return true;
}

void TaskBook::Sort(absl::Time now) {
  if (now - sorted_at_ < kSortAgain && now >= sorted_at_) return;
  sorted_at_ = now;
  counts_ = {};
  entries_.clear();
  for (auto it = tasks_.rbegin(); it != tasks_.rend(); ++it) {
    const TaskGroup group = GroupOf(it->second, now);
    ++counts_[static_cast<size_t>(group)];
    if (Matches(it->second)) {
      entries_.push_back({.group = group, .task = &it->second});
    }
  }
  const auto rank = [](const Entry& entry) {
    // The order of ids stays within equal ranks.
    const bool waits = entry.group == TaskGroup::kNeedsYou;
    // Listed tasks have no position in the queue: the oldest is the next.
    return std::make_tuple(
        entry.group, waits ? LastActivity(*entry.task) : absl::InfinitePast(),
        entry.group == TaskGroup::kQueued ? absl::string_view(entry.task->id())
                                          : "");
  };
  std::stable_sort(
      entries_.begin(), entries_.end(),
      [&](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
}

const std::vector<TaskBook::Entry>& TaskBook::Entries(absl::Time now) {
  Sort(now);
  return entries_;
}

const std::array<size_t, kTaskGroups>& TaskBook::Counts(absl::Time now) {
  Sort(now);
  return counts_;
}

}  // namespace troika::cli
