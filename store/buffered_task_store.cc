#include "store/buffered_task_store.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "base/status_macros.h"

namespace troika {
namespace {

constexpr int kMaxPageSize = 1000;

bool IsAnyOf(const std::vector<std::string>& choices,
             const std::string& value) {
  return choices.empty() ||
         std::find(choices.begin(), choices.end(), value) != choices.end();
}

bool HasText(absl::string_view text, absl::string_view lower) {
  return absl::StrContains(absl::AsciiStrToLower(text), lower);
}

}  // namespace

bool Matches(const TaskFilter& filter, const TaskRow& row) {
  if (!IsAnyOf(filter.states, row.state) ||
      !IsAnyOf(filter.harnesses, row.harness) ||
      (!filter.cwd.empty() && filter.cwd != row.cwd)) {
    return false;
  }
  for (const auto& [key, value] : filter.labels) {
    const auto label = row.labels.find(key);
    if (label == row.labels.end() || label->second != value) return false;
  }
  if (filter.text.empty()) return true;
  const std::string lower = absl::AsciiStrToLower(filter.text);
  return HasText(row.title, lower) || HasText(row.prompt, lower);
}

void BufferedTaskStore::ForgetKey(const std::string& id) {
  const auto it = unwritten_.find(id);
  if (it == unwritten_.end() || !it->second) return;
  const auto key = keys_.find(it->second->idempotency_key);
  if (key != keys_.end() && key->second == id) keys_.erase(key);
}

void BufferedTaskStore::Put(TaskRow row) {
  ForgetKey(row.id);
  if (!row.idempotency_key.empty()) {
    keys_.emplace(row.idempotency_key, row.id);
  }
  std::string id = row.id;
  unwritten_[std::move(id)] = std::move(row);
}

void BufferedTaskStore::Remove(const std::string& id) {
  ForgetKey(id);
  unwritten_[id] = std::nullopt;
}

absl::Status BufferedTaskStore::WriteRows() {
  std::vector<TaskRow> rows;
  for (const auto& [id, row] : unwritten_) {
    if (row) rows.push_back(*row);
  }
  if (rows.empty()) return absl::OkStatus();
  absl::Status put = store_.Put(rows);
  if (!absl::IsAlreadyExists(put)) return put;
  // If two logs have the same key, the one that the index has first keeps it.
  for (TaskRow& row : rows) {
    put = store_.Put({row});
    if (absl::IsAlreadyExists(put)) {
      row.idempotency_key.clear();
      put = store_.Put({row});
    }
    RETURN_IF_ERROR(put);
  }
  return absl::OkStatus();
}

absl::Status BufferedTaskStore::Flush() {
  if (unwritten_.empty()) return absl::OkStatus();
  std::vector<std::string> removed;
  for (const auto& [id, row] : unwritten_) {
    if (!row) removed.push_back(id);
  }
  if (!removed.empty()) RETURN_IF_ERROR(store_.Remove(removed));
  RETURN_IF_ERROR(WriteRows());
  unwritten_.clear();
  keys_.clear();
  return absl::OkStatus();
}

absl::StatusOr<std::optional<TaskRow>> BufferedTaskStore::Get(
    const std::string& id) {
  const auto it = unwritten_.find(id);
  if (it != unwritten_.end()) return it->second;
  return store_.Get(id);
}

absl::StatusOr<std::string> BufferedTaskStore::ByIdempotencyKey(
    absl::string_view key) {
  if (const auto it = keys_.find(key); it != keys_.end()) return it->second;
  ASSIGN_OR_RETURN(std::string id, store_.ByIdempotencyKey(key));
  const auto it = unwritten_.find(id);
  if (it != unwritten_.end() && !it->second) {
    return absl::NotFoundError("no task has this idempotency key");
  }
  return id;
}

absl::StatusOr<std::vector<std::string>> BufferedTaskStore::WithPrefix(
    absl::string_view prefix, int limit) {
  ASSIGN_OR_RETURN(
      std::vector<std::string> ids,
      store_.WithPrefix(prefix, limit + static_cast<int>(unwritten_.size())));
  ids.erase(std::remove_if(ids.begin(), ids.end(),
                           [&](const std::string& id) {
                             return unwritten_.count(id) > 0;
                           }),
            ids.end());
  for (auto it = unwritten_.lower_bound(std::string(prefix));
       it != unwritten_.end() && absl::StartsWith(it->first, prefix); ++it) {
    if (it->second) ids.push_back(it->first);
  }
  std::sort(ids.rbegin(), ids.rend());
  if (ids.size() > static_cast<size_t>(limit)) ids.resize(limit);
  return ids;
}

absl::StatusOr<TaskStore::Page> BufferedTaskStore::List(
    const TaskFilter& filter, Encoding encoding, int page_size,
    absl::string_view before_id) {
  if (unwritten_.empty()) {
    return store_.List(filter, encoding, page_size, before_id);
  }
  page_size = std::clamp(page_size, 1, kMaxPageSize);
  ASSIGN_OR_RETURN(
      TaskStore::Page written,
      store_.List(filter, encoding,
                  static_cast<int>(std::min<size_t>(
                      page_size + unwritten_.size(), kMaxPageSize)),
                  before_id));
  std::map<std::string, std::string, std::greater<>> tasks;  // Newest first.
  for (size_t i = 0; i < written.ids.size(); ++i) {
    if (unwritten_.count(written.ids[i]) > 0) continue;
    tasks.emplace(std::move(written.ids[i]), std::move(written.tasks[i]));
  }
  const std::string oldest =
      written.more && !tasks.empty() ? tasks.rbegin()->first : "";
  for (const auto& [id, row] : unwritten_) {
    if (!row || id < oldest || (!before_id.empty() && id >= before_id) ||
        !Matches(filter, *row)) {
      continue;
    }
    tasks.emplace(id,
                  encoding == Encoding::kJson ? row->task_json : row->task_pb);
  }
  TaskStore::Page page = {.more = written.more};
  for (auto& [id, task] : tasks) {
    page.more = page.more || page.ids.size() == static_cast<size_t>(page_size);
    if (page.ids.size() == static_cast<size_t>(page_size)) break;
    page.ids.push_back(id);
    page.tasks.push_back(std::move(task));
  }
  return page;
}

}  // namespace troika
