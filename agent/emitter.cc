#include "agent/emitter.h"

namespace troika {

void Emitter::EmitRaw(absl::string_view type, absl::string_view reason,
                      const Context& context) {
  Raw raw;
  raw.type = std::string(type);
  raw.reason = std::string(reason);
  raw.offset = record_.offset;
  raw.size = record_.size;
  if (record_.size <= kMaxLineBytes) raw.line = std::string(record_.bytes);
  Emit(std::move(raw), context);
}

}  // namespace troika
