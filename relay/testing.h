// For tests around relays: folders, logs as lists, and relays with shell
// scripts as agents.
#ifndef TROIKA_RELAY_TESTING_H_
#define TROIKA_RELAY_TESTING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "relay/client.h"
#include "relay/log_reader.h"
#include "relay/log_writer.h"
#include "relay/record.h"
#include "relay/spec.h"
#include "testing/clocks.h"
#include "testing/files.h"

namespace troika::relay {

// A record with bytes of its own.
struct OwnedRecord {
  int64_t number = 0;
  int64_t micros = 0;
  Stream stream = Stream::kNote;
  LineEnd end = LineEnd::kNewline;
  std::string key;
  std::string payload;
};

class CollectingSink : public LogSink {
 public:
  void OnRecord(const LogRecord& record) override;
  void OnDamage(const Damage& damage) override { damages.push_back(damage); }

  std::vector<OwnedRecord> records;
  std::vector<Damage> damages;
  int64_t record_bytes = 0;
};

// All of a folder's log, as it is now, with its torn end.
CollectingSink ReadLog(int dir_fd);

// Waits up to 20 s until nobody holds the log's lock: relay, guard and agent
// are gone.
bool WaitForLogEnd(int dir_fd);

// The payloads of one stream, put together as they were written.
std::string Joined(const CollectingSink& log, Stream stream);

// The notes that begin with {"note":"NAME".
std::vector<std::string> Notes(const CollectingSink& log,
                               absl::string_view name);

// A relay on an agent of one's own, followed through its log.
class TestRelay {
 public:
  // `spec` may leave out argv for `script`, which /bin/sh runs.
  TestRelay(absl::string_view script, RelaySpec spec = {},
            absl::string_view folder = "");

  const TempFolder& folder() const { return folder_; }
  int dir_fd() const { return folder_.fd(); }
  const absl::Status& started() const { return started_; }

  // A connection that has been welcomed.
  std::unique_ptr<Client> Connect(Role role);
  // Sends and waits for the answer.
  Client::Answer Ask(Client& client, const Command& command);

  // Waits until the log holds, or 20 s passed: then false.
  bool WaitFor(std::function<bool(const CollectingSink&)> condition);
  bool WaitForEnd() { return WaitForLogEnd(dir_fd()); }
  CollectingSink Log() { return ReadLog(dir_fd()); }

 private:
  TempFolder folder_;
  SystemClock clock_;
  absl::Status started_;
};

// Pids of living processes whose command line holds `token`.
std::vector<int> ProcessesWith(absl::string_view token);
// Waits up to 10 s for there to be none.
bool NoProcessesWith(absl::string_view token);
// The relay or the guard of a folder ("troika-relay", "troika-guard"), found by
// who has its log open; 0: none.
int RelayProcess(const std::string& folder, absl::string_view name);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_TESTING_H_
