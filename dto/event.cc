#include "dto/event.h"

#include "dto/cut.h"
#include "dto/describe.h"
#include "dto/proto_fields.h"

namespace troika {

v1::Event ToEvent(const Message& message, absl::string_view task_id,
                  size_t max_text) {
  v1::Event event;
  ProtoSink sink(&event);
  CutSink<ProtoSink> cut(max_text, nullptr, &sink);
  DescribeEvent(message, task_id, cut);
  cut.Finish();
  return event;
}

}  // namespace troika
