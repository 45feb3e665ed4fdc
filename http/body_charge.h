// Accounts for the memory of a request's body while anything holds it.
#ifndef TROIKA_HTTP_BODY_CHARGE_H_
#define TROIKA_HTTP_BODY_CHARGE_H_

#include <cstddef>
#include <memory>
#include <utility>

namespace troika::http {

// Movable. Subtracts its bytes from the total when it is destroyed.
class BodyCharge {
 public:
  BodyCharge() = default;
  explicit BodyCharge(std::shared_ptr<size_t> total)
      : total_(std::move(total)) {}
  ~BodyCharge() { Set(0); }
  BodyCharge(BodyCharge&& other) noexcept
      : total_(std::move(other.total_)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  BodyCharge& operator=(BodyCharge&& other) noexcept {
    Set(0);
    total_ = std::move(other.total_);
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  void Set(size_t bytes) {
    if (total_ == nullptr) return;
    *total_ += bytes - bytes_;
    bytes_ = bytes;
  }
  // Bytes of all bodies that are charged to the same total.
  size_t total() const { return total_ == nullptr ? 0 : *total_; }

 private:
  std::shared_ptr<size_t> total_;
  size_t bytes_ = 0;
};

}  // namespace troika::http

#endif  // TROIKA_HTTP_BODY_CHARGE_H_
