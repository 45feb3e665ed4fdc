#include "task/load_testing.h"

#include "base/status_macros.h"
#include "relay/log_reader.h"
#include "task/replay.h"

namespace troika {

absl::StatusOr<TaskState> Load(const TaskFolder& folder, MessageSink sink) {
  ASSIGN_OR_RETURN(relay::LogReader reader,
                   relay::LogReader::Open(folder.fd.get()));
  Replay replay;
  ReplaySink records(&replay, sink);
  RETURN_IF_ERROR(reader.Read(records).status());
  reader.Finish(records);
  return replay.state();
}

}  // namespace troika
