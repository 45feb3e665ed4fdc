// The tasks that the dashboard lists, in groups.
#ifndef TROIKA_CLI_DASHBOARD_TASK_BOOK_H_
#define TROIKA_CLI_DASHBOARD_TASK_BOOK_H_

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika::cli {

// In the order in which they are listed: what needs the user comes first.
enum class TaskGroup { kNeedsYou, kFailed, kRunning, kQueued, kEnded };
inline constexpr size_t kTaskGroups = 5;

// "needs you", "failed" and so on.
absl::string_view GroupTitle(TaskGroup group);

// A task that failed more than a day ago counts as ended.
TaskGroup GroupOf(const v1::Task& task, absl::Time now);

// No I/O and no clock: `now` is Clock::Now().
class TaskBook {
 public:
  // More tasks are not kept: of those that have ended, the oldest are dropped.
  static constexpr size_t kMostTasks = 2000;

  // What a change means to a user who looks elsewhere.
  enum class Change {
    kNothing,
    kBeganToAsk,
    kEnded,  // A turn ended that ran for more than kLongTurn.
  };
  static constexpr absl::Duration kLongTurn = absl::Seconds(10);

  // The server is asked for its tasks: from now on, changes are newer than what
  // TakeList() gets. Whether it has more tasks than that is `more`.
  void BeginList();
  enum class More { kNo, kYes };
  // A turn that runs counts as begun now, because its start is not known.
  void TakeList(std::vector<v1::Task> tasks, More more, absl::Time now);

  Change Put(v1::Task task, absl::Time now);
  void Remove(const std::string& id);
  // Whether TakeList() was called.
  bool listed() const { return listed_; }
  bool has_more() const { return more_ == More::kYes; }

  // Each word of the filter must be in the title, id, harness, folder, or state
  // of a task, in any case.
  void SetFilter(std::string filter);
  const std::string& filter() const { return filter_; }
  // Returns the words of a filter, in lower case.
  static std::set<std::string> WordsOf(const std::string& filter);
  // The server has found these tasks for each word of the filter, which may be
  // in their prompts.
  using Found = std::map<std::string, std::vector<v1::Task>>;
  void AddFound(const std::string& filter, const Found& found, absl::Time now);

  // Null if there is none.
  const v1::Task* /*nullable*/ Find(const std::string& id) const;

  struct Entry {
    TaskGroup group = TaskGroup::kEnded;
    const v1::Task* task = nullptr;  // Valid until the book changes.
  };
  // The tasks that the filter lets through, by groups. In a group the newest is
  // the first; in the queue, the oldest; of those that ask, the one that has
  // waited longest.
  const std::vector<Entry>& Entries(absl::Time now);
  // Tasks of each group, whatever the filter says.
  const std::array<size_t, kTaskGroups>& Counts(absl::Time now);

 private:
  bool Matches(const v1::Task& task) const;
  void Sort(absl::Time now);
  void DropOldest(absl::Time now);

  std::map<std::string, v1::Task> tasks_;
  std::map<std::string, absl::Time> working_since_;
  std::optional<std::set<std::string>> changed_;  // Since BeginList().
  bool listed_ = false;
  More more_ = More::kNo;
  std::string filter_;
  std::map<std::string, std::set<std::string>> found_;  // Ids by word.

  // Computed by Sort().
  absl::Time sorted_at_ = absl::InfinitePast();
  std::vector<Entry> entries_;
  std::array<size_t, kTaskGroups> counts_ = {};
};

}  // namespace troika::cli

#endif  // TROIKA_CLI_DASHBOARD_TASK_BOOK_H_
