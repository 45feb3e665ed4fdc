// What must hold for every backend's protocol, whatever the agent prints.
//
//   extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
//     troika::FuzzProtocol(troika::GeminiBackend(), {data, size});
//     return 0;
//   }
#ifndef TROIKA_TESTING_PROTOCOL_FUZZ_H_
#define TROIKA_TESTING_PROTOCOL_FUZZ_H_

#include <cstdint>

#include "absl/types/span.h"
#include "agent/backend.h"

namespace troika {

// The last byte of `input` says how the rest is cut into chunks (the last, so
// that a recorded stream is a good input as it is); the rest is what the agent
// prints. Dies where two ways to cut it give different messages, where a rule
// of agent/message.h is broken, or where something is still open after the end.
void FuzzProtocol(const Backend& backend, absl::Span<const uint8_t> input);

}  // namespace troika

#endif  // TROIKA_TESTING_PROTOCOL_FUZZ_H_
