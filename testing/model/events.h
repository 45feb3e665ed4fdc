// Writes the events of an answer in the format of each wire.
//
//   std::unique_ptr<Events> events = NewMessagesEvents(request, 1);
//   events->Begin({});
//   events->Text({"Hel", "lo."});
//   events->Finish({});
//   events->TakeSteps();
#ifndef TROIKA_TESTING_MODEL_EVENTS_H_
#define TROIKA_TESTING_MODEL_EVENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "testing/model/native.h"
#include "testing/model/request.h"

namespace troika::model {

// Bytes, and the delay before they are sent.
struct Step {
  absl::Duration wait;
  std::string bytes;
};

// Like the instruction `usage`: input excludes cached tokens.
struct Usage {
  int64_t input = 100;
  int64_t cached = 20;
  int64_t output = 10;
};

struct Ending {
  std::string reason = "end_turn";  // As in the instruction `stop`.
  Usage usage;
};

using Pieces = std::vector<std::string>;

class Events {
 public:
  virtual ~Events() = default;

  // Writes the stream's first events, which report the usage on some wires.
  virtual void Begin(const Usage& usage) = 0;
  virtual void Text(const Pieces& pieces) = 0;
  virtual void Thought(const Pieces& pieces) = 0;
  // `pieces` are the pieces of the call's input.
  virtual void Call(const NativeCall& call, const Pieces& pieces) = 0;
  // Writes an error instead of the end.
  virtual void Fail(absl::string_view code, absl::string_view message) = 0;
  // Writes the stream's last events.
  virtual void Finish(const Ending& ending) = 0;
  // Returns what the wire's server sends while it is idle.
  virtual std::string KeepAlive() const { return ""; }
  // Returns the same answer without a stream; empty if there is none.
  virtual std::string Whole(const Ending&) const { return ""; }

  void Print(absl::string_view line);
  void Raw(std::string bytes) { Emit(std::move(bytes)); }
  // Delays the next event only.
  void Wait(absl::Duration delay) { delay_ += delay; }
  // Delays each event from now on.
  void SetPace(absl::Duration pace) { pace_ = pace; }

  std::vector<Step> TakeSteps() { return std::move(steps_); }

 protected:
  void Emit(std::string bytes);

 private:
  std::vector<Step> steps_;
  absl::Duration delay_;
  absl::Duration pace_;
};

// Ids are derived from `serial`, the number of the answer.
std::unique_ptr<Events> NewResponsesEvents(const Request& request, int serial);
std::unique_ptr<Events> NewMessagesEvents(const Request& request, int serial);
std::unique_ptr<Events> NewGeminiEvents(const Request& request, int serial);
// Returns null for Wire::kNone.
std::unique_ptr<Events> /*nullable*/ NewEvents(const Request& request,
                                               int serial);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_EVENTS_H_
