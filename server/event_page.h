// A page of a task's events, for clients that want no stream.
#ifndef TROIKA_SERVER_EVENT_PAGE_H_
#define TROIKA_SERVER_EVENT_PAGE_H_

#include <memory>

#include "agent/message.h"
#include "server/call.h"
#include "server/task_stream.h"

namespace troika {

// Answers once all events of the log have been read.
void ReplyPage(Call call, std::shared_ptr<TaskStream> stream,
               const EventId& after, int page_size);

}  // namespace troika

#endif  // TROIKA_SERVER_EVENT_PAGE_H_
