// Remembers the requests of one end of a connection that have no answer yet.
//
// A conversation needs two: one for our requests, which matches responses to
// them, and one for the other end's, each of which we must answer. The ids of
// the two collide, so they are never kept in the same book.
//
//   rpc::Pending<Step> ours;
//   ours.Add({id, "turn/start", Step::kTurn});
//   std::optional<rpc::Pending<Step>::Call> call = ours.Take(response.id);
#ifndef TROIKA_RPC_PENDING_H_
#define TROIKA_RPC_PENDING_H_

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rpc/message.h"

namespace troika::rpc {

template <typename Tag = std::string>
class Pending {
 public:
  // Bounds what an agent that asks without end can make us remember.
  static constexpr size_t kMaxOpen = 1024;

  struct Call {
    Id id;
    std::string method;
    Tag tag;  // The caller's.
  };

  // Returns false and changes nothing if the id is missing or a request with
  // this id is open, or if too many are.
  [[nodiscard]] bool Add(Call call) {
    if (!call.id.exists() || open_.size() == kMaxOpen ||
        Find(call.id) != nullptr) {
      return false;
    }
    open_.push_back(std::move(call));
    return true;
  }

  Call* /*nullable*/ Find(const Id& id) {
    const auto it = Position(id);
    return it == open_.end() ? nullptr : &*it;
  }

  // Removes and returns the request that a response or an answer settles;
  // nullopt if no such request is open.
  std::optional<Call> Take(const Id& id) {
    const auto it = Position(id);
    if (it == open_.end()) return std::nullopt;
    Call call = std::move(*it);
    open_.erase(it);
    return call;
  }

  // Removes and returns all of them, oldest first.
  std::vector<Call> TakeAll() { return std::exchange(open_, {}); }

  // The open requests, oldest first.
  const std::vector<Call>& open() const { return open_; }
  bool empty() const { return open_.empty(); }

 private:
  typename std::vector<Call>::iterator Position(const Id& id) {
    return std::find_if(open_.begin(), open_.end(),
                        [&](const Call& call) { return call.id == id; });
  }

  std::vector<Call> open_;
};

}  // namespace troika::rpc

#endif  // TROIKA_RPC_PENDING_H_
