// Serves a scripted model over HTTP, on loopback only.
//
//   EventLoop loop;
//   auto server = ModelServer::Start(&loop, {.player = {.script = *script}});
//   (*server)->url();  // "http://127.0.0.1:41234"
//   loop.Run();
#ifndef TROIKA_TESTING_MODEL_SERVER_H_
#define TROIKA_TESTING_MODEL_SERVER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/event_loop.h"
#include "http/server.h"
#include "testing/model/player.h"

namespace troika::model {

// Must be used on the loop's thread only.
class ModelServer {
 public:
  struct Options {
    Player::Options player;
    int port = 0;  // 0: any free port.
    // Called with each line of the log.
    absl::AnyInvocable<void(absl::string_view)> log = [](absl::string_view) {};
    // Called with each failure when it happens.
    absl::AnyInvocable<void(absl::string_view)> complain =
        [](absl::string_view) {};
  };
  // AlreadyExists if the port is in use.
  static absl::StatusOr<std::unique_ptr<ModelServer>> Start(EventLoop* loop,
                                                            Options options);
  ~ModelServer();

  const std::string& url() const { return url_; }
  // Returns Player::Verdict().
  std::vector<std::string> Verdict() const { return player_.Verdict(); }

 private:
  struct Delayed;

  ModelServer(EventLoop* loop, Options options);
  void Handle(std::unique_ptr<http::Exchange> exchange);
  void Send(std::unique_ptr<http::Exchange> exchange, int answer,
            Output output);
  void ReplyLater(std::unique_ptr<http::Exchange> exchange, Output output);

  EventLoop* const loop_;
  Options options_;
  Player player_;
  std::string url_;
  std::vector<std::unique_ptr<Delayed>> delayed_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace troika::model

#endif  // TROIKA_TESTING_MODEL_SERVER_H_
