// One stream for everything that a page shows: the list of tasks as it changes,
// and the events of the tasks that the client watches (docs/api.md, "The
// stream"). Browsers allow few connections to a host.
#ifndef TROIKA_SERVER_WATCH_STREAM_H_
#define TROIKA_SERVER_WATCH_STREAM_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "http/server.h"
#include "server/changes.h"
#include "server/task_stream.h"

namespace troika {

// A task that a client wants to watch, and the position of the client.
struct WatchedFrom {
  std::string task_id;
  ViewFrom from;
};

class WatchStream;

// The streams that are open. Must outlive them. Loop thread only.
class WatchStreams {
 public:
  static constexpr size_t kMaxWatched = 200;  // For each stream.

  using StreamCallback =
      absl::AnyInvocable<void(absl::StatusOr<std::shared_ptr<TaskStream>>)>;
  using Opener = std::function<void(const std::string& id, StreamCallback)>;
  // `open` finds the stream of a task. `page` is the version of the embedded
  // page. Borrows the others.
  WatchStreams(Changes* changes, Clock* clock, std::string page, Opener open)
      : changes_(*changes),
        clock_(*clock),
        page_(std::move(page)),
        open_(std::move(open)) {}

  // A new stream, which begins after the change `list` of the list.
  std::unique_ptr<http::BodySource> New(absl::string_view list,
                                        std::vector<WatchedFrom> watched,
                                        http::Waker waker);
  // Changes what the stream watches. NotFound if the stream has ended,
  // ResourceExhausted if it would watch too many tasks.
  absl::Status Change(const std::string& stream, std::vector<WatchedFrom> watch,
                      const std::vector<std::string>& unwatch);
  size_t size() const { return streams_.size(); }

 private:
  friend class WatchStream;

  void Watch(const std::string& stream, WatchedFrom watched);

  Changes& changes_;
  Clock& clock_;
  const std::string page_;
  const Opener open_;
  std::map<std::string, WatchStream*> streams_;  // By id.
};

}  // namespace troika

#endif  // TROIKA_SERVER_WATCH_STREAM_H_
