#include "cli/commands/task_list.h"

#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/commands/task_text.h"
#include "cli/timeline/table.h"

namespace troika::cli {
namespace {

enum Column { kId, kState, kAgent, kHarness, kActive, kCost, kFolder, kTitle };
constexpr absl::string_view kHeads[] = {"ID",     "STATE", "AGENT",  "HARNESS",
                                        "ACTIVE", "COST",  "FOLDER", "TITLE"};
// The columns that a narrow terminal does without, in this order.
constexpr Column kDropped[] = {kFolder, kCost, kAgent, kHarness, kActive};
constexpr size_t kFolderColumns = 24;
// A title is worth this much room.
constexpr size_t kTitleColumns = 16;

std::string CellOf(const v1::Task& task, Column column,
                   const TaskListLook& look) {
  switch (column) {
    case kId:
      return task.id();
    case kState:
      return StateText(task);
    case kAgent:
      return AgentText(task);
    case kHarness:
      return task.harness();
    case kActive:
      return ActiveText(task, look.now);
    case kCost:
      return CostOf(task.usage());
    case kFolder:
      return FolderText(task.cwd(), look.home, kFolderColumns);
    case kTitle:
      return task.title();
  }
  return "";
}

Table MakeTable(const std::vector<v1::Task>& tasks,
                const std::vector<Column>& columns, const TaskListLook& look) {
  std::vector<std::string> heads;
  for (const Column column : columns) heads.emplace_back(kHeads[column]);
  Table table(heads);
  for (const v1::Task& task : tasks) {
    std::vector<std::string> cells;
    for (const Column column : columns) {
      cells.push_back(CellOf(task, column, look));
    }
    table.Add(cells);
  }
  return table;
}

// Returns the code of the state's colour.
absl::string_view ColourOf(const v1::Task& task) {
  const std::string word = StateWord(task);
  if (word == "failed") return "31";
  if (word == "done") return "32";
  if (word == "denied" || word == "interrupted" ||
      task.state() == v1::Task::awaiting_approval ||
      task.state() == v1::Task::awaiting_answer) {
    return "33";
  }
  if (word == "running" || word == "starting") return "36";
  return "2";
}

}  // namespace

std::string TaskListText(const std::vector<v1::Task>& tasks,
                         const TaskListLook& look) {
  if (tasks.empty()) return "";
  std::set<Column> dropped;
  std::vector<Column> columns;
  size_t next = 0;
  while (true) {
    columns.clear();
    for (int i = kId; i <= kTitle; ++i) {
      const auto column = static_cast<Column>(i);
      if (!dropped.contains(column)) columns.push_back(column);
    }
    const Table table = MakeTable(tasks, columns, look);
    if (look.width == 0 || next == std::size(kDropped) ||
        table.WidthBeforeLast() + kTitleColumns <= look.width) {
      break;
    }
    dropped.insert(kDropped[next++]);
  }
  const Table table = MakeTable(tasks, columns, look);
  return table.Text(
      look.width, [&](size_t row, size_t column, std::string cell) {
        if (look.color == Timeline::Color::kNever) return cell;
        const absl::string_view code =
            row == 0                    ? "2"
            : columns[column] == kState ? ColourOf(tasks[row - 1])
            : columns[column] == kTitle || columns[column] == kId ? ""
                                                                  : "2";
        if (code.empty()) return cell;
        return absl::StrCat("\x1b[", code, "m", cell, "\x1b[0m");
      });
}

}  // namespace troika::cli
