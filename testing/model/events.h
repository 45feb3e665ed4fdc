// The events of an answer, as each wire writes them.
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

// Bytes, and how long to wait before they are sent.
struct Step {
  absl::Duration wait;
  std::string bytes;
};

// As `usage` says it: input is what was not cached.
struct Usage {
  int64_t input = 100;
  int64_t cached = 20;
  int64_t output = 10;
};

struct Ending {
  std::string reason = "end_turn";  // As `stop` says it.
  Usage usage;
};

using Pieces = std::vector<std::string>;

class Events {
 public:
  virtual ~Events() = default;

  // The stream's first events. Some wires tell the usage there already.
  virtual void Begin(const Usage& usage) = 0;
  virtual void Text(const Pieces& pieces) = 0;
  virtual void Thought(const Pieces& pieces) = 0;
  // `pieces` are those of the call's input.
  virtual void Call(const NativeCall& call, const Pieces& pieces) = 0;
  // An error in place of the end.
  virtual void Fail(absl::string_view code, absl::string_view message) = 0;
  // The stream's last events.
  virtual void Finish(const Ending& ending) = 0;
  // What the wire's server sends now and then while it has nothing to say.
  virtual std::string KeepAlive() const { return ""; }
  // The same answer without a stream; empty where the wire has no such thing.
  virtual std::string Whole(const Ending&) const { return ""; }

  void Print(absl::string_view line);
  void Raw(std::string bytes) { Emit(std::move(bytes)); }
  // Before the next event only.
  void Wait(absl::Duration delay) { delay_ += delay; }
  // Before each event from now on.
  void SetPace(absl::Duration pace) { pace_ = pace; }

  std::vector<Step> TakeSteps() { return std::move(steps_); }

 protected:
  void Emit(std::string bytes);

 private:
  std::vector<Step> steps_;
  absl::Duration delay_;
  absl::Duration pace_;
};

// `serial` is the number of the answer, of which ids are made.
std::unique_ptr<Events> NewResponsesEvents(const Request& request, int serial);
std::unique_ptr<Events> NewMessagesEvents(const Request& request, int serial);
std::unique_ptr<Events> NewGeminiEvents(const Request& request, int serial);
// Null of Wire::kNone.
std::unique_ptr<Events> /*nullable*/ NewEvents(const Request& request,
                                               int serial);

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_EVENTS_H_
