// Checks properties that hold for every backend's protocol and any input.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
//     troika::FuzzProtocol(troika::GeminiBackend(), {data, size});
//     return 0;
//   }
#ifndef TROIKA_TESTING_PROTOCOL_FUZZ_H_
#define TROIKA_TESTING_PROTOCOL_FUZZ_H_

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika {

// The last byte of `input` decides how the rest is cut into chunks (the last
// one, so that a recorded stream is a good input unchanged); the rest is the
// agent's output. Crashes if two ways to cut it give different messages, if a
// rule of agent/message.h is violated, or if anything is open after the end.
// `wire` is the harness's first one if it is unset.
void FuzzProtocol(const Backend& backend, absl::Span<const uint8_t> input,
                  std::optional<Wire> wire = std::nullopt);

// The same for a conversation: `input` is a transcript (RunTranscript). Crashes
// if two protocols give different messages or outboxes for it, too.
void FuzzTranscript(const Backend& backend, absl::Span<const uint8_t> input);

}  // namespace troika

#endif  // TROIKA_TESTING_PROTOCOL_FUZZ_H_
