// For tests with relays: logs as lists, and relays with shell scripts as
// agents.
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

// A record that owns its bytes.
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

// Reads the whole log of a folder, as it is now, with its torn end.
CollectingSink ReadLog(int dir_fd);

// Waits up to 20 s until nobody holds the log's lock, so that relay, guard and
// agent are gone.
bool WaitForLogEnd(int dir_fd);

// Returns the joined payloads of one stream, as they were written.
std::string Joined(const CollectingSink& log, Stream stream);

// Returns the notes that begin with {"note":"NAME".
std::vector<std::string> Notes(const CollectingSink& log,
                               absl::string_view name);

// A relay with an agent of the test, followed through its log.
class TestRelay {
 public:
  // If `spec` has no argv, /bin/sh runs `script`.
  TestRelay(absl::string_view script, RelaySpec spec = {},
            absl::string_view folder = "");

  const TempFolder& folder() const { return folder_; }
  int dir_fd() const { return folder_.fd(); }
  const absl::Status& started() const { return started_; }

  // Returns a connection that has received its welcome.
  std::unique_ptr<Client> Connect(Role role);
  // Sends a command and waits for the answer.
  Reply Ask(Client& client, const Command& command);

  // Waits until the condition holds for the log. Returns false after 20 s.
  bool WaitFor(std::function<bool(const CollectingSink&)> condition);
  bool WaitForEnd() { return WaitForLogEnd(dir_fd()); }
  CollectingSink Log() { return ReadLog(dir_fd()); }

 private:
  TempFolder folder_;
  SystemClock clock_;
  absl::Status started_;
};

// Returns the pids of living processes whose command line contains `token`.
std::vector<int> ProcessesWith(absl::string_view token);
// Waits up to 10 s until there are none.
bool NoProcessesWith(absl::string_view token);
// Returns the pid of the relay or the guard of a folder ("troika-relay",
// "troika-guard") that has its log open, or 0.
int RelayProcess(const std::string& folder, absl::string_view name);

}  // namespace troika::relay

#endif  // TROIKA_RELAY_TESTING_H_
