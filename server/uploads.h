// Images that clients send to be used in requests (docs/api.md, "Images").
#ifndef TROIKA_SERVER_UPLOADS_H_
#define TROIKA_SERVER_UPLOADS_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "dto/troika.pb.h"

namespace troika {

// Whether the type is one of the images that can be uploaded.
bool IsImageType(absl::string_view media_type);

// The folder of uploads. The calls block, and are thread-safe.
class Uploads {
 public:
  static constexpr size_t kMaxBytes = size_t{10} << 20;      // Of an image.
  static constexpr int64_t kMaxAllBytes = int64_t{1} << 30;  // Of all images.
  static constexpr int kMaxFiles = 10000;
  static constexpr absl::Duration kLife = absl::Hours(24 * 30);

  explicit Uploads(std::string folder) : folder_(std::move(folder)) {}

  // Keeps an image, readable by the owner only. InvalidArgument if the bytes
  // are none of that type, or too many; ResourceExhausted if there is no room.
  absl::StatusOr<v1::Upload> Add(absl::string_view bytes,
                                 absl::string_view media_type,
                                 absl::Time now) const;
  // Removes images that are older than kLife.
  void RemoveExpired(absl::Time now) const;

 private:
  struct Sum {
    int64_t bytes = 0;
    int files = 0;
  };
  Sum Count() const;

  const std::string folder_;
};

}  // namespace troika

#endif  // TROIKA_SERVER_UPLOADS_H_
