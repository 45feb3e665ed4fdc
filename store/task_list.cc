// TaskStore::List. Pages are cut by id, so that new tasks do not shift them; an
// index yields the ids in that order for every filter.
#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "store/task_store.h"

namespace troika {
namespace {

constexpr int kMaxPageSize = 1000;
constexpr size_t kMaxTextBytes = 1000;
constexpr size_t kMaxChoices = 50;  // States, harnesses or labels.

using Texts = std::vector<std::string>;

Texts Unique(const Texts& texts) {
  const std::set<std::string> unique(texts.begin(), texts.end());
  return Texts(unique.begin(), unique.end());
}

std::string LikePattern(absl::string_view text) {
  return absl::StrCat(
      "%",
      absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"%", "\\%"}, {"_", "\\_"}}),
      "%");
}

// A query and the values of its parameters, in order.
struct Sql {
  std::string text;
  Texts values;

  void Add(absl::string_view more) { absl::StrAppend(&text, more); }
  void Add(absl::string_view more, std::string value) {
    Add(more);
    values.push_back(std::move(value));
  }
  void AddAnyOf(absl::string_view column, const Texts& choices) {
    if (choices.empty()) return;
    // The plus keeps SQLite from searching by this column and sorting
    // afterwards.
    absl::StrAppend(&text, " AND +", column, " IN (",
                    absl::StrJoin(Texts(choices.size(), "?"), ", "), ")");
    values.insert(values.end(), choices.begin(), choices.end());
  }
};

// Searches by a label if the filter has one, because few tasks may have it.
void AddFrom(const TaskFilter& filter, Sql* sql) {
  if (filter.labels.empty()) {
    sql->Add("SELECT t.num, t.id FROM task t WHERE 1");
    return;
  }
  const auto& [key, value] = *filter.labels.begin();
  sql->Add(
      "SELECT t.num, l.id FROM label l CROSS JOIN task t ON t.id = l.id "
      "WHERE l.key = ?",
      key);
  sql->Add(" AND l.value = ?", value);
}

void AddConditions(const TaskFilter& filter, Sql* sql) {
  if (!filter.cwd.empty()) sql->Add(" AND t.cwd = ?", filter.cwd);
  for (auto it = filter.labels.begin(); it != filter.labels.end(); ++it) {
    if (it == filter.labels.begin()) continue;
    sql->Add(
        " AND EXISTS (SELECT 1 FROM label m WHERE m.id = t.id AND m.key = ?",
        it->first);
    sql->Add(" AND m.value = ?)", it->second);
  }
  if (filter.text.empty()) return;
  const std::string pattern = LikePattern(filter.text);
  sql->Add(" AND (t.title LIKE ? ESCAPE '\\'", pattern);
  sql->Add(
      " OR EXISTS (SELECT 1 FROM long_text p WHERE p.num = t.num "
      "AND p.prompt LIKE ? ESCAPE '\\'))",
      pattern);
}

// Joins one query for each state, or else for each harness. Each of them
// follows the order of its index and returns at most one page.
std::string ListSql(const TaskFilter& filter, absl::string_view before_id,
                    int limit, Texts* values) {
  const Texts states = Unique(filter.states);
  const Texts harnesses = Unique(filter.harnesses);
  const bool by_label = !filter.labels.empty();
  const bool by_state = !by_label && !states.empty();
  const bool by_harness = !by_label && !by_state && !harnesses.empty();
  const Texts none = {""};
  const Texts& parts = by_state ? states : by_harness ? harnesses : none;
  const absl::string_view id = by_label ? "l.id" : "t.id";
  Sql sql;
  for (const std::string& part : parts) {
    sql.Add(sql.text.empty() ? "SELECT * FROM ("
                             : " UNION ALL SELECT * FROM (");
    AddFrom(filter, &sql);
    if (by_state) sql.Add(" AND t.state = ?", part);
    if (by_harness) sql.Add(" AND t.harness = ?", part);
    if (!by_state) sql.AddAnyOf("t.state", states);
    if (!by_harness) sql.AddAnyOf("t.harness", harnesses);
    if (!before_id.empty()) {
      sql.Add(absl::StrCat(" AND ", id, " < ?"), std::string(before_id));
    }
    AddConditions(filter, &sql);
    absl::StrAppend(&sql.text, " ORDER BY ", id, " DESC LIMIT ", limit, ")");
  }
  *values = std::move(sql.values);
  return absl::StrCat(sql.text, " ORDER BY 2 DESC LIMIT ", limit);
}

absl::Status CheckFilter(const TaskFilter& filter) {
  if (filter.text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("search for ", filter.text.size(),
                     " bytes of text: give at most ", kMaxTextBytes));
  }
  if (std::max({filter.states.size(), filter.harnesses.size(),
                filter.labels.size()}) > kMaxChoices) {
    return absl::InvalidArgumentError(
        absl::StrCat("list tasks by more than ", kMaxChoices,
                     " states, harnesses or labels: give fewer"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TaskStore::Page> TaskStore::List(const TaskFilter& filter,
                                                Encoding encoding,
                                                int page_size,
                                                absl::string_view before_id) {
  RETURN_IF_ERROR(CheckFilter(filter));
  page_size = std::clamp(page_size, 1, kMaxPageSize);
  Texts values;
  const std::string sql = ListSql(filter, before_id, page_size + 1, &values);
  Page page;
  std::vector<int64_t> nums;
  RETURN_IF_ERROR(
      index_.db.Run(sql, std::vector<SqlValue>(values.begin(), values.end()),
                    [&](const SqlRow& row) {
                      page.more = static_cast<int>(nums.size()) == page_size;
                      if (page.more) return;
                      nums.push_back(row.Int(0));
                      page.ids.push_back(row.Text(1));
                    }));
  page.tasks.reserve(nums.size());
  const std::string shown =
      absl::StrCat("SELECT ", encoding == Encoding::kJson ? "json" : "pb",
                   " FROM shown WHERE num = ?");
  for (const int64_t num : nums) {
    RETURN_IF_ERROR(index_.db.Run(shown, {num}, [&](const SqlRow& row) {
      page.tasks.push_back(row.Text(0));
    }));
  }
  if (page.tasks.size() != nums.size()) {
    return absl::DataLossError("task index: a row has no text");
  }
  return page;
}

}  // namespace troika
