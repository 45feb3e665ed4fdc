// What of a task must be seen nowhere.
#ifndef TROIKA_SERVER_SECRETS_H_
#define TROIKA_SERVER_SECRETS_H_

#include <string>
#include <vector>

#include "dto/redact.h"
#include "google/protobuf/message.h"
#include "task/home.h"
#include "task/notes.h"

namespace troika {

// Of its environment, and of its request where that is known.
std::vector<std::string> TaskSecrets(
    const TaskFolder& folder, const notes::Request* /*nullable*/ request);

// In all texts of a message.
void RedactTexts(const Redactor& redactor, google::protobuf::Message* message);

}  // namespace troika

#endif  // TROIKA_SERVER_SECRETS_H_
