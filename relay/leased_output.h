// The driver's side of a lease: it reads the agent's stdout and records it in
// the log in place of the relay, so that a line needs one wake of a process
// less until somebody sees it. All other records are the relay's.
//
//   client.Send({.type = FrameType::kLend, .key = key});
//   ...
//   ASSIGN_OR_RETURN(auto output, LeasedOutput::Open(std::move(fds)));
//   if (output->Record() == LeasedOutput::Outcome::kReturned) {
//     client.Send({.type = FrameType::kReturn, .key = key});
//   }
#ifndef TROIKA_RELAY_LEASED_OUTPUT_H_
#define TROIKA_RELAY_LEASED_OUTPUT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/fd.h"
#include "relay/lease_page.h"
#include "relay/line_recorder.h"
#include "relay/log_writer.h"
#include "relay/read_pacer.h"

namespace troika::relay {

// Never blocks. Not thread-safe.
class LeasedOutput {
 public:
  enum class Outcome {
    kNothing,   // There is nothing to record, or the relay reads.
    kRecorded,  // The log has grown.
    // The relay is to read from here on: it has to be told by a kReturn.
    kReturned,
  };

  // `fds` came with the relay's reply to kLend. FailedPrecondition if the relay
  // has another version.
  static absl::StatusOr<std::unique_ptr<LeasedOutput>> Open(
      std::vector<UniqueFd> fds);
  LeasedOutput(const LeasedOutput&) = delete;
  LeasedOutput& operator=(const LeasedOutput&) = delete;

  // The agent's stdout. Call Record() whenever it becomes readable: an edge, as
  // it may stay so while the relay reads.
  int fd() const { return stdout_.get(); }

  // Records what the agent has printed, if it is ours to read. Long output, and
  // much of it, is returned to the relay, which batches it; the lease is asked
  // for again a second later.
  Outcome Record();

  // Returns stdout to the relay, for a second at least, because the driver has
  // no time for it. kReturned if it was ours.
  Outcome Return();

  // Whether stdout is ours to read, and to watch. A tip of the relay says that
  // this may have changed.
  bool reads() const { return page_->reader == StdoutReader::kDriver; }
  // How long stdout is not asked for, because it was returned. Record() asks
  // for it after that.
  absl::Duration pause() const;

  // For tests: called before each step that changes what other processes see.
  void set_on_step_for_test(void (*on_step)(int step)) { on_step_ = on_step; }

 private:
  // The time of the records that are being written.
  class PageClock : public Clock {
   public:
    explicit PageClock(const LeaseMapping* page) : page_(page) {}
    absl::Time Now() override {
      return absl::FromUnixMicros((*page_)->write_micros);
    }

   private:
    const LeaseMapping* const page_;
  };

  LeasedOutput(LeaseMapping page, std::vector<UniqueFd> fds);

  // Takes the mutex. False if the relay has it, or the lease is lost.
  bool TryLock();
  // With the mutex.
  Outcome RecordLocked();
  void ReturnLocked();
  // Moves what the agent has printed to the page's buffer. Returns its size, or
  // nullopt if the relay is to have it.
  std::optional<size_t> Take();
  // Records `size` bytes of the page's buffer. False if it could not be
  // written.
  bool Write(size_t size);
  // Between steps the compiler moves no access to the page, because we may die
  // after each of them.
  void Step(int step) const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (on_step_ != nullptr) on_step_(step);
  }

  LeaseMapping page_;
  const UniqueFd stdout_;
  const UniqueFd staging_in_;
  const UniqueFd staging_out_;
  const int64_t epoch_;
  PageClock clock_{&page_};
  LogWriter log_;
  LineRecorder lines_{Stream::kStdout, &log_};
  ReadPacer pacer_;
  absl::Time returned_ = absl::InfinitePast();
  bool lost_ = false;  // The relay is gone, or another driver has the lease.
  void (*on_step_)(int step) = nullptr;
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_LEASED_OUTPUT_H_
