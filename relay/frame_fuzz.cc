// Parses any bytes as the input of a client or a relay: the frames must not
// depend on how the bytes are split, and a decoded frame must be the same when
// it is encoded again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "relay/frame.h"
#include "relay/spec.h"

namespace troika::relay {
namespace {

constexpr size_t kHead = 6;  // Length, version and type.

// A body may be longer than its known fields.
template <typename T>
void CheckAgain(const std::optional<T>& decoded, const Frame& frame) {
  if (!decoded) return;
  const std::string again = Encode(*decoded);
  CHECK(static_cast<uint8_t>(again[kHead - 1]) == frame.type);
  CHECK(absl::StartsWith(frame.body, absl::string_view(again).substr(kHead)));
}

void CheckFrame(const Frame& frame) {
  CheckAgain(DecodeHello(frame), frame);
  CheckAgain(DecodeWelcome(frame), frame);
  CheckAgain(DecodeCommand(frame), frame);
  CheckAgain(DecodeReply(frame), frame);
  CheckAgain(DecodeTip(frame), frame);
  CheckAgain(DecodeTrouble(frame), frame);
  CHECK(KeyOf(frame).size() <= frame.body.size());
}

struct Read {
  std::vector<std::string> frames;
  bool ok = true;

  bool operator==(const Read&) const = default;
};

Read ReadInSteps(absl::string_view bytes, size_t step) {
  Read read;
  FrameReader reader(kMaxFrame);
  for (size_t i = 0; i < bytes.size(); i += step) {
    reader.Feed(bytes.substr(i, step));
    while (const auto frame = reader.Next()) {
      CheckFrame(*frame);
      read.frames.push_back(std::string({static_cast<char>(frame->version),
                                         static_cast<char>(frame->type)}) +
                            std::string(frame->body));
    }
  }
  read.ok = reader.ok();
  return read;
}

}  // namespace
}  // namespace troika::relay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using troika::relay::ReadInSteps;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = ReadInSteps(bytes, size + 1);
  for (const size_t step : {1, 3, 100}) {
    CHECK(ReadInSteps(bytes, step) == whole);
  }
  if (const auto spec = troika::relay::DecodeSpec(bytes); spec.ok()) {
    const auto again = troika::relay::DecodeSpec(troika::relay::Encode(*spec));
    CHECK(again.ok() && *again == *spec);
  }
  return 0;
}
