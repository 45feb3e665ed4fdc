// The streams of server-sent events that wait for the same news.
#ifndef TROIKA_SERVER_VIEWERS_H_
#define TROIKA_SERVER_VIEWERS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "http/server.h"

namespace troika {

class Viewer;

// Loop thread only.
class Viewers {
 public:
  // Wakes all viewers: there is something to read.
  void Notify();
  // Has viewers that have received nothing since the last call receive a
  // heartbeat, which shows that the connection is alive.
  void SendHeartbeats();
  size_t size() const { return viewers_.size(); }

 private:
  friend class Viewer;

  // Viewers may leave during the calls.
  void ForEach(absl::FunctionRef<void(Viewer&)> call);
  void Leave(Viewer* viewer);

  std::vector<Viewer*> viewers_;  // Null if one left during ForEach().
  int calling_ = 0;
};

// The stream of one viewer.
class Viewer : public http::BodySource {
 public:
  Viewer(std::shared_ptr<Viewers> viewers, http::Waker waker)
      : viewers_(std::move(viewers)), waker_(std::move(waker)) {
    viewers_->viewers_.push_back(this);
  }
  ~Viewer() override { viewers_->Leave(this); }

  State Fill(size_t room, std::string* out) final;

 private:
  friend class Viewers;

  // Does the same for what there is to read.
  virtual State FillNews(size_t room, std::string* out) = 0;
  // What is sent if there is nothing else. If it is empty, heartbeats don't
  // wake the viewer.
  virtual std::string Heartbeat() const { return ": beat\n\n"; }

  const std::shared_ptr<Viewers> viewers_;
  const http::Waker waker_;
  bool has_sent_ = false;  // Something since the last SendHeartbeats().
  bool heartbeat_is_due_ = false;
};

}  // namespace troika

#endif  // TROIKA_SERVER_VIEWERS_H_
