#include "client/testing.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/unix_socket.h"
#include "task/home.h"

namespace troika::client {
namespace {

// A text, and then the end.
class TextSource : public http::BodySource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  State Fill(size_t, std::string* out) override {
    absl::StrAppend(out, text_);
    return State::kEnd;
  }

 private:
  const std::string text_;
};

}  // namespace

ScriptedServer::ScriptedServer(const TestHome& home, Script script)
    : script_(std::move(script)) {
  server_ = std::make_unique<http::Server>(
      &loop_, http::Limits(),
      [this](std::unique_ptr<http::Exchange> exchange) {
        Handle(std::move(exchange));
      },
      [](int status, absl::string_view reason) {
        return http::Response{.status = status, .body = std::string(reason)};
      });
  absl::StatusOr<UniqueFd> socket = ListenUnix(home.fd(), kServerSocket);
  CHECK(socket.ok());
  server_->Listen(*std::move(socket), http::Peer::Kind::kUnix);
  thread_ = std::thread([this] {
    loop_.Run();
    server_.reset();
  });
}

ScriptedServer::~ScriptedServer() {
  loop_.Stop();
  thread_.join();
}

std::vector<std::string> ScriptedServer::requests() const {
  const MutexLock lock(&mutex_);
  return requests_;
}

void ScriptedServer::Handle(std::unique_ptr<http::Exchange> exchange) {
  const http::Request& request = exchange->request();
  {
    const MutexLock lock(&mutex_);
    requests_.push_back(absl::StrCat(request.method, " ", request.path,
                                     request.query.empty() ? "" : "?",
                                     request.query));
  }
  Answer answer = script_(request);
  if (answer.kind == Answer::Kind::kReply) {
    return exchange->Reply(std::move(answer.response));
  }
  exchange->Stream(std::move(answer.response), [&](http::Waker) {
    return std::make_unique<TextSource>(std::move(answer.stream));
  });
}

}  // namespace troika::client
