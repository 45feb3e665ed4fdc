// Reads from a task's log what an event was made of. Both functions read the
// log from its start and block: call them on a pool's threads.
#ifndef TROIKA_SERVER_LOG_LOOKUP_H_
#define TROIKA_SERVER_LOG_LOOKUP_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "agent/message.h"
#include "dto/troika.pb.h"
#include "store/task_store.h"
#include "task/home.h"

namespace troika {

// An event with its whole texts, redacted. NotFound if there is none.
absl::StatusOr<std::string> WholeEventOf(const Home& home,
                                         const std::string& task,
                                         const EventId& event,
                                         Encoding encoding);

enum class RawText { kAsItIs, kAsUtf8 };

// The line that ends with that record, joined if several records have parts of
// it. ResourceExhausted if it is over 16 MiB.
absl::StatusOr<v1::RawRecord> RawRecordOf(const Home& home,
                                          const std::string& task,
                                          int64_t record, RawText text);

}  // namespace troika

#endif  // TROIKA_SERVER_LOG_LOOKUP_H_
