#include "server/viewers.h"

#include <algorithm>

namespace troika {

void Viewers::Notify() {
  ForEach([](Viewer& viewer) { viewer.waker_.Wake(); });
}

void Viewers::SendHeartbeats() {
  ForEach([](Viewer& viewer) {
    if (std::exchange(viewer.has_sent_, false)) return;
    if (viewer.Heartbeat().empty()) return;
    viewer.heartbeat_is_due_ = true;
    viewer.waker_.Wake();
  });
}

void Viewers::ForEach(absl::FunctionRef<void(Viewer&)> call) {
  ++calling_;
  for (size_t i = 0; i < viewers_.size(); ++i) {
    if (viewers_[i] != nullptr) call(*viewers_[i]);
  }
  --calling_;
  Leave(nullptr);
}

void Viewers::Leave(Viewer* viewer) {
  Viewer* const nobody = nullptr;
  std::replace(viewers_.begin(), viewers_.end(), viewer, nobody);
  if (calling_ > 0) return;
  viewers_.erase(std::remove(viewers_.begin(), viewers_.end(), nobody),
                 viewers_.end());
}

http::BodySource::State Viewer::Fill(size_t room, std::string* out) {
  const State state = FillNews(room, out);
  if (!out->empty()) has_sent_ = true;
  if (state == State::kWait && std::exchange(heartbeat_is_due_, false) &&
      out->empty()) {
    out->append(Heartbeat());
  }
  return state;
}

}  // namespace troika
