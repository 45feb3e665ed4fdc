// Collects a task's secrets, which are redacted from everything we show.
#ifndef TROIKA_SERVER_SECRETS_H_
#define TROIKA_SERVER_SECRETS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agent/discovery/environment.h"
#include "dto/redact.h"
#include "google/protobuf/message.h"
#include "task/notes.h"

namespace troika {

// The secrets of the task's environment, and of its request if that is known.
// There is a problem if the environment can't be read or is not the one that
// was kept when the task was made.
KnownSecrets TaskSecrets(absl::string_view task,
                         const absl::StatusOr<Environment>& environment,
                         const notes::Request* /*nullable*/ request);

// Redacts all texts of an event or a task.
void RedactTexts(const Redactor& redactor, google::protobuf::Message* message);

// An error of making a task as its client may see it: without secrets. A full
// disk is no limit of ours, so that error becomes Unavailable.
absl::Status ErrorForClient(const absl::Status& error,
                            const std::vector<std::string>& secrets);

}  // namespace troika

#endif  // TROIKA_SERVER_SECRETS_H_
