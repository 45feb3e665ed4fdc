// Hands what a log reader finds on to a replay.
#ifndef TROIKA_TASK_REPLAY_SINK_H_
#define TROIKA_TASK_REPLAY_SINK_H_

#include "agent/protocol.h"
#include "relay/log_reader.h"
#include "relay/record.h"
#include "task/replay.h"

namespace troika {

class ReplaySink : public relay::LogSink {
 public:
  // Both are borrowed.
  ReplaySink(Replay* replay, MessageSink sink) : replay_(replay), sink_(sink) {}

  void OnRecord(const relay::LogRecord& record) override {
    replay_->OnRecord(record, sink_);
  }
  void OnDamage(const relay::Damage& damage) override {
    replay_->OnDamage(damage, sink_);
  }

 private:
  Replay* const replay_;
  const MessageSink sink_;
};

}  // namespace troika

#endif  // TROIKA_TASK_REPLAY_SINK_H_
