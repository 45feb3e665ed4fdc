#include "server/stream_limit.h"

#include "absl/strings/str_cat.h"

namespace troika {
namespace {

class Counted final : public http::BodySource {
 public:
  Counted(std::shared_ptr<std::map<std::string, int>> open, std::string client,
          std::unique_ptr<http::BodySource> source)
      : open_(std::move(open)),
        client_(std::move(client)),
        source_(std::move(source)) {
    ++(*open_)[client_];
  }
  ~Counted() override {
    if (--(*open_)[client_] == 0) open_->erase(client_);
  }

  State Fill(size_t room, std::string* out) override {
    return source_->Fill(room, out);
  }

 private:
  const std::shared_ptr<std::map<std::string, int>> open_;
  const std::string client_;
  const std::unique_ptr<http::BodySource> source_;
};

}  // namespace

std::string ClientOf(const http::Peer& peer) {
  return peer.kind == http::Peer::Kind::kUnix ? absl::StrCat(peer.pid) : "tcp";
}

absl::Status StreamLimit::Check(const std::string& client) const {
  const auto it = open_->find(client);
  if (it == open_->end() || it->second < max_) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("this client has ", max_,
                   " streams open: close some of them, or watch "
                   "all tasks by GET /api/v1/events"));
}

std::unique_ptr<http::BodySource> StreamLimit::Count(
    const std::string& client, std::unique_ptr<http::BodySource> source) {
  return std::make_unique<Counted>(open_, client, std::move(source));
}

}  // namespace troika
