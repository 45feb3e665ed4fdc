#include "cli/dashboard/task_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/terminal_text.h"

namespace troika::cli {
namespace {

constexpr size_t kHarnessColumns = 8;
constexpr size_t kAgeColumns = 4;
constexpr size_t kStateColumns = 17;
// A title is worth this much room.
constexpr size_t kTitleColumns = 30;

std::string Padded(std::string text, size_t columns) {
  const size_t width = DisplayWidth(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string PaddedLeft(const std::string& text, size_t columns) {
  const size_t width = DisplayWidth(text);
  return absl::StrCat(std::string(width < columns ? columns - width : 0, ' '),
                      text);
}

// A sign for the state, which a narrow list shows instead of the word.
absl::string_view SignOf(const v1::Task& task, TaskGroup group) {
  const std::string word = StateWord(task);
  if (group == TaskGroup::kNeedsYou) return "?";
  if (word == "failed") return "✘";
  if (group == TaskGroup::kRunning) return "●";
  if (group == TaskGroup::kQueued) return "…";
  if (word == "done") return "✔";
  if (word == "interrupted" || word == "cancelled") return "■";
  if (word == "denied") return "⊘";
  return "·";
}

absl::string_view ColourOf(const v1::Task& task, TaskGroup group) {
  const std::string word = StateWord(task);
  if (word == "failed") return "31";
  if (word == "done") return "32";
  if (group != TaskGroup::kEnded) return ColourOf(group);
  return "2";
}

std::string TaskRow(const TaskBook::Entry& entry, bool selected,
                    const ListLook& look) {
  const v1::Task& task = *entry.task;
  const Paint& paint = look.paint;
  const absl::string_view colour = ColourOf(task, entry.group);
  const std::string right =
      absl::StrCat(" ",
                   Padded(SanitizedLine(task.harness(), kHarnessColumns - 1),
                          kHarnessColumns),
                   PaddedLeft(ActiveText(task, look.now), kAgeColumns));
  const size_t fixed = 4 + DisplayWidth(right);
  size_t room = look.width > fixed ? look.width - fixed : 1;
  std::string state;
  if (room > kStateColumns + 1 + kTitleColumns) {
    room -= kStateColumns + 1;
    state = absl::StrCat(
        " ",
        Padded(SanitizedLine(StateText(task), kStateColumns), kStateColumns));
  }
  const std::string title = Padded(
      SanitizedLine(task.title().empty() ? task.id() : task.title(), room),
      room);
  const std::string sign = absl::StrCat(SignOf(task, entry.group), " ");
  if (selected && look.focused && paint.color() != Timeline::Color::kNever) {
    return paint("7", absl::StrCat("▸ ", sign, title, state, right));
  }
  return absl::StrCat(selected ? "▸ " : "  ", paint(colour, sign),
                      selected ? paint("1", title) : title,
                      paint(colour, state), paint("2", right));
}

}  // namespace

absl::string_view ColourOf(TaskGroup group) {
  switch (group) {
    case TaskGroup::kNeedsYou:
      return "33";
    case TaskGroup::kFailed:
      return "31";
    case TaskGroup::kRunning:
      return "36";
    case TaskGroup::kQueued:
    case TaskGroup::kEnded:
      return "2";
  }
  return "";
}

std::vector<std::string> TaskRows::Draw(
    const std::vector<TaskBook::Entry>& entries, const std::string& selected,
    const ListLook& look) {
  // Rows are numbered first, and only those that are shown are made.
  struct Row {
    TaskGroup group;
    const TaskBook::Entry* entry = nullptr;  // Null for a heading.
    size_t count = 0;                        // Tasks below a heading.
  };
  std::vector<Row> all;
  size_t heading = 0;
  size_t at = 0;
  for (const TaskBook::Entry& entry : entries) {
    if (all.empty() || all[heading].group != entry.group) {
      heading = all.size();
      all.push_back({.group = entry.group});
    }
    ++all[heading].count;
    if (entry.task->id() == selected) at = all.size();
    all.push_back({.group = entry.group, .entry = &entry});
  }
  // The first task is shown with its heading.
  const size_t first = at == 1 ? 0 : at;
  if (first < top_) top_ = first;
  if (at >= top_ + look.height) top_ = at - look.height + 1;
  top_ =
      std::min(top_, all.size() > look.height ? all.size() - look.height : 0);
  std::vector<std::string> rows;
  for (size_t i = top_; i < all.size() && rows.size() < look.height; ++i) {
    const Row& row = all[i];
    rows.push_back(
        row.entry == nullptr
            ? look.paint(absl::StrCat("1;", ColourOf(row.group)),
                         absl::StrCat(GroupTitle(row.group), " ", row.count))
            : TaskRow(*row.entry, i == at, look));
  }
  return rows;
}

}  // namespace troika::cli
