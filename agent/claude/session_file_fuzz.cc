#include "agent/backend.h"
#include "testing/protocol_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  troika::FuzzProtocol(troika::ClaudeBackend(), {data, size},
                       troika::Wire::kSessionFile);
  return 0;
}
