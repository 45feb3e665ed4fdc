// Syncs a file in the background, so that the agent's output never waits for
// the disk.
#ifndef TROIKA_RELAY_SYNCER_H_
#define TROIKA_RELAY_SYNCER_H_

#include <condition_variable>
#include <mutex>
#include <thread>

namespace troika::relay {

// Thread-safe.
class Syncer {
 public:
  // `fd` is borrowed.
  explicit Syncer(int fd) : fd_(fd) {}
  ~Syncer();

  // Syncs everything that has been written so far, soon.
  void Request();

 private:
  void Run();

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool ending_ = false;
  std::thread thread_;  // Started by the first request.
};

}  // namespace troika::relay

#endif  // TROIKA_RELAY_SYNCER_H_
