#include "server/task_rows.h"

#include "server/row.h"

namespace troika {

void TaskRows::Write(TaskRow row) {
  tools_.changes->Add(row.id, row.task_json);
  tools_.index->Put({std::move(row)});
}

void TaskRows::Put(TaskRow row) {
  troubles_.erase(row.id);
  Write(std::move(row));
}

void TaskRows::Change(const std::string& id,
                      absl::AnyInvocable<TaskRow(TaskRow)> change) {
  tools_.index->Ask<TaskRow>(
      [id](BufferedTaskStore& store) -> absl::StatusOr<TaskRow> {
        // A row that can't be read leaves the id.
        auto row = store.Get(id);
        if (row.ok() && *row) return **std::move(row);
        return TaskRow{.id = id};
      },
      [this, id,
       change = std::move(change)](absl::StatusOr<TaskRow> row) mutable {
        if (row.ok() && !is_open_(id)) Write(change(*std::move(row)));
      });
}

void TaskRows::PutLost(const std::string& id, const absl::Status& error) {
  troubles_.erase(id);
  Change(id, [error](TaskRow row) {
    return LostRow(std::move(row), error.message());
  });
}

void TaskRows::PutTrouble(const std::string& id, const absl::Status& error) {
  std::string& trouble = troubles_[id];
  if (trouble == error.message()) return;
  trouble = std::string(error.message());
  Change(id, [error](TaskRow row) {
    return TroubledRow(std::move(row), error.message());
  });
}

void TaskRows::Remove(const std::string& id) {
  troubles_.erase(id);
  tools_.changes->AddGone(id);
  tools_.index->Remove({id});
}

}  // namespace troika
