// The size of an event, without encoding it.
#ifndef TROIKA_DTO_MEASURE_H_
#define TROIKA_DTO_MEASURE_H_

#include <cstddef>
#include <cstdint>

#include "agent/message.h"

namespace troika {

struct EventSize {
  // About the bytes of its JSON if texts are cut after `max_text` bytes. The
  // same message has the same size for ever: it depends on nothing else.
  int64_t bytes = 0;
  // Whether a text is longer, so that AppendEventJson would cut it.
  bool cut = false;
};

EventSize MeasureEvent(const Message& message, size_t max_text);

}  // namespace troika

#endif  // TROIKA_DTO_MEASURE_H_
