// What a harness is: its name, what it can do, and how to talk with it.
#ifndef TROIKA_AGENT_BACKEND_H_
#define TROIKA_AGENT_BACKEND_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "agent/harness.h"
#include "agent/protocol.h"

namespace troika {

// Stateless and immutable; thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Harness harness() const = 0;
  virtual absl::string_view display_name() const = 0;
  virtual Capabilities capabilities() const = 0;

  // A fresh protocol for one process. The drift of `options` must outlive it.
  virtual std::unique_ptr<Protocol> NewProtocol(
      const ProtocolOptions& options) const = 0;
};

}  // namespace troika

#endif  // TROIKA_AGENT_BACKEND_H_
