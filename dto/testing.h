// Messages for tests of encodings.
#ifndef TROIKA_DTO_TESTING_H_
#define TROIKA_DTO_TESTING_H_

#include <vector>

#include "agent/message.h"

namespace troika {

// Every payload, each of its fields set at least once, and extremes: empty,
// huge, not a number, not UTF-8, nested.
std::vector<Message> SampleMessages();

}  // namespace troika

#endif  // TROIKA_DTO_TESTING_H_
