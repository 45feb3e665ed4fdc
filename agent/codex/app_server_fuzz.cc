#include "agent/backend.h"
#include "agent/codex/app_server.h"
#include "testing/protocol_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const kBackend = [] {
    auto* backend = new troika::Backend(troika::CodexBackend());
    backend->NewProtocol = troika::codex::NewAppServerProtocol;
    return backend;
  }();
  troika::FuzzTranscript(*kBackend, {data, size});
  return 0;
}
